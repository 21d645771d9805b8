package io.stele.gateway.etcd.watch;

import io.stele.base.error.DeniedException;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.SteleException;
import io.stele.gateway.etcd.call.EtcdError;
import io.stele.metastore.watch.KeyEvent;
import io.stele.metastore.watch.Watch;
import io.stele.metastore.watch.WatchSink;
import io.stele.protocol.etcd.Event;
import io.stele.protocol.etcd.WatchCreateRequest;
import io.stele.protocol.etcd.WatchCreateRequest.FilterType;
import io.stele.protocol.etcd.WatchResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One watch of a stream. The client's pace is the watch's, as on every stream. */
final class EtcdWatch implements WatchSink {
  /** Of a piece of a revision, for clients that take pieces. */
  private static final int FRAGMENT_BYTES = 3 << 19;

  private final WatchCall call;
  private final long id;
  private final boolean puts;
  private final boolean deletions;
  private final boolean fragment;

  // The watch may call before we have been given it. All guarded by this.
  private @Nullable Watch watch;
  private @Nullable ScheduledFuture<?> progress;
  private boolean closed;

  /** Whether the client wants to hear of this watch's own progress next. */
  private volatile boolean ownProgress;

  /** Whether something was told since progress was last due: then that told it. */
  private volatile boolean told;

  EtcdWatch(WatchCall call, long id, WatchCreateRequest request) {
    this.call = call;
    this.id = id;
    this.puts = !request.getFiltersList().contains(FilterType.NOPUT);
    this.deletions = !request.getFiltersList().contains(FilterType.NODELETE);
    this.fragment = request.getFragment();
  }

  void begin(Watch set) {
    synchronized (this) {
      if (!closed) {
        watch = set;
        return;
      }
    }
    set.close();
  }

  void close() {
    Watch set;
    synchronized (this) {
      closed = true;
      set = watch;
      watch = null;
      if (progress != null) {
        progress.cancel(false);
      }
    }
    if (set != null) {
      set.close();
    }
  }

  private @Nullable Watch watch() {
    synchronized (this) {
      return watch;
    }
  }

  void resume() {
    Watch set = watch();
    if (set != null) {
      set.resume();
    }
  }

  void requestProgress() {
    Watch set = watch();
    if (set == null) {
      call.progressEnded(id);
    } else {
      set.requestProgress();
    }
  }

  synchronized void tellProgress(ScheduledExecutorService timer, Duration every) {
    if (!closed) {
      progress =
          timer.scheduleWithFixedDelay(
              this::progressDue, every.toNanos(), every.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private void progressDue() {
    Watch set = watch();
    if (!told && set != null) {
      ownProgress = true;
      set.requestProgress();
    }
    told = false;
  }

  // ---- what the metastore tells

  @Override
  public void started(long revision) {
    call.send(response().setCreated(true).setHeader(call.backend().header()).build());
  }

  @Override
  public boolean isReady() {
    return call.isReady();
  }

  /** As etcd does: a message for each of many revisions would cost more than what it says. */
  @Override
  public boolean joinsPast() {
    return true;
  }

  @Override
  public void events(long revision, List<KeyEvent> events) {
    List<Event> wanted = new ArrayList<>(events.size());
    for (KeyEvent event : events) {
      if (event.deleted() ? deletions : puts) {
        wanted.add(call.told().event(event));
      }
    }
    if (wanted.isEmpty()) {
      return;
    }
    told = true;
    call.sending(revision);
    WatchResponse.Builder response = response().setHeader(call.backend().header(revision));
    if (fragment) {
      sendInPieces(response, wanted);
    } else {
      call.send(response.addAllEvents(wanted).build());
    }
  }

  private void sendInPieces(WatchResponse.Builder response, List<Event> events) {
    int bytes = 0;
    for (Event event : events) {
      int size = event.getSerializedSize() + 8;
      if (bytes > 0 && bytes + size >= FRAGMENT_BYTES) {
        call.send(response.setFragment(true).build());
        response.clearEvents().setFragment(false);
        bytes = 0;
      }
      response.addEvents(event);
      bytes += size;
    }
    call.send(response.build());
  }

  @Override
  public void progress(long revision) {
    if (ownProgress) {
      ownProgress = false;
      call.tellProgress(id, revision);
    }
    call.progressTold(id, revision);
  }

  @Override
  public void compacted(long oldest) {
    call.send(
        response()
            .setHeader(call.backend().header())
            .setCanceled(true)
            .setCompactRevision(oldest)
            .build());
    close();
    call.forget(id);
  }

  @Override
  public void failed(SteleException problem) {
    close();
    switch (problem) {
      case DeniedException _ -> cancel(EtcdError.PERMISSION_DENIED.reason());
      case ExhaustedException much -> cancel("etcdserver: " + much.getMessage());
      default -> call.fail(problem);
    }
  }

  /** It ends alone, and its stream goes on. */
  private void cancel(String reason) {
    call.send(
        response()
            .setHeader(call.backend().header())
            .setCanceled(true)
            .setCancelReason(reason)
            .build());
    call.forget(id);
  }

  private WatchResponse.Builder response() {
    return WatchResponse.newBuilder().setWatchId(id);
  }
}
