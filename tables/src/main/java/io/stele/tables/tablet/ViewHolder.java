package io.stele.tables.tablet;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.engine.chain.Pins;
import io.stele.engine.disk.DiskFragment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * The current view of a table, and those before it that are still being read. Readers borrow the
 * current view without locks; it is replaced under the server's commit lock. A fragment that the
 * current view no longer names is handed on to be closed when no older view is in use either.
 */
public final class ViewHolder {
  /** A view that stays as it is, open files and all, until it is given back. */
  public static final class Borrowed implements AutoCloseable {
    private final ViewHolder holder;
    private final Generation generation;
    private final int stripe;
    private boolean returned;

    private Borrowed(ViewHolder holder, Generation generation, int stripe) {
      this.holder = holder;
      this.generation = generation;
      this.stripe = stripe;
    }

    public TableView view() {
      return generation.view;
    }

    /** True if the view has not been replaced since. */
    public boolean isCurrent() {
      return holder.current == generation;
    }

    @Override
    public void close() {
      if (!returned) {
        returned = true;
        generation.pins.unpin(stripe);
        if (!isCurrent()) {
          holder.collect();
        }
      }
    }
  }

  private static final class Generation {
    final TableView view;
    final long number;
    final Pins pins = new Pins();

    Generation(TableView view, long number) {
      this.view = view;
      this.number = number;
    }
  }

  /** A fragment that generations up to this one may still be reading. */
  private record Retired(DiskFragment fragment, long upTo) {}

  private final Consumer<DiskFragment> closer;
  private volatile Generation current;

  @GuardedBy("this")
  private final Deque<Generation> old = new ArrayDeque<>();

  @GuardedBy("this")
  private final List<Retired> retired = new ArrayList<>();

  /** Starts with a view; {@code closer} gets each fragment once, when nothing reads it. */
  public ViewHolder(TableView view, Consumer<DiskFragment> closer) {
    this.current = new Generation(view, 1);
    this.closer = closer;
  }

  public TableView current() {
    return current.view;
  }

  public Borrowed borrow() {
    while (true) {
      Generation generation = current;
      int stripe = generation.pins.pin();
      if (generation == current) {
        return new Borrowed(this, generation, stripe);
      }
      generation.pins.unpin(stripe);
      collect(); // this pin, too, may have kept the replacer from it
    }
  }

  /** Makes another view the current one. */
  synchronized void replace(TableView next) {
    old.addLast(current);
    current = new Generation(next, current.number + 1);
  }

  /**
   * Fragments that views before the current one may name, but not the current one and none after
   * it. They are closed by {@link #collect} when nobody reads those views.
   */
  synchronized void retire(List<DiskFragment> dropped) {
    dropped.forEach(fragment -> retired.add(new Retired(fragment, current.number - 1)));
  }

  /** Closes what readers have finished with since the last time. */
  void collect() {
    List<DiskFragment> free = new ArrayList<>();
    synchronized (this) {
      old.removeIf(generation -> !generation.pins.inUse());
      long oldest = old.isEmpty() ? Long.MAX_VALUE : old.getFirst().number;
      retired.removeIf(each -> each.upTo < oldest && free.add(each.fragment));
    }
    free.forEach(closer);
  }
}
