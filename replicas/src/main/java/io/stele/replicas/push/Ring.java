package io.stele.replicas.push;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The newest changes of a replica, by sequence and without holes, for those who are not far behind.
 *
 * <pre>
 *   sequences    … 41 42 | 43 44 45 46 47 |  .  49
 *                gone    | begin       end|  ↑ taken, not yet here: 49 waits for it
 * </pre>
 *
 * Changes get their sequences one by one, but may come here in another order, as their writers are
 * not made to wait for each other. All rings of a server share a budget: one that exceeds it lets
 * go of its own oldest changes. Any number of threads; the lock is held for moments.
 */
final class Ring {
  /** What all rings of a server hold. */
  static final class Budget {
    private final long limit;
    private final AtomicLong bytes = new AtomicLong();

    Budget(long limit) {
      this.limit = limit;
    }

    boolean exceeded() {
      return bytes.get() > limit;
    }

    long bytes() {
      return bytes.get();
    }
  }

  private final Budget budget;
  private @Nullable Change[] changes =
      new @Nullable Change[64]; // the one with sequence s is at s modulo length
  private long begin; // of the oldest that is here
  private long end; // all before it are or were here
  private long top; // behind the newest that is here

  /** A ring behind what is in the files. */
  Ring(Budget budget, long sequence) {
    this.budget = budget;
    this.begin = sequence + 1;
    this.end = begin;
    this.top = begin;
  }

  /** Takes a change; returns whether there is too much now. */
  synchronized boolean add(Change change) {
    long sequence = change.sequence();
    if (sequence < begin) {
      return budget.exceeded(); // let go of before it came
    }
    while (sequence - begin >= changes.length) {
      grow();
    }
    changes[slot(sequence)] = change;
    budget.bytes.addAndGet(change.bytes());
    top = Math.max(top, sequence + 1);
    while (end < top && changes[slot(end)] != null) {
      end++;
    }
    return budget.exceeded();
  }

  private int slot(long sequence) {
    return (int) (sequence & (changes.length - 1));
  }

  private void grow() {
    @Nullable Change[] wider = new @Nullable Change[changes.length * 2];
    for (long sequence = begin; sequence < top; sequence++) {
      wider[(int) (sequence & (wider.length - 1))] = changes[slot(sequence)];
    }
    changes = wider;
  }

  /** The change of a sequence below {@link #end}; none if it was let go of. */
  synchronized Optional<Change> get(long sequence) {
    return sequence < begin || sequence >= end
        ? Optional.empty()
        : Optional.ofNullable(changes[slot(sequence)]);
  }

  /** Behind the newest change before which there is no hole. */
  synchronized long end() {
    return end;
  }

  /** Lets go of what everybody has. */
  synchronized void trim(long upTo) {
    while (begin <= upTo && begin < end) {
      removeFirst();
    }
  }

  /** Lets go of the oldest while all rings hold too much. */
  synchronized void shed() {
    while (begin < end && budget.exceeded()) {
      removeFirst();
    }
  }

  /** Lets go of everything. */
  synchronized void close() {
    end = top;
    while (begin < top) {
      removeFirst();
    }
  }

  private void removeFirst() {
    Change change = changes[slot(begin)];
    if (change != null) {
      changes[slot(begin)] = null;
      budget.bytes.addAndGet(-change.bytes());
    }
    begin++;
  }
}
