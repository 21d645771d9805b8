package io.stele.gateway.etcd.coordination;

import io.grpc.stub.ServerCallStreamObserver;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.gateway.etcd.auth.Access;
import io.stele.gateway.etcd.auth.Grant;
import io.stele.gateway.etcd.call.EtcdBackend;
import io.stele.gateway.etcd.call.EtcdCaller;
import io.stele.gateway.etcd.call.EtcdErrors;
import io.stele.gateway.etcd.call.OpenStreams;
import io.stele.gateway.etcd.kv.ToEtcd;
import io.stele.metastore.Metastore;
import io.stele.metastore.RangeAnswer;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.watch.KeyEvent;
import io.stele.metastore.watch.Watch;
import io.stele.metastore.watch.WatchRequest;
import io.stele.metastore.watch.WatchSink;
import io.stele.protocol.etcd.LeaderRequest;
import io.stele.protocol.etcd.LeaderResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Tells one caller who is elected. Whenever a key of the election has changed it looks who is first
 * now, and tells it if that is another key or another value: what came and went while it told
 * something else is left out.
 */
final class Observation implements WatchSink, OpenStreams.Stream {
  private final EtcdBackend backend;
  private final Access access;
  private final EtcdCaller who = EtcdCaller.current();
  private final ServerCallStreamObserver<LeaderResponse> caller;

  /** Reasons to look again; all that have gathered are one. */
  private final Semaphore reasons = new Semaphore(1);

  private volatile boolean gone;
  private volatile @Nullable SteleException problem;

  private Observation(
      EtcdBackend backend, Access access, ServerCallStreamObserver<LeaderResponse> caller) {
    this.backend = backend;
    this.access = access;
    this.caller = caller;
  }

  static void begin(
      EtcdBackend backend,
      Access access,
      ExecutorService blocking,
      LeaderRequest request,
      ServerCallStreamObserver<LeaderResponse> caller) {
    Observation observation = new Observation(backend, access, caller);
    caller.setOnCancelHandler(observation::end);
    caller.setOnReadyHandler(observation.reasons::release);
    backend.streams().add(observation);
    blocking.execute(() -> observation.run(request));
  }

  private void end() {
    gone = true;
    reasons.release();
  }

  @Override
  public void stop() {
    failed(new UnavailableException("the server stops"));
  }

  private void run(LeaderRequest request) {
    try {
      Metastore metastore = backend.metastore();
      Queue.join(access.refresh(metastore));
      Grant grant = access.of(who);
      Queue queue = new Queue(metastore, grant, request.getName());
      grant.checkRead(queue.range());
      try (Watch _ =
          metastore.watch(grant.principal(), new WatchRequest(queue.range(), 0, false), this)) {
        tell(queue);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      if (!gone) {
        caller.onError(EtcdErrors.of(e));
      }
    } finally {
      backend.streams().remove(this);
    }
  }

  private void tell(Queue queue) throws InterruptedException {
    Optional<KeyValue> told = Optional.empty();
    while (true) {
      reasons.acquire();
      reasons.drainPermits();
      SteleException failure = problem;
      if (failure != null) {
        throw failure;
      }
      if (gone) {
        return;
      }
      if (!caller.isReady()) {
        continue; // it says when it is
      }
      RangeAnswer first = queue.firstHere();
      Optional<KeyValue> now = first.keys().stream().findFirst();
      if (now.isPresent() && !now.equals(told)) {
        told = now;
        caller.onNext(
            LeaderResponse.newBuilder()
                .setHeader(backend.header(first.revision()))
                .setKv(ToEtcd.keyValue(now.get()))
                .build());
      }
    }
  }

  // ---- what the metastore tells

  @Override
  public void started(long revision) {}

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public void events(long revision, List<KeyEvent> events) {
    reasons.release();
  }

  @Override
  public void progress(long revision) {}

  @Override
  public void compacted(long oldest) {
    failed(new UnavailableException("the observation fell behind"));
  }

  @Override
  public void failed(SteleException why) {
    problem = why;
    reasons.release();
  }
}
