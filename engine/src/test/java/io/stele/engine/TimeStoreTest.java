package io.stele.engine;

import static io.stele.engine.TestCells.COLUMN;
import static io.stele.engine.TestCells.FAMILY;
import static io.stele.engine.TestCells.batch;
import static io.stele.engine.TestCells.bytes;
import static io.stele.engine.TestCells.cell;
import static io.stele.engine.TestCells.get;
import static io.stele.engine.TestCells.put;
import static io.stele.engine.TestCells.readAll;
import static io.stele.engine.TestCells.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.cell.Cell;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.RowRange;
import io.stele.base.time.RandomSource;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.commitlog.CommitLogSettings;
import io.stele.engine.merge.Resolution;
import io.stele.testkit.ManualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A store that is resolved by time. */
class TimeStoreTest {
  private static final Duration GRACE = Duration.ofHours(1);
  private static final StoreSettings SETTINGS =
      StoreSettings.DEFAULT
          .withResolution(new Resolution.ByTime(GRACE.toMillis() * 1000))
          .withMemory(1 << 20, 4 << 20)
          .withAutoCompact(false)
          .withCommitLog(new CommitLogSettings(1 << 20, 0, 1 << 20, Duration.ofMillis(200)));

  private final ManualClock clock = new ManualClock();
  private MemoryFileStore files = new MemoryFileStore(clock);

  private Store open() {
    return open(SETTINGS);
  }

  private Store open(StoreSettings settings) {
    return new Store.Builder(files)
        .settings(settings)
        .cache(new BlockCache(1 << 20))
        .clock(clock)
        .random(RandomSource.seeded(1))
        .open();
  }

  private static Cell eraseRow(String row, long to) {
    return Cell.eraseRow(bytes(row), Long.MIN_VALUE, to);
  }

  @Test
  void valuesAndScansAgreeOnWhoWinsWhereverTheCellsAre() {
    try (Store store = open()) {
      store.apply(put("a", 5, "m"));
      store.apply(batch(eraseRow("b", 10)));
      store.flush();
      store.apply(put("a", 5, "l"));
      store.apply(put("b", 9, "late"));
      store.apply(put("b", 10, "x"));
      assertThat(get(store, "a")).isEqualTo("m");
      assertThat(get(store, "b")).isEqualTo("x");
      assertThat(texts(readAll(store))).containsExactly("a@5=m", "b@10=x");
      store.flush();
      store.compact();
      assertThat(texts(readAll(store))).containsExactly("a@5=m", "b@10=x");
      assertThat(get(store, "a")).isEqualTo("m");
      store.apply(batch(Cell.eraseCell(bytes("a"), FAMILY, COLUMN, 5)));
      assertThat(get(store, "a")).isEmpty();
    }
  }

  @Test
  void aSnapshotSeesWhatHadComeAcrossRewrites() {
    try (Store store = open()) {
      store.apply(put("a", 5, "m"));
      store.apply(put("b", 5, "x"));
      try (Snapshot snapshot = store.snapshot();
          Snapshot again = store.snapshotAt(snapshot.txn()).orElseThrow()) {
        store.apply(put("a", 5, "z"));
        store.apply(batch(eraseRow("b", 10)));
        store.flush();
        store.compact();
        assertThat(store.get(bytes("a"), FAMILY, COLUMN, snapshot)).contains(bytes("m"));
        assertThat(store.get(bytes("b"), FAMILY, COLUMN, again)).contains(bytes("x"));
        assertThat(texts(readAll(store))).containsExactly("a@5=z");
      }
      assertThat(store.snapshotAt(1)).isEmpty();
      store.compact();
      assertThat(store.dump()).hasSize(2);
    }
  }

  @Test
  void transactionsThatACrashLostAreNotGivenOutAgain() {
    long highest = 0;
    List<String> kept = new ArrayList<>();
    for (int run = 0; run < 6; run++) {
      Store store = open();
      assertThat(store.assignedTxn()).isGreaterThanOrEqualTo(highest);
      assertThat(texts(readAll(store))).containsExactlyElementsOf(kept);
      if (run % 3 != 1) { // else the run writes nothing that lasts
        store.apply(put("row" + run, 1, "x"));
        kept.add("row" + run + "@1=x");
      }
      if (run == 4) {
        store.flush();
      }
      for (int i = 0; i < 10; i++) {
        highest = Math.max(highest, store.apply(put("lost", 1, "x"), false));
      }
      MemoryFileStore left = files.crash(CrashMode.dropUnsynced());
      store.close();
      files = left;
    }
  }

  @Test
  void aLogFileThatIsMissingIsNoticed() throws IOException {
    for (int run = 0; run < 3; run++) {
      try (Store store = open()) {
        store.apply(put("row" + run, 1, "x"));
        store.apply(put("row" + run, 2, "x"));
      }
    }
    List<FileInfo> logs = files.list(FilePath.of("log"));
    assertThat(logs).hasSize(3);
    files.delete(logs.get(1).path());
    assertThatThrownBy(this::open)
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("transaction");
  }

  @Test
  void damagedMarksAreNoticed() throws IOException {
    open().close();
    files.corrupt(FilePath.of("MARKS"), 90);
    assertThatThrownBy(this::open)
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("MARKS");
  }

  @Test
  void erasuresStayForTheGraceTimeAlsoAcrossRestarts() {
    long to = clock.micros() + 1;
    Store store = open();
    store.apply(batch(eraseRow("a", to)));
    store.flush();
    for (int i = 0; i < 5; i++) {
      store.close();
      clock.advance(GRACE.dividedBy(6));
      store = open();
      store.compact();
      assertThat(store.dump()).as("after %d parts", i + 1).hasSize(1);
    }
    clock.advance(GRACE.dividedBy(3));
    store.compact();
    assertThat(store.dump()).isEmpty();
    store.close();
  }

  @Test
  void anErasureThatReachesIntoTheFutureStaysUntilThatIsPast() {
    try (Store store = open()) {
      long to = clock.micros() + 3 * GRACE.toMillis() * 1000;
      store.apply(batch(eraseRow("a", to)));
      store.flush();
      for (int i = 0; i < 4; i++) {
        store.compact();
        assertThat(store.dump()).as("after %d times the grace", i).hasSize(1);
        clock.advance(GRACE);
      }
      store.compact();
      assertThat(store.dump()).isEmpty();
    }
  }

  @Test
  void theGraceTimeCanBeChanged() {
    try (Store store = open()) {
      store.apply(batch(eraseRow("a", clock.micros())));
      store.flush();
      store.compact();
      assertThat(store.dump()).hasSize(1);
      clock.advance(Duration.ofSeconds(1));
      store.configure(SETTINGS.withResolution(new Resolution.ByTime(0)));
      store.compact();
      assertThat(store.dump()).isEmpty();
      assertThatThrownBy(() -> store.configure(SETTINGS.withResolution(Resolution.BY_COMMIT)))
          .isInstanceOf(InvalidRequestException.class);
    }
  }

  @Test
  void storesByCommitDoNotTellWhatChanged() {
    try (Store store = open(SETTINGS.withResolution(Resolution.BY_COMMIT))) {
      assertThatThrownBy(() -> store.stored(RowRange.ALL, 0))
          .isInstanceOf(InvalidRequestException.class);
      assertThatThrownBy(() -> store.hasAll(batch(cell("a", 1, "x"))))
          .isInstanceOf(InvalidRequestException.class);
    }
  }
}
