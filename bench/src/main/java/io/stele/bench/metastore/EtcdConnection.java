package io.stele.bench.metastore;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.stele.base.error.UnavailableException;
import io.stele.protocol.etcd.CompactionRequest;
import io.stele.protocol.etcd.Compare;
import io.stele.protocol.etcd.KVGrpc;
import io.stele.protocol.etcd.KeyValue;
import io.stele.protocol.etcd.MaintenanceGrpc;
import io.stele.protocol.etcd.PutRequest;
import io.stele.protocol.etcd.RangeRequest;
import io.stele.protocol.etcd.RangeResponse;
import io.stele.protocol.etcd.RequestOp;
import io.stele.protocol.etcd.StatusRequest;
import io.stele.protocol.etcd.StatusResponse;
import io.stele.protocol.etcd.TxnRequest;
import io.stele.protocol.etcd.TxnResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

/**
 * One connection to etcd, by bare asynchronous calls: no retries, no deadlines, no balancing and no
 * thread of its own, so that as much of the machine as possible is left to etcd.
 */
final class EtcdConnection implements Connection {
  private static final int LARGEST_ANSWER = 64 << 20;
  private static final long STATUS_SECONDS = 5;

  private final ManagedChannel channel;
  private final LongAdder conflicts = new LongAdder();

  private EtcdConnection(ManagedChannel channel) {
    this.channel = channel;
  }

  static EtcdConnection connect(String address) {
    return new EtcdConnection(
        NettyChannelBuilder.forTarget(address)
            .usePlaintext()
            .directExecutor()
            .maxInboundMessageSize(LARGEST_ANSWER)
            .build());
  }

  /** A follower would only pass on what it is asked: that costs more than it gains. */
  static Connection connectToLeader(List<String> addresses) throws Exception {
    for (String address : addresses) {
      EtcdConnection connection = connect(address);
      if (connection.leads()) {
        return connection;
      }
      connection.close();
    }
    throw new UnavailableException("none of %d members leads".formatted(addresses.size()));
  }

  /** Whether the member at the other end leads its group. */
  boolean leads() throws InterruptedException {
    try {
      StatusResponse status =
          Calls.send(channel, MaintenanceGrpc.getStatusMethod(), StatusRequest.getDefaultInstance())
              .get(STATUS_SECONDS, TimeUnit.SECONDS);
      return status.getLeader() != 0 && status.getLeader() == status.getHeader().getMemberId();
    } catch (ExecutionException | TimeoutException e) {
      close();
      throw new UnavailableException("etcd does not tell its state: " + e.getMessage(), e);
    }
  }

  @Override
  public CompletableFuture<?> put(KeySet keys, long number, long edition) {
    return Calls.send(channel, KVGrpc.getPutMethod(), putRequest(keys, number, edition));
  }

  @Override
  public CompletableFuture<?> get(KeySet keys, long number) {
    RangeRequest request = RangeRequest.newBuilder().setKey(key(keys, number)).build();
    return Calls.send(channel, KVGrpc.getRangeMethod(), request)
        .thenAccept(answer -> check(keys, number, answer));
  }

  @Override
  public CompletableFuture<?> range(KeySet keys, long first, int count) {
    RangeRequest request =
        RangeRequest.newBuilder()
            .setKey(key(keys, first))
            .setRangeEnd(wrap(keys.end()))
            .setLimit(count)
            .build();
    return Calls.send(channel, KVGrpc.getRangeMethod(), request)
        .thenAccept(
            answer -> {
              keys.checkCount(first, count, answer.getKvsCount());
              for (int i = 0; i < count; i++) {
                KeyValue found = answer.getKvs(i);
                keys.check(first + i, found.getKey().toByteArray(), found.getValue().toByteArray());
              }
            });
  }

  /**
   * As etcd's own library does it: the first read says as of which revision the second is to be,
   * and the writes happen if neither key has changed since.
   */
  @Override
  public CompletableFuture<?> transact(KeySet keys, long one, long other, long edition) {
    RangeRequest first = RangeRequest.newBuilder().setKey(key(keys, one)).build();
    return Calls.send(channel, KVGrpc.getRangeMethod(), first)
        .thenCompose(
            firstAnswer -> {
              KeyValue firstFound = check(keys, one, firstAnswer);
              RangeRequest second =
                  RangeRequest.newBuilder()
                      .setKey(key(keys, other))
                      .setRevision(firstAnswer.getHeader().getRevision())
                      .setSerializable(true)
                      .build();
              return Calls.send(channel, KVGrpc.getRangeMethod(), second)
                  .thenCompose(
                      secondAnswer -> {
                        KeyValue secondFound = check(keys, other, secondAnswer);
                        TxnRequest commit =
                            TxnRequest.newBuilder()
                                .addCompare(unchanged(firstFound))
                                .addCompare(unchanged(secondFound))
                                .addSuccess(putting(keys, one, edition))
                                .addSuccess(putting(keys, other, edition))
                                .build();
                        return Calls.send(channel, KVGrpc.getTxnMethod(), commit);
                      });
            })
        .thenCompose(answer -> againIfChanged(answer, keys, one, other, edition));
  }

  private CompletableFuture<?> againIfChanged(
      TxnResponse answer, KeySet keys, long one, long other, long edition) {
    if (answer.getSucceeded()) {
      return CompletableFuture.completedFuture(answer);
    }
    conflicts.increment();
    return transact(keys, one, other, edition);
  }

  @Override
  public CompletableFuture<?> transactAtOnce(KeySet keys, long one, long other, long edition) {
    TxnRequest request =
        TxnRequest.newBuilder()
            .addCompare(exists(keys, one))
            .addCompare(exists(keys, other))
            .addSuccess(getting(key(keys, one)))
            .addSuccess(getting(key(keys, other)))
            .addSuccess(putting(keys, one, edition))
            .addSuccess(putting(keys, other, edition))
            .build();
    return Calls.send(channel, KVGrpc.getTxnMethod(), request)
        .thenAccept(
            answer -> {
              if (!answer.getSucceeded() || answer.getResponsesCount() != 4) {
                throw new WrongAnswerException(
                    "a transaction on keys that exist was refused: " + answer);
              }
              check(keys, one, answer.getResponses(0).getResponseRange());
              check(keys, other, answer.getResponses(1).getResponseRange());
            });
  }

  @Override
  public CompletableFuture<?> load(KeySet keys, long first, int count) {
    TxnRequest.Builder request = TxnRequest.newBuilder();
    for (int i = 0; i < count; i++) {
      request.addSuccess(putting(keys, first + i, 0));
    }
    return Calls.send(channel, KVGrpc.getTxnMethod(), request.build());
  }

  @Override
  public CompletableFuture<Watches> watch(
      KeySet keys, int firstWatcher, int count, EventSink sink) {
    EtcdWatches watches = new EtcdWatches(keys, firstWatcher, count, sink);
    return watches.start(channel);
  }

  /** Answered when what is forgotten has left the store. */
  @Override
  public CompletableFuture<?> compact(KeySet keys) {
    RangeRequest now = RangeRequest.newBuilder().setKey(key(keys, 0)).build();
    return Calls.send(channel, KVGrpc.getRangeMethod(), now)
        .thenCompose(
            answer ->
                Calls.send(
                    channel,
                    KVGrpc.getCompactMethod(),
                    CompactionRequest.newBuilder()
                        .setRevision(answer.getHeader().getRevision())
                        .setPhysical(true)
                        .build()));
  }

  @Override
  public long conflicts() {
    return conflicts.sum();
  }

  @Override
  public void close() throws InterruptedException {
    channel.shutdownNow().awaitTermination(STATUS_SECONDS, TimeUnit.SECONDS);
  }

  private static KeyValue check(KeySet keys, long number, RangeResponse answer) {
    keys.checkCount(number, 1, answer.getKvsCount());
    KeyValue found = answer.getKvs(0);
    keys.check(number, found.getKey().toByteArray(), found.getValue().toByteArray());
    return found;
  }

  private static PutRequest putRequest(KeySet keys, long number, long edition) {
    return PutRequest.newBuilder()
        .setKey(key(keys, number))
        .setValue(wrap(keys.value(number, edition)))
        .build();
  }

  private static RequestOp putting(KeySet keys, long number, long edition) {
    return RequestOp.newBuilder().setRequestPut(putRequest(keys, number, edition)).build();
  }

  private static RequestOp getting(ByteString key) {
    return RequestOp.newBuilder().setRequestRange(RangeRequest.newBuilder().setKey(key)).build();
  }

  private static Compare unchanged(KeyValue found) {
    return Compare.newBuilder()
        .setTarget(Compare.CompareTarget.MOD)
        .setResult(Compare.CompareResult.EQUAL)
        .setKey(found.getKey())
        .setModRevision(found.getModRevision())
        .build();
  }

  private static Compare exists(KeySet keys, long number) {
    return Compare.newBuilder()
        .setTarget(Compare.CompareTarget.VERSION)
        .setResult(Compare.CompareResult.GREATER)
        .setKey(key(keys, number))
        .setVersion(0)
        .build();
  }

  private static ByteString key(KeySet keys, long number) {
    return wrap(keys.key(number));
  }

  static ByteString wrap(byte[] bytes) {
    return UnsafeByteOperations.unsafeWrap(bytes);
  }
}
