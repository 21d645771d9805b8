package io.stele.metastore.txn;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.time.RandomSource;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The quoted sentences are those of the design that the locks follow. */
class RangeLocksTest {
  private static final int KEYS = 24;

  private final RangeLocks locks = new RangeLocks();

  private static Bytes key(int number) {
    return Bytes.of((byte) number);
  }

  private static KeyRange range(int from, int to) {
    return new KeyRange(key(from), to == KEYS ? null : key(to));
  }

  /** "ref_count: Number of transactions reading from this range." */
  @Test
  void countsWhoReadsARange() {
    locks.hold(range(2, 5));
    assertThat(locks.hold(range(2, 5))).singleElement().returns(2, TransactionRangeLock::refCount);
  }

  /** "[When] this goes to 0 the lock is deleted." */
  @Test
  void isDeletedWithItsLastReader() {
    locks.hold(range(2, 5));
    locks.hold(range(2, 5));
    locks.free(range(2, 5));
    assertThat(locks.size()).isEqualTo(1);
    locks.free(range(2, 5));
    assertThat(locks.size()).isZero();
  }

  /**
   * "All locked ranges are non-overlapping so [...] each of them may end up having more than one
   * lock."
   */
  @Test
  void overlappingRangesAreCut() {
    locks.hold(range(2, 6));
    List<TransactionRangeLock> second = locks.hold(range(4, 9));

    assertThat(second)
        .extracting(TransactionRangeLock::range)
        .containsExactly(range(4, 6), range(6, 9));
    assertThat(locks.all())
        .extracting(TransactionRangeLock::range)
        .containsExactly(range(2, 4), range(4, 6), range(6, 9));
    assertThat(locks.all()).extracting(TransactionRangeLock::refCount).containsExactly(1, 2, 1);
  }

  @Test
  void bothPartsKeepWriterAndRecentWrite() {
    TransactionEntry writer = new TransactionEntry("1:1", 1, 7, "", 0, 0);
    locks.hold(range(2, 8)).forEach(lock -> lock.lockForWriting(writer));
    locks.wrote(key(3), 12);
    locks.hold(range(5, 6));

    assertThat(locks.all()).hasSize(3).allMatch(TransactionRangeLock::writeLock);
    assertThat(locks.all()).extracting(TransactionRangeLock::recentWriteIndex).containsOnly(12L);
  }

  @Test
  void aRangeWithoutAnEndIsHeldToTheEnd() {
    locks.hold(range(20, KEYS));
    locks.wrote(Bytes.utf8("zzz"), 5);
    assertThat(locks.all()).singleElement().returns(5L, TransactionRangeLock::recentWriteIndex);
  }

  @Test
  void anEmptyRangeTakesNoLock() {
    assertThat(locks.hold(range(3, 3))).isEmpty();
    locks.free(range(3, 3));
    assertThat(locks.size()).isZero();
  }

  /** Against a model that keeps everything per key. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void anyIntervalsAgreeWithTheModel(long seed) {
    RandomGenerator random = RandomSource.seeded(seed);
    int[] references = new int[KEYS];
    long[] written = new long[KEYS];
    List<KeyRange> held = new ArrayList<>();
    List<int[]> ends = new ArrayList<>();
    for (int step = 1; step <= 2_000; step++) {
      int from = random.nextInt(KEYS);
      int to = from + random.nextInt(KEYS - from + 1);
      switch (random.nextInt(3)) {
        case 0 -> {
          locks.hold(range(from, to));
          held.add(range(from, to));
          ends.add(new int[] {from, to});
          change(references, written, from, to, 1);
        }
        case 1 -> {
          if (!held.isEmpty()) {
            int victim = random.nextInt(held.size());
            locks.free(held.remove(victim));
            int[] end = ends.remove(victim);
            change(references, written, end[0], end[1], -1);
          }
        }
        default -> {
          locks.wrote(key(from), step);
          check(step, seed, references, written, from, true);
        }
      }
      for (int k = 0; k < KEYS; k++) {
        check(step, seed, references, written, k, false);
      }
      assertNoOverlap();
    }
    held.forEach(locks::free);
    assertThat(locks.size()).as("left over, seed %d", seed).isZero();
  }

  private static void change(int[] references, long[] written, int from, int to, int by) {
    for (int k = from; k < to; k++) {
      references[k] += by;
      if (references[k] == 0) {
        written[k] = 0;
      }
    }
  }

  /** A recent write covers the lock's whole range, so the model's is a lower bound. */
  private void check(
      int step, long seed, int[] references, long[] written, int k, boolean justWritten) {
    List<TransactionRangeLock> found = locks.overlapping(range(k, k + 1));
    assertThat(found.stream().mapToInt(TransactionRangeLock::refCount).sum())
        .as("references of key %d, step %d, seed %d", k, step, seed)
        .isEqualTo(references[k]);
    if (found.isEmpty()) {
      return;
    }
    if (justWritten) {
      written[k] = step;
    }
    assertThat(found.getFirst().recentWriteIndex())
        .as("recent write of key %d, step %d, seed %d", k, step, seed)
        .isGreaterThanOrEqualTo(written[k]);
  }

  private void assertNoOverlap() {
    TransactionRangeLock before = null;
    for (TransactionRangeLock lock : locks.all()) {
      assertThat(lock.range().isEmpty()).isFalse();
      if (before != null) {
        assertThat(before.range().overlaps(lock.range())).isFalse();
      }
      before = lock;
    }
  }
}
