package io.stele.gateway.etcd.watch;

import com.google.protobuf.ByteString;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.base.error.DeniedException;
import io.stele.base.error.SteleException;
import io.stele.gateway.etcd.auth.Access;
import io.stele.gateway.etcd.auth.Grant;
import io.stele.gateway.etcd.call.EtcdBackend;
import io.stele.gateway.etcd.call.EtcdCaller;
import io.stele.gateway.etcd.call.EtcdError;
import io.stele.gateway.etcd.call.EtcdErrors;
import io.stele.gateway.etcd.call.OpenStreams;
import io.stele.gateway.etcd.call.Ranges;
import io.stele.metastore.key.KeyRange;
import io.stele.protocol.etcd.WatchCreateRequest;
import io.stele.protocol.etcd.WatchRequest;
import io.stele.protocol.etcd.WatchResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One stream of watches. Requests come on the thread that reads from the network; what there is to
 * tell comes on the threads of the watches. Whatever is sent is sent under one lock, which is held
 * by nobody who waits for anything.
 */
final class WatchCall implements OpenStreams.Stream {
  /** Stands for no watch, or all of them. */
  static final long NO_WATCH = -1;

  private static final long LOOKOUT_MILLIS = 500;
  private static final int LEADERLESS_LOOKS = 3; // a change of leader is no reason yet

  private static final CompletableFuture<Void> NOTHING = CompletableFuture.completedFuture(null);

  private static final String DUPLICATE = "mvcc: duplicate watch ID provided on the WatchStream";
  private static final String EMPTY_RANGE = "mvcc: watcher range is empty";

  private final EtcdBackend backend;
  private final ToldEvents told;
  private final Access access;
  private final EtcdCaller who = EtcdCaller.current();
  private final ScheduledExecutorService timer;
  private final Duration progress;
  private final ServerCallStreamObserver<WatchResponse> caller;

  private int leaderless; // how often in a row; of the timer's thread
  private volatile @Nullable ScheduledFuture<?> lookout;

  // All guarded by this.
  private final Map<Long, EtcdWatch> watches = new HashMap<>();
  private long nextId;
  private boolean ended;
  private boolean progressWanted;
  private final Set<Long> progressAwaited = new HashSet<>(); // watches that have yet to say so
  private long progressRevision; // at least so far they must have come
  private long progressReached; // so far all have come that have said so
  private long sent; // the newest revision of which a watch has told

  WatchCall(
      EtcdBackend backend,
      ToldEvents told,
      Access access,
      ScheduledExecutorService timer,
      Duration progress,
      ServerCallStreamObserver<WatchResponse> caller) {
    this.backend = backend;
    this.told = told;
    this.access = access;
    this.timer = timer;
    this.progress = progress;
    this.caller = caller;
    caller.setOnReadyHandler(this::resume);
    caller.setOnCancelHandler(this::end);
    caller.disableAutoRequest();
    caller.request(1);
    backend.streams().add(this);
    if (who.hasLeader()) {
      lookout =
          timer.scheduleWithFixedDelay(
              this::lookForLeader, LOOKOUT_MILLIS, LOOKOUT_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** Whoever asked for it would rather go elsewhere than wait at a member without a leader. */
  private void lookForLeader() {
    try {
      leaderless = backend.hasLeader() ? 0 : leaderless + 1;
    } catch (SteleException e) {
      leaderless++;
    }
    if (leaderless == LEADERLESS_LOOKS) {
      fail(EtcdError.NO_LEADER.exception());
    }
  }

  EtcdBackend backend() {
    return backend;
  }

  ToldEvents told() {
    return told;
  }

  boolean isReady() {
    return caller.isReady();
  }

  StreamObserver<WatchRequest> requests() {
    return new StreamObserver<>() {
      @Override
      public void onNext(WatchRequest request) {
        var _ =
            rightsFor(request)
                .thenRun(() -> handle(request))
                .whenComplete(
                    (_, problem) -> {
                      if (problem != null) {
                        fail(problem);
                      }
                      caller.request(1); // one after the other, also where one waits for the disk
                    });
      }

      @Override
      public void onError(Throwable problem) {
        end();
      }

      @Override
      public void onCompleted() {
        if (end()) {
          synchronized (WatchCall.this) {
            if (!caller.isCancelled()) {
              caller.onCompleted();
            }
          }
        }
      }
    };
  }

  /** What a request looks at is read before. */
  private CompletableFuture<Void> rightsFor(WatchRequest request) {
    try {
      return request.hasCreateRequest() ? access.refresh(backend.metastore()) : NOTHING;
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void handle(WatchRequest request) {
    switch (request.getRequestUnionCase()) {
      case CREATE_REQUEST -> create(request.getCreateRequest());
      case CANCEL_REQUEST -> cancel(request.getCancelRequest().getWatchId());
      case PROGRESS_REQUEST -> requestProgress();
      case REQUESTUNION_NOT_SET -> {}
    }
  }

  // ---- watches begin

  private void create(WatchCreateRequest request) {
    KeyRange range =
        Ranges.of(
            request.getKey().isEmpty() ? ByteString.copyFrom(new byte[1]) : request.getKey(),
            request.getRangeEnd());
    if (range.isEmpty()) {
      refuse(EMPTY_RANGE);
      return;
    }
    Grant grant = access.of(who);
    try {
      grant.checkRead(range);
    } catch (StatusRuntimeException e) {
      refuse(EtcdError.PERMISSION_DENIED.reason());
      return;
    }
    long id;
    EtcdWatch watch;
    synchronized (this) {
      if (ended) {
        return;
      }
      if (request.getWatchId() != 0 && watches.containsKey(request.getWatchId())) {
        refuse(DUPLICATE);
        return;
      }
      id = request.getWatchId() != 0 ? request.getWatchId() : freeId();
      watch = new EtcdWatch(this, id, request);
      watches.put(id, watch);
    }
    if (request.getStartRevision() < 0) {
      watch.started(0);
      watch.compacted(backend.metastore().status().compacted());
      return;
    }
    try {
      watch.begin(
          backend
              .metastore()
              .watch(
                  grant.principal(),
                  new io.stele.metastore.watch.WatchRequest(
                      range, request.getStartRevision(), request.getPrevKv()),
                  watch));
    } catch (DeniedException e) {
      forget(id);
      refuse(EtcdError.PERMISSION_DENIED.reason());
      return;
    }
    if (request.getProgressNotify()) {
      watch.tellProgress(timer, progress);
    }
  }

  private long freeId() {
    while (watches.containsKey(nextId)) {
      nextId++;
    }
    return nextId++;
  }

  /** A watch that cannot be: it begins and ends in one. */
  private void refuse(String reason) {
    send(
        WatchResponse.newBuilder()
            .setHeader(backend.header())
            .setWatchId(NO_WATCH)
            .setCreated(true)
            .setCanceled(true)
            .setCancelReason(reason)
            .build());
  }

  // ---- watches end

  private void cancel(long id) {
    EtcdWatch watch;
    synchronized (this) {
      watch = watches.remove(id);
    }
    if (watch == null) {
      return;
    }
    watch.close();
    send(
        WatchResponse.newBuilder()
            .setHeader(backend.header())
            .setWatchId(id)
            .setCanceled(true)
            .build());
    progressEnded(id);
  }

  /** A watch has ended by itself. */
  void forget(long id) {
    synchronized (this) {
      watches.remove(id);
    }
    progressEnded(id);
  }

  /** The metastore cannot go on with a watch: then neither can the stream. */
  void fail(Throwable problem) {
    if (end()) {
      synchronized (this) {
        if (!caller.isCancelled()) {
          caller.onError(EtcdErrors.of(problem));
        }
      }
    }
  }

  @Override
  public void stop() {
    fail(EtcdError.STOPPED.exception());
  }

  /** Returns whether it had not ended before. */
  private boolean end() {
    List<EtcdWatch> left;
    synchronized (this) {
      if (ended) {
        return false;
      }
      ended = true;
      left = List.copyOf(watches.values());
      watches.clear();
    }
    backend.streams().remove(this);
    ScheduledFuture<?> looking = lookout;
    if (looking != null) {
      looking.cancel(false);
    }
    left.forEach(EtcdWatch::close);
    return true;
  }

  private void resume() {
    List<EtcdWatch> all;
    synchronized (this) {
      all = List.copyOf(watches.values());
    }
    all.forEach(EtcdWatch::resume);
  }

  // ---- progress of all watches together

  /** A watch is about to tell of a revision. */
  synchronized void sending(long revision) {
    sent = Math.max(sent, revision);
  }

  /** Answers once, when all watches have told everything up to now. */
  private void requestProgress() {
    List<EtcdWatch> asked;
    synchronized (this) {
      if (!progressAwaited.isEmpty()) {
        progressWanted = true; // after the answer that is being waited for
        return;
      }
      progressRevision = backend.metastore().revision();
      progressReached = Long.MAX_VALUE;
      progressAwaited.addAll(watches.keySet());
      asked = List.copyOf(watches.values());
    }
    if (asked.isEmpty()) {
      tellProgress(NO_WATCH, progressRevision);
    }
    asked.forEach(EtcdWatch::requestProgress);
  }

  /** A watch tells no more. */
  void progressEnded(long id) {
    progressTold(id, Long.MAX_VALUE);
  }

  /**
   * A watch has sent every event up to a revision. A revision older than the one requested answers
   * an earlier request. The progress message covers all watches of the stream: its revision must be
   * at least that of every event sent, and below every event to come; otherwise the watches are
   * queried again.
   */
  void progressTold(long id, long revision) {
    boolean again;
    synchronized (this) {
      if (revision < progressRevision || !progressAwaited.remove(id)) {
        return;
      }
      progressReached = Math.min(progressReached, revision);
      if (!progressAwaited.isEmpty()) {
        return;
      }
      long reached = progressReached == Long.MAX_VALUE ? progressRevision : progressReached;
      boolean tellable = reached >= sent;
      if (tellable) {
        tellProgress(NO_WATCH, reached);
      }
      again = !tellable || progressWanted;
      progressWanted = progressWanted && !tellable;
    }
    if (again) {
      requestProgress();
    }
  }

  void tellProgress(long id, long revision) {
    send(WatchResponse.newBuilder().setHeader(backend.header(revision)).setWatchId(id).build());
  }

  synchronized void send(WatchResponse response) {
    if (!ended && !caller.isCancelled()) {
      caller.onNext(response);
    }
  }
}
