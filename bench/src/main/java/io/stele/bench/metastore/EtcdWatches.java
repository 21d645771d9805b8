package io.stele.bench.metastore;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.stele.protocol.etcd.Event;
import io.stele.protocol.etcd.WatchCreateRequest;
import io.stele.protocol.etcd.WatchGrpc;
import io.stele.protocol.etcd.WatchRequest;
import io.stele.protocol.etcd.WatchResponse;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Watches of one connection, all on one stream, as etcd's own library bundles them. Their ids are
 * the numbers that etcd counts from 0.
 */
final class EtcdWatches implements Connection.Watches, StreamObserver<WatchResponse> {
  private final KeySet keys;
  private final int firstWatcher;
  private final int count;
  private final Connection.EventSink sink;
  private final CompletableFuture<Connection.Watches> started = new CompletableFuture<>();
  private int created; // the stream's thread only
  private volatile boolean closed;
  private volatile @Nullable StreamObserver<WatchRequest> requests;

  EtcdWatches(KeySet keys, int firstWatcher, int count, Connection.EventSink sink) {
    this.keys = keys;
    this.firstWatcher = firstWatcher;
    this.count = count;
    this.sink = sink;
  }

  CompletableFuture<Connection.Watches> start(ManagedChannel channel) {
    StreamObserver<WatchRequest> stream =
        ClientCalls.asyncBidiStreamingCall(
            channel.newCall(WatchGrpc.getWatchMethod(), CallOptions.DEFAULT), this);
    requests = stream;
    WatchRequest create =
        WatchRequest.newBuilder()
            .setCreateRequest(
                WatchCreateRequest.newBuilder()
                    .setKey(EtcdConnection.wrap(keys.first()))
                    .setRangeEnd(EtcdConnection.wrap(keys.end())))
            .build();
    for (int i = 0; i < count; i++) {
      stream.onNext(create);
    }
    return started;
  }

  @Override
  public void onNext(WatchResponse answer) {
    if (answer.getCanceled()) {
      onError(new WrongAnswerException("etcd ended a watch: " + answer.getCancelReason()));
    } else if (answer.getCreated()) {
      created++;
      if (created == count) {
        started.complete(this);
      }
    } else {
      int watcher = firstWatcher + (int) answer.getWatchId();
      for (Event event : answer.getEventsList()) {
        long number = keys.number(event.getKv().getKey().toByteArray());
        sink.put(watcher, keys.edition(number, event.getKv().getValue().toByteArray()));
      }
    }
  }

  @Override
  public void onError(Throwable problem) {
    if (!closed) {
      started.completeExceptionally(problem);
      sink.failed(firstWatcher, problem);
    }
  }

  @Override
  public void onCompleted() {
    onError(new WrongAnswerException("etcd ended a stream of watches"));
  }

  @Override
  public void close() {
    closed = true;
    StreamObserver<WatchRequest> stream = requests;
    if (stream != null) {
      stream.onError(new CancellationException("the watches are closed"));
    }
  }
}
