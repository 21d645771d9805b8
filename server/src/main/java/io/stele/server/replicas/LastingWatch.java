package io.stele.server.replicas;

import io.stele.base.error.SteleException;
import io.stele.base.event.Subscription;
import io.stele.client.metastore.KeyEvent;
import io.stele.client.metastore.Keys;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.WatchListener;
import io.stele.client.metastore.Watcher;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A watch that is set again whenever it ends, until it is closed. Since changes in between are not
 * told, whoever listens is called then as well.
 */
final class LastingWatch implements Subscription {
  private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

  private final MetastoreClient metastore;
  private final Keys keys;
  private final Runnable changed;
  private @Nullable Watcher watcher; // guarded by this
  private boolean closed; // guarded by this

  LastingWatch(MetastoreClient metastore, Keys keys, Runnable changed) {
    this.metastore = metastore;
    this.keys = keys;
    this.changed = changed;
  }

  synchronized void start() {
    if (closed) {
      return;
    }
    Watcher begun = metastore.watch(keys, new Listener());
    watcher = begun;
    var _ =
        begun
            .started()
            .thenRunAsync(changed, task -> Thread.ofVirtual().name("stele-watch-set").start(task));
  }

  private void again() {
    var _ =
        Thread.ofVirtual()
            .name("stele-watch-again")
            .start(
                () -> {
                  LockSupport.parkNanos(PAUSE_NANOS);
                  try {
                    start();
                  } catch (SteleException e) {
                    // The client is closed.
                  }
                });
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (watcher != null) {
      watcher.close();
    }
  }

  private final class Listener implements WatchListener {
    @Override
    public void changed(long revision, List<KeyEvent> events) {
      changed.run();
    }

    @Override
    public void compacted(long oldest) {
      again();
    }

    @Override
    public void failed(SteleException problem) {
      again();
    }
  }
}
