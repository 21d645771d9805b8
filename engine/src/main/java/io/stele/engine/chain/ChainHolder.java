package io.stele.engine.chain;

import io.stele.engine.fragment.Fragment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/**
 * The current chain of a group, and those before it that are still being read. Readers borrow the
 * current chain without locks; writers replace it under the owner's lock; a fragment that no chain
 * in use names any more is handed to the owner to be closed and deleted.
 */
public final class ChainHolder {
  /** A chain that stays as it is, files and all, until it is given back. */
  public static final class Borrowed implements AutoCloseable {
    private final ChainHolder holder;
    private final Generation generation;
    private final int stripe;
    private boolean returned;

    private Borrowed(ChainHolder holder, Generation generation, int stripe) {
      this.holder = holder;
      this.generation = generation;
      this.stripe = stripe;
    }

    public Chain chain() {
      return generation.chain;
    }

    /** True if the chain has not been replaced since. */
    public boolean isCurrent() {
      return holder.isCurrent(this);
    }

    @Override
    public void close() {
      if (!returned) {
        returned = true;
        generation.pins.unpin(stripe);
        // Whoever replaced the chain before this saw it in use, and left it to its last reader.
        if (!holder.isCurrent(this)) {
          holder.collect();
        }
      }
    }
  }

  private static final class Generation {
    final Chain chain;
    final Pins pins = new Pins();

    Generation(Chain chain) {
      this.chain = chain;
    }
  }

  private final Consumer<Fragment> released;
  private volatile Generation current;
  private final List<Generation> old = new ArrayList<>(); // guarded by this

  /** Starts with a chain; {@code released} gets each fragment once, when nothing names it. */
  public ChainHolder(Chain chain, Consumer<Fragment> released) {
    this.current = new Generation(chain);
    this.released = released;
  }

  public Chain current() {
    return current.chain;
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

  /** True if the chain has not been replaced since it was borrowed. */
  public boolean isCurrent(Borrowed borrowed) {
    return borrowed.generation == current;
  }

  /** Makes another chain the current one. */
  public void replace(Chain chain) {
    synchronized (this) {
      old.add(current);
      current = new Generation(chain);
    }
    collect();
  }

  /** Lets go of what readers have finished with since the last time. */
  public void collect() {
    List<Fragment> free = new ArrayList<>();
    synchronized (this) {
      List<Fragment> candidates = new ArrayList<>();
      for (Iterator<Generation> each = old.iterator(); each.hasNext(); ) {
        Generation generation = each.next();
        if (!generation.pins.inUse()) {
          each.remove();
          candidates.addAll(generation.chain.fragments());
        }
      }
      for (Fragment fragment : candidates) {
        if (!isNamed(fragment) && !free.contains(fragment)) {
          free.add(fragment);
        }
      }
    }
    free.forEach(released);
  }

  /** True while a chain other than the current one is being read. */
  public synchronized boolean hasOldReaders() {
    return !old.isEmpty();
  }

  private boolean isNamed(Fragment fragment) {
    if (current.chain.fragments().contains(fragment)) {
      return true;
    }
    for (Generation generation : old) {
      if (generation.chain.fragments().contains(fragment)) {
        return true;
      }
    }
    return false;
  }
}
