package io.stele.client.metastore;

import io.stele.base.error.SteleException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A key's value now, and those that follow, each told to an observer: see {@link
 * MetastoreClient#observe}. If the history that it needs was compacted it goes on with the value of
 * that moment.
 */
public final class Observation implements AutoCloseable {
  private final AsyncMetastoreClient client;
  private final String key;
  private final Consumer<Optional<KeyValue>> observer;
  private @Nullable Watcher watcher; // guarded by this
  private boolean closed; // guarded by this
  private volatile @Nullable SteleException problem;

  Observation(AsyncMetastoreClient client, String key, Consumer<Optional<KeyValue>> observer) {
    this.client = client;
    this.key = key;
    this.observer = observer;
  }

  Observation start() {
    KeyPage now = Await.answer(client.page(Keys.of(key), ReadOptions.DEFAULTS));
    observer.accept(now.keys().stream().findFirst());
    synchronized (this) {
      if (!closed) {
        watcher =
            client.watch(Keys.of(key), WatchOptions.DEFAULTS.from(now.revision() + 1), new Told());
      }
    }
    return this;
  }

  /** Why it ended by itself, if it did. */
  public Optional<SteleException> problem() {
    return Optional.ofNullable(problem);
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (watcher != null) {
      watcher.close();
    }
  }

  private final class Told implements WatchListener {
    @Override
    public void changed(long revision, List<KeyEvent> events) {
      for (KeyEvent event : events) {
        observer.accept(event.deleted() ? Optional.empty() : Optional.of(event.now()));
      }
    }

    @Override
    public void compacted(long oldest) {
      try {
        start();
      } catch (SteleException e) {
        failed(e);
      }
    }

    @Override
    public void failed(SteleException found) {
      problem = found;
    }
  }
}
