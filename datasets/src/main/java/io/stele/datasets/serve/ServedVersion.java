package io.stele.datasets.serve;

import io.stele.base.error.CorruptDataException;
import io.stele.datasets.shard.Shard;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A version as lookups see it: the shards that are here, and who has the others. Its keeper changes
 * it while any number of lookups read it; a lookup that sees an old state asks a node in vain.
 */
final class ServedVersion {
  private static final long COMPARED_FOR = 120_000_000_000L; // nanos

  private final String dataset;
  private final String version;
  private final int shards;
  private final long createdMicros;
  private final AtomicReferenceArray<@Nullable Shard> held;
  private final BiConsumer<Shard, CorruptDataException> damaged;
  private volatile Holders holders;
  private volatile long usedNanos;
  private long comparedNanos; // its keeper's

  /**
   * Without shards as yet.
   *
   * @param damaged called, from any thread, with a shard that a lookup could not read
   */
  ServedVersion(
      String dataset,
      String version,
      int shards,
      long createdMicros,
      long nowNanos,
      BiConsumer<Shard, CorruptDataException> damaged) {
    this.dataset = dataset;
    this.version = version;
    this.shards = shards;
    this.createdMicros = createdMicros;
    this.held = new AtomicReferenceArray<>(shards);
    this.damaged = damaged;
    this.holders = Holders.none(shards);
    this.usedNanos = nowNanos;
    this.comparedNanos = nowNanos;
  }

  String dataset() {
    return dataset;
  }

  String version() {
    return version;
  }

  int shards() {
    return shards;
  }

  long createdMicros() {
    return createdMicros;
  }

  @Nullable Shard held(int shard) {
    return held.get(shard);
  }

  Holders holders() {
    return holders;
  }

  void holders(Holders now) {
    holders = now;
  }

  /** Notes a request. To the second is enough, and spares all cores the fight for one word. */
  void touch(long nowNanos) {
    if (nowNanos - usedNanos > 1_000_000_000L) {
      usedNanos = nowNanos;
    }
  }

  /** When there was last a request, or {@link #keepFrom} was called. */
  long usedNanos() {
    return usedNanos;
  }

  /** Begins the time after which it may go anew. */
  void keepFrom(long nowNanos) {
    usedNanos = nowNanos;
  }

  void add(Shard shard) {
    Shard before = held.getAndSet(shard.number(), shard);
    if (before != null) {
      before.retire();
    }
  }

  /** A lookup could not read a shard. */
  void damaged(Shard shard, CorruptDataException problem) {
    damaged.accept(shard, problem);
  }

  /** Lets go of a shard, unless another one has taken its place. Returns whether it was here. */
  boolean remove(Shard shard) {
    boolean here = held.compareAndSet(shard.number(), shard, null);
    if (here) {
      shard.retire();
    }
    return here;
  }

  /**
   * Has what is read of the shards compared with its checksums again, some time after that was last
   * so: bits can be lost on the disk at any time, and a page that was not used for long may be gone
   * from memory.
   */
  void compareAgain(long nowNanos) {
    if (nowNanos - comparedNanos < COMPARED_FOR) {
      return;
    }
    comparedNanos = nowNanos;
    for (int i = 0; i < shards; i++) {
      Shard shard = held.get(i);
      if (shard != null) {
        shard.forgetCompared();
      }
    }
  }

  /** Lets go of all shards; lookups that are in one of them finish. */
  void retireAll() {
    for (int i = 0; i < shards; i++) {
      Shard shard = held.getAndSet(i, null);
      if (shard != null) {
        shard.retire();
      }
    }
  }

  List<Integer> heldShards() {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < shards; i++) {
      if (held.get(i) != null) {
        numbers.add(i);
      }
    }
    return numbers;
  }

  /** How many nodes have a shard, this one included. */
  int replicas(int shard) {
    return holders.of(shard).size() + (held.get(shard) == null ? 0 : 1);
  }

  /** How many copies there are of all shards together. */
  long copies() {
    long copies = 0;
    for (int i = 0; i < shards; i++) {
      copies += replicas(i);
    }
    return copies;
  }

  boolean complete(int minReplication) {
    for (int i = 0; i < shards; i++) {
      if (replicas(i) < minReplication) {
        return false;
      }
    }
    return true;
  }

  /** How many shards have so many holders. */
  Map<Integer, Integer> histogram() {
    Map<Integer, Integer> histogram = new TreeMap<>();
    for (int i = 0; i < shards; i++) {
      histogram.merge(replicas(i), 1, Integer::sum);
    }
    return histogram;
  }
}
