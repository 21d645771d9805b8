package io.stele.gateway.nativeapi;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.SteleException;
import io.stele.metastore.watch.KeyEvent;
import io.stele.metastore.watch.Watch;
import io.stele.metastore.watch.WatchSink;
import io.stele.protocol.v1.WatchRequest;
import io.stele.protocol.v1.WatchResponse;
import io.stele.protocol.wire.ErrorMapping;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A watch on its way to a client. The client's pace is the watch's: it is left alone while the
 * connection has more to send than it can, and resumed when that is gone.
 */
final class WatchStream implements WatchSink {
  /** More often would only be load. */
  private static final long LEAST_PROGRESS_MILLIS = 10;

  private final ServerCallStreamObserver<WatchResponse> caller;

  // The watch may call before we have been given it. All guarded by this.
  private @Nullable Watch watch;
  private @Nullable ScheduledFuture<?> progress;
  private boolean ended;

  /** Whether something was told since progress was last due: then that told it. */
  private volatile boolean told;

  private WatchStream(ServerCallStreamObserver<WatchResponse> caller) {
    this.caller = caller;
  }

  static void serve(
      Backend backend,
      WatchRequest request,
      StreamObserver<WatchResponse> observer,
      ScheduledExecutorService timer) {
    WatchStream stream = new WatchStream((ServerCallStreamObserver<WatchResponse>) observer);
    stream.caller.setOnReadyHandler(stream::resume);
    stream.caller.setOnCancelHandler(stream::end);
    try {
      if (request.getProgressMillis() < 0) {
        throw new InvalidRequestException(
            "progress every "
                + request.getProgressMillis()
                + " ms: must be 0 for never, or positive");
      }
      stream.begin(
          backend
              .metastore()
              .watch(CallInfo.current().principal(), FromWire.watch(request), stream));
    } catch (SteleException e) {
      stream.failed(e);
      return;
    }
    if (request.getProgressMillis() > 0) {
      stream.tellProgress(timer, Math.max(LEAST_PROGRESS_MILLIS, request.getProgressMillis()));
    }
  }

  private void begin(Watch set) {
    synchronized (this) {
      if (!ended) {
        watch = set;
        return;
      }
    }
    set.close();
  }

  private synchronized void tellProgress(ScheduledExecutorService timer, long everyMillis) {
    if (!ended) {
      progress =
          timer.scheduleAtFixedRate(
              this::progressDue, everyMillis, everyMillis, TimeUnit.MILLISECONDS);
    }
  }

  private void progressDue() {
    Watch set;
    synchronized (this) {
      set = watch;
    }
    if (!told && set != null) {
      set.requestProgress();
    }
    told = false;
  }

  private void resume() {
    Watch set;
    synchronized (this) {
      set = watch;
    }
    if (set != null) {
      set.resume();
    }
  }

  /** Returns whether it had not ended before. */
  private boolean end() {
    Watch set;
    synchronized (this) {
      if (ended) {
        return false;
      }
      ended = true;
      set = watch;
      watch = null;
      if (progress != null) {
        progress.cancel(false);
      }
    }
    if (set != null) {
      set.close();
    }
    return true;
  }

  private void tell(WatchResponse message) {
    if (!caller.isCancelled()) {
      caller.onNext(message);
    }
  }

  @Override
  public void started(long revision) {
    tell(ToWire.started(revision));
  }

  @Override
  public boolean isReady() {
    return caller.isReady();
  }

  @Override
  public void events(long revision, List<KeyEvent> events) {
    told = true;
    tell(ToWire.events(revision, events));
  }

  @Override
  public void progress(long revision) {
    tell(ToWire.progress(revision));
  }

  @Override
  public void compacted(long oldest) {
    if (end() && !caller.isCancelled()) {
      caller.onNext(ToWire.compacted(oldest));
      caller.onCompleted();
    }
  }

  @Override
  public void failed(SteleException problem) {
    if (end() && !caller.isCancelled()) {
      caller.onError(ErrorMapping.toStatus(problem));
    }
  }
}
