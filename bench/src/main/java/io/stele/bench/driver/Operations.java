package io.stele.bench.driver;

import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** What one thread does, one after the other: the same for the same seed and thread. */
final class Operations {
  static final int MOST_SCANNED = 100;

  private final Workload workload;
  private final Zipfian popularity; // this thread's own
  private final Inserts inserts;
  private final int thread;
  private final RandomGenerator chance;

  Operations(Workload workload, Zipfian popularity, Inserts inserts, int thread, long seed) {
    this.workload = workload;
    this.popularity = popularity.copy();
    this.inserts = inserts;
    this.thread = thread;
    this.chance = chance(seed, thread);
  }

  static SplittableRandom chance(long seed, int thread) {
    return new SplittableRandom(Records.hash(seed * 1_000 + thread));
  }

  /** The next; the number of an insert is to be given back to {@link Inserts#end}. */
  Operation next() {
    Operation.Kind kind = workload.kind(chance.nextInt(100));
    if (kind == Operation.Kind.INSERT) {
      return new Operation(kind, inserts.begin(thread), 0, 0);
    }
    long record = record();
    if (kind == Operation.Kind.SCAN) {
      return new Operation(kind, record, 0, 1 + chance.nextInt(MOST_SCANNED));
    }
    int field = kind == Operation.Kind.READ ? 0 : chance.nextInt(Records.FIELDS);
    return new Operation(kind, record, field, 0);
  }

  private long record() {
    if (workload.newestFirst()) {
      long there = inserts.there();
      popularity.grow(there);
      // What another thread has begun meanwhile may have lowered it again.
      return Math.max(0, there - 1 - popularity.next(chance));
    }
    // Scattered: the popular records are no neighbours.
    return Math.floorMod(Records.hash(popularity.next(chance)), popularity.ranks());
  }

  RandomGenerator chance() {
    return chance;
  }
}
