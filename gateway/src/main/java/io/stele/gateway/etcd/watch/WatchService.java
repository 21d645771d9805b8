package io.stele.gateway.etcd.watch;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.gateway.etcd.auth.Access;
import io.stele.gateway.etcd.call.EtcdBackend;
import io.stele.protocol.etcd.WatchGrpc;
import io.stele.protocol.etcd.WatchRequest;
import io.stele.protocol.etcd.WatchResponse;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;

/** etcd's watches: any number on one stream. */
public final class WatchService extends WatchGrpc.WatchImplBase {
  private final EtcdBackend backend;
  private final ToldEvents told = new ToldEvents();
  private final Access access;
  private final ScheduledExecutorService timer;
  private final Duration progress;

  /**
   * Serves watches.
   *
   * @param progress how often watchers that wish it hear how far they are when nothing happens
   */
  public WatchService(
      EtcdBackend backend, Access access, ScheduledExecutorService timer, Duration progress) {
    this.backend = backend;
    this.access = access;
    this.timer = timer;
    this.progress = progress;
  }

  @Override
  public StreamObserver<WatchRequest> watch(StreamObserver<WatchResponse> caller) {
    WatchCall call =
        new WatchCall(
            backend,
            told,
            access,
            timer,
            progress,
            (ServerCallStreamObserver<WatchResponse>) caller);
    return call.requests();
  }
}
