package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellView;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.engine.compaction.CompactionSettings;
import io.stele.engine.merge.History;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A store with a history: what is at or above the floor reads as if nothing were ever dropped,
 * whatever was flushed, merged, pinned or lost in a crash; and what is below it leaves the disk.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class HistoryStoreTest {
  private static final Bytes VERSIONS = Bytes.utf8("v");
  private static final Bytes NOTES = Bytes.utf8("n");
  private static final Bytes OTHERS = Bytes.utf8("o");
  private static final Bytes FLOOR = Bytes.utf8("floor");
  private static final int KEYS = 7;

  /** Versions without a value are deletions; the row of a note ends with its change. */
  private static final History HISTORY =
      new History() {
        @Override
        public Part part(CellView put) {
          return switch ((char) put.familyArray[put.familyOffset]) {
            case 'n' -> Part.NOTE;
            case 'v' -> put.valueLength == 0 ? Part.DELETION : Part.NEXT;
            default -> Part.NONE;
          };
        }

        @Override
        public long change(CellView put) {
          return put.family().equals(NOTES)
              ? Long.parseLong(put.row().toUtf8().substring(1))
              : put.timestamp;
        }
      };

  private final MemoryFileStore files = new MemoryFileStore();
  private final List<StoreEvent> events = new CopyOnWriteArrayList<>();

  private Store open(StoreSettings settings, Clock clock) {
    return new Store.Builder(files)
        .settings(settings.withLogged(false))
        .history(HISTORY)
        .clock(clock)
        .events(events::add)
        .open();
  }

  private static Bytes key(long number) {
    return Bytes.utf8("key" + number);
  }

  private static CellBatchBuilder note(long change) {
    return new CellBatchBuilder()
        .put(Bytes.utf8("n" + change), NOTES, Bytes.EMPTY, 0, Bytes.utf8("note"));
  }

  // ---- reads

  /** The changes so far, by number: of each the value, empty for a deletion, or a new floor. */
  private record Change(long key, Bytes value, long floor) {}

  private final List<Change> changes = new ArrayList<>();

  private static CellBatch batch(long change, Change what) {
    if (what.floor > 0) {
      Bytes floor = new ByteBuilder(10).putVarint(what.floor).toBytes();
      return new CellBatchBuilder().put(FLOOR, OTHERS, Bytes.EMPTY, 0, floor).build();
    }
    return note(change).put(key(what.key), VERSIONS, Bytes.EMPTY, change, what.value).build();
  }

  private static void apply(Store store, long change, Change what) {
    store.applyLogged(batch(change, what), change);
    if (what.floor > 0) {
      store.raiseFloor(what.floor, change);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whatIsAtOrAboveTheFloorIsThereWhateverWasDone(long seed) {
    RandomGenerator random = RandomSource.seeded(seed);
    StoreSettings settings =
        StoreSettings.DEFAULT
            .withMemory(2_000 << random.nextInt(4), 1 << 20)
            .withCompaction(
                CompactionSettings.DEFAULT
                    .withWidths(2, 5)
                    .withGarbagePercent(1 + random.nextInt(60)));
    Store store = open(settings, Clock.system());
    Snapshot held = store.snapshot();
    try {
      for (int change = 1; change <= 1_500; change++) {
        Change what = random(random, change, floor(changes.size()));
        changes.add(what);
        apply(store, change, what);
        switch (random.nextInt(120)) {
          case 0, 1 -> store.flush();
          case 2 -> store.compact();
          case 3, 4 -> {
            held.close();
            held = store.snapshot();
          }
          case 5, 6 -> check(store, held, "seed " + seed + " held at " + held.txn());
          case 7 -> {
            store.close();
            store = open(settings, Clock.system());
            replay(store, "seed " + seed);
            held = store.snapshot();
          }
          default -> {}
        }
        if (change % 50 == 0) {
          try (Snapshot now = store.snapshot()) {
            check(store, now, "seed " + seed + " after change " + change);
          }
        }
      }
      held.close();
      store.flush();
      store.compact();
      checkDropped(store, seed);
    } finally {
      store.close();
    }
  }

  private static Change random(RandomGenerator random, long change, long floor) {
    if (change > 20 && random.nextInt(25) == 0) {
      long raised = floor + random.nextLong(change - floor);
      if (raised > floor) {
        return new Change(0, Bytes.EMPTY, raised);
      }
    }
    Bytes value = random.nextInt(4) == 0 ? Bytes.EMPTY : Bytes.utf8("value " + change);
    return new Change(random.nextInt(KEYS), value, 0);
  }

  /** What was in memory is lost: the floor may be as it was before, and so must be what is read. */
  private void replay(Store store, String where) {
    long flushed = store.flushedTxn();
    if (flushed > 0) {
      store.raiseFloor(floor(flushed), flushed);
      try (Snapshot now = store.snapshot()) {
        check(store, now, where + " opened at " + flushed);
      }
    }
    for (long change = flushed + 1; change <= changes.size(); change++) {
      apply(store, change, changes.get((int) change - 1));
    }
  }

  private long floor(long upTo) {
    return changes.stream().limit(upTo).mapToLong(Change::floor).max().orElse(0);
  }

  private void check(Store store, Snapshot at, String where) {
    long floor = floor(at.txn());
    for (long change : List.of(floor, (floor + at.txn()) / 2, at.txn())) {
      for (int key = 0; key < KEYS; key++) {
        assertThat(read(store, at, key(key), change))
            .as("%s: key %d at change %d, floor %d", where, key, change, floor)
            .isEqualTo(expected(key, change));
      }
    }
    for (long change = floor + 1; change <= at.txn(); change++) {
      assertThat(store.get(Bytes.utf8("n" + change), NOTES, Bytes.EMPTY, at).isPresent())
          .as("%s: note of change %d", where, change)
          .isEqualTo(changes.get((int) change - 1).floor == 0);
    }
  }

  private static Bytes read(Store store, Snapshot at, Bytes key, long change) {
    ReadPredicate newest =
        ReadPredicate.rows(RowRange.row(key))
            .withColumns(ColumnRange.family(VERSIONS))
            .withTime(Long.MIN_VALUE, change + 1)
            .withHistory(1);
    try (Scan scan = store.scan(newest, at)) {
      return scan.next() ? scan.cell().value() : Bytes.EMPTY;
    }
  }

  private Bytes expected(int key, long change) {
    for (int i = (int) change - 1; i >= 0; i--) {
      Change what = changes.get(i);
      if (what.floor == 0 && what.key == key) {
        return what.value;
      }
    }
    return Bytes.EMPTY;
  }

  private void checkDropped(Store store, long seed) {
    long floor = floor(changes.size());
    List<Bytes> below = new ArrayList<>();
    for (Cell cell : store.dump()) {
      assertThat(cell.family().equals(NOTES) && HISTORY.change(cell.view()) <= floor)
          .as("seed %d: %s is below the floor of %d", seed, cell, floor)
          .isFalse();
      if (cell.family().equals(VERSIONS) && cell.timestamp() <= floor) {
        assertThat(cell.value().isEmpty()).as("seed %d: %s", seed, cell).isFalse();
        below.add(cell.row());
      }
    }
    assertThat(below).as("one version of a key at most, seed %d", seed).doesNotHaveDuplicates();
  }

  // ---- space

  private static final StoreSettings SMALL = StoreSettings.DEFAULT.withMemory(100_000, 1 << 20);

  private static void fill(Store store, int from, int count, int keys) {
    Bytes value = Bytes.wrap(new byte[200]);
    for (int change = from; change < from + count; change++) {
      Bytes key = key(1_000_000 + change % keys);
      store.applyLogged(
          note(change).put(key, VERSIONS, Bytes.EMPTY, change, value).build(), change);
    }
  }

  private static long diskBytes(Store store) {
    return store.chain().fragments().stream().mapToLong(fragment -> fragment.bytes()).sum();
  }

  @Test
  void aRaisedFloorGivesBackSpaceWithoutAnyCall() {
    try (Store store = open(SMALL, Clock.system())) {
      fill(store, 1, 6_000, 500);
      store.flush();
      store.compact();
      long before = diskBytes(store);
      fill(store, 6_001, 1, 500); // the floor's transaction is in memory
      store.raiseFloor(6_000, 6_001);
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(diskBytes(store)).isLessThan(before / 8));
      assertThat(store.dump().stream().filter(cell -> cell.family().equals(VERSIONS)).count())
          .isBetween(500L, 501L);
    }
  }

  @Test
  void aFloorThatASnapshotHoldsBackCountsOnceItIsClosed() {
    try (Store store = open(SMALL, Clock.system())) {
      fill(store, 1, 6_000, 500);
      Snapshot snapshot = store.snapshot();
      fill(store, 6_001, 1, 500);
      store.raiseFloor(6_000, 6_001);
      store.flush();
      store.compact();
      long before = diskBytes(store);
      assertThat(store.dump()).hasSize(12_002);
      snapshot.close();
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(diskBytes(store)).isLessThan(before / 8));
    }
  }

  /** Written by a program that knew of no history, so nothing was counted. */
  @Test
  void filesOfAnOlderProgramGiveBackSpaceToo() {
    try (Store store = new Store.Builder(files).settings(SMALL.withLogged(false)).open()) {
      fill(store, 1, 6_000, 500);
      store.flush();
      store.compact();
    }
    try (Store store = open(SMALL, Clock.system())) {
      long before = diskBytes(store);
      store.raiseFloor(6_000, 6_000);
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(diskBytes(store)).isLessThan(before / 8));
    }
  }

  /** A clock by which every look at it takes a tenth of a second: so rests are long. */
  private static Clock slow() {
    AtomicLong now = new AtomicLong();
    return new Clock() {
      @Override
      public long micros() {
        return now.get() / 1_000;
      }

      @Override
      public long nanos() {
        return now.addAndGet(100_000_000);
      }
    };
  }

  private List<StoreEvent.Compacted> compacted() {
    return events.stream()
        .filter(StoreEvent.Compacted.class::isInstance)
        .map(StoreEvent.Compacted.class::cast)
        .toList();
  }

  /** It would rest for a minute: others must not wait for that. */
  @Test
  void aRewriteForSpaceLetsOtherMergesGoFirstAndHurriesWhenItIsWaitedFor() {
    try (Store store = open(SMALL, slow())) {
      fill(store, 1, 80_000, 40_000);
      store.flush();
      store.compact();
      events.clear();
      store.raiseFloor(80_000, 80_000);
      await("the output of the rewrite")
          .atMost(Duration.ofSeconds(60))
          .until(() -> files.list(FilePath.of("fragments")).size() == 2);
      for (int i = 0; i < 4; i++) {
        fill(store, 80_001 + i * 100, 100, 40_000);
        store.flush();
      }
      await().atMost(Duration.ofSeconds(60)).until(() -> !compacted().isEmpty());
      assertThat(compacted().getFirst().plan().reason()).startsWith("a run of ");
      long asked = System.nanoTime();
      store.compact();
      assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(30));
      assertThat(compacted()).anyMatch(one -> one.plan().reason().contains("garbage"));
    }
  }
}
