package io.stele.engine;

import static io.stele.engine.TestCells.COLUMN;
import static io.stele.engine.TestCells.FAMILY;
import static io.stele.engine.TestCells.bytes;
import static io.stele.engine.TestCells.put;
import static io.stele.engine.TestCells.readAll;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.cell.Cell;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.model.Version;
import io.stele.testkit.ManualClock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * "Purge policies ({@code max-history}, {@code max-age}, {@code and}/{@code or}) apply in flush and
 * compaction, and in reads at once." Timestamps here are ages in microseconds at the beginning.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class StorePurgeTest {
  private final MemoryFileStore files = new MemoryFileStore();
  private final ManualClock clock = new ManualClock();
  private final long start = clock.micros();

  private Store open(String policy) {
    return new Store.Builder(files)
        .settings(StoreSettings.DEFAULT.withAutoCompact(false).withPurge(PurgePolicy.parse(policy)))
        .clock(clock)
        .open();
  }

  private void putAges(Store store, long... ages) {
    for (long age : ages) {
      store.apply(put("row", start - age, "v" + age));
    }
  }

  private List<Long> seen(Store store) {
    return readAll(store).stream().map(Version::timestamp).map(this::age).toList();
  }

  private List<Long> stored(Store store) {
    return store.dump().stream().map(Cell::timestamp).map(this::age).toList();
  }

  private long age(long timestamp) {
    return start - timestamp;
  }

  private static List<Long> ages(String text) {
    return text.isEmpty() ? List.of() : LongStream.of(longs(text)).boxed().toList();
  }

  private static long[] longs(String text) {
    return Arrays.stream(text.split(" ")).mapToLong(Long::parseLong).toArray();
  }

  /** Ages 10, 20 … 50 are written; after 5 µs the given ones are left, by each way of looking. */
  @ParameterizedTest
  @CsvSource({
    "none, 10 20 30 40 50",
    "max-history=2, 10 20",
    "max-history=9, 10 20 30 40 50",
    "max-age=35, 10 20 30",
    "max-age=34, 10 20",
    "max-age=0, ''",
    "max-history=2 and max-age=35, 10 20 30",
    "max-history=4 and max-age=15, 10 20 30 40",
    "max-history=2 or max-age=35, 10 20",
    "max-history=4 or max-age=15, 10",
    "max-history=1 or max-history=9 and max-age=35, 10",
  })
  void eachPolicyHoldsInReadsAtOnceAndInFilesAfterFlushAndCompaction(String policy, String left) {
    try (Store store = open(policy)) {
      putAges(store, 30, 10, 50);
      clock.advance(Duration.ofNanos(5_000));
      putAges(store, 20, 40);
      assertThat(seen(store)).as("read from memory").isEqualTo(ages(left));
      assertThat(stored(store)).containsExactly(10L, 20L, 30L, 40L, 50L);
      store.flush();
      assertThat(stored(store)).as("after a flush").isEqualTo(ages(left));
      assertThat(seen(store)).isEqualTo(ages(left));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "max-history=2, 10 20",
    "max-age=35, 10 20 30",
    "max-history=2 and max-age=35, 10 20 30",
    "max-history=2 or max-age=35, 10 20",
  })
  void whatOneFlushCannotKnowOneCompactionPurges(String policy, String left) {
    try (Store store = open(policy)) {
      for (long age : new long[] {50, 20, 40, 10, 30}) {
        putAges(store, age);
        store.flush();
      }
      clock.advance(Duration.ofNanos(5_000));
      assertThat(seen(store)).isEqualTo(ages(left));
      store.compact();
      assertThat(stored(store)).isEqualTo(ages(left));
    }
    try (Store store = open("none")) {
      assertThat(seen(store)).as("they are gone from the file").isEqualTo(ages(left));
    }
  }

  @Test
  void timeAlonePurges() {
    try (Store store = open("max-age=100")) {
      putAges(store, 0, 50);
      store.flush();
      clock.advance(Duration.ofNanos(50_000));
      assertThat(seen(store)).as("exactly as old as allowed").containsExactly(0L, 50L);
      clock.advance(Duration.ofNanos(1_000));
      assertThat(seen(store)).containsExactly(0L);
      assertThat(stored(store)).containsExactly(0L, 50L);
      clock.advance(Duration.ofNanos(50_000));
      assertThat(seen(store)).isEmpty();
      assertThat(store.get(bytes("row"), FAMILY, COLUMN)).isEmpty();
      store.compact();
      assertThat(store.dump()).isEmpty();
    }
  }

  @Test
  void versionsThatASnapshotStillCountsAreKept() {
    try (Store store = open("max-history=2")) {
      putAges(store, 50, 40);
      try (Snapshot snapshot = store.snapshot()) {
        putAges(store, 30, 20, 10);
        store.flush();
        store.compact();
        assertThat(seen(store)).containsExactly(10L, 20L);
        try (Scan scan = store.scan(ReadPredicate.ALL, snapshot)) {
          assertThat(TestCells.rest(scan).stream().map(Version::timestamp).map(this::age))
              .containsExactly(40L, 50L);
        }
      }
      store.compact();
      assertThat(stored(store)).containsExactly(10L, 20L);
    }
  }

  @Test
  void aTimeRangeDoesNotBringBackWhatNewerVersionsPurge() {
    try (Store store = open("max-history=2")) {
      putAges(store, 50);
      store.flush();
      putAges(store, 10, 20);
      store.flush();
      try (Scan scan = store.scan(ReadPredicate.ALL.withTime(Long.MIN_VALUE, start - 30))) {
        assertThat(TestCells.rest(scan)).isEmpty();
      }
    }
  }

  /** The flush of "new" knows that the file before it may have a value at the same time. */
  @Test
  void aValueThatWasOverwrittenDoesNotReturnWhenMoreHistoryIsAllowed() {
    try (Store store = open("max-history=1")) {
      store.apply(put("row", start - 50, "old"));
      store.flush();
      store.apply(put("row", start - 50, "new"));
      store.apply(put("row", start - 10, "newest"));
      store.flush();
      store.apply(TestCells.batch(Cell.eraseCell(bytes("row"), FAMILY, COLUMN, start - 10)));
      assertThat(readAll(store)).extracting(Version::value).doesNotContain(bytes("old"));
    }
    try (Store store = open("none")) {
      assertThat(readAll(store)).extracting(Version::value).doesNotContain(bytes("old"));
    }
  }

  @Test
  void erasedVersionsDoNotCountAsHistory() {
    try (Store store = open("max-history=2")) {
      putAges(store, 10, 20);
      store.apply(TestCells.batch(Cell.eraseColumn(bytes("row"), FAMILY, COLUMN)));
      putAges(store, 40, 50);
      store.flush();
      assertThat(seen(store)).containsExactly(40L, 50L);
      store.compact();
      assertThat(seen(store)).containsExactly(40L, 50L);
    }
  }
}
