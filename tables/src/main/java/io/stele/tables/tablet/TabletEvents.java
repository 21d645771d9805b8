package io.stele.tables.tablet;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.predicate.RowRange;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands events of tablets to listeners: one event at a time, with no lock of the table held. A
 * listener may add and remove listeners from inside a callback; that takes effect when the dispatch
 * is over. One that listens to a tablet and to all of them is told once. What a listener throws is
 * reported and goes no further: the change has happened, the other listeners must learn of it, and
 * the caller must still save it.
 */
public final class TabletEvents {
  private record Entry(TabletListener listener, @Nullable Tablet tablet) {}

  @GuardedBy("this")
  private final List<Entry> entries = new ArrayList<>();

  private final ReentrantLock dispatching = new ReentrantLock();

  // What callbacks asked for; by the dispatching thread only.
  private final List<Runnable> changes = new ArrayList<>();
  private final List<Runnable> events = new ArrayList<>();

  private final Consumer<RuntimeException> failures;

  /**
   * Starts without listeners.
   *
   * @param failures takes what listeners throw
   */
  public TabletEvents(Consumer<RuntimeException> failures) {
    this.failures = failures;
  }

  /**
   * Adds a listener; each call is to be balanced by {@link #remove}.
   *
   * @param tablet null for all
   */
  public void add(TabletListener listener, @Nullable Tablet tablet) {
    later(() -> change(new Entry(listener, tablet), true));
  }

  /** Removes a listener that was added with the same tablet. */
  public void remove(TabletListener listener, @Nullable Tablet tablet) {
    later(() -> change(new Entry(listener, tablet), false));
  }

  private void later(Runnable change) {
    if (dispatching.isHeldByCurrentThread()) {
      changes.add(change);
      return;
    }
    change.run();
  }

  private synchronized void change(Entry entry, boolean added) {
    boolean _ = added ? entries.add(entry) : entries.remove(entry);
  }

  /** Tells of a change of a chain; without locks. */
  public void fragmentsChanged(Tablet tablet, int group, int begin, int end) {
    dispatch(tablet, listener -> listener.onFragmentListUpdate(tablet, group, begin, end));
  }

  /** Tells of a change of rows; without locks. */
  public void rowsChanged(Tablet tablet, Optional<RowRange> rows) {
    dispatch(tablet, listener -> listener.onRowRangeUpdate(tablet, rows));
  }

  private void dispatch(Tablet tablet, Consumer<TabletListener> event) {
    if (dispatching.isHeldByCurrentThread()) {
      events.add(() -> dispatch(tablet, event));
      return;
    }
    List<Runnable> caused;
    dispatching.lock();
    try {
      for (TabletListener listener : listeners(tablet)) {
        tell(listener, event);
      }
    } finally {
      changes.forEach(Runnable::run);
      changes.clear();
      caused = List.copyOf(events);
      events.clear();
      dispatching.unlock();
    }
    caused.forEach(Runnable::run);
  }

  private void tell(TabletListener listener, Consumer<TabletListener> event) {
    try {
      event.accept(listener);
    } catch (RuntimeException e) {
      failures.accept(e);
    }
  }

  private Set<TabletListener> listeners(Tablet tablet) {
    Set<TabletListener> found = new LinkedHashSet<>();
    synchronized (this) {
      for (Entry entry : entries) {
        if (entry.tablet == null || entry.tablet == tablet) {
          found.add(entry.listener);
        }
      }
    }
    return found;
  }
}
