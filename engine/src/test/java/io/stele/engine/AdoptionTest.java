package io.stele.engine;

import static io.stele.engine.TestCells.batch;
import static io.stele.engine.TestCells.bytes;
import static io.stele.engine.TestCells.get;
import static io.stele.engine.TestCells.put;
import static io.stele.engine.TestCells.readAll;
import static io.stele.engine.TestCells.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.cell.Cell;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.RowRange;
import io.stele.base.time.RandomSource;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.merge.Resolution;
import io.stele.testkit.ManualClock;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store takes over cells of another. */
class AdoptionTest {
  private static final StoreSettings SETTINGS =
      StoreSettings.DEFAULT
          .withResolution(new Resolution.ByTime(3_600_000_000L))
          .withMemory(1 << 20, 4 << 20)
          .withAutoCompact(false);
  private static final RowRange UP_TO_B = new RowRange(bytes(""), bytes("c"));

  private final ManualClock clock = new ManualClock();
  private final MemoryFileStore otherFiles = new MemoryFileStore(clock);
  private MemoryFileStore files = new MemoryFileStore(clock);
  private final Store other = open(otherFiles, 0);

  @AfterEach
  void stop() {
    other.close();
  }

  private Store open(MemoryFileStore directory, long behind) {
    return new Store.Builder(directory)
        .settings(SETTINGS)
        .cache(new BlockCache(1 << 20))
        .clock(clock)
        .random(RandomSource.seeded(1))
        .startBehind(behind)
        .open();
  }

  private static long adopt(Store store, Store other, long upTo) {
    try (StoredScan cells = other.stored(UP_TO_B, 0, upTo)) {
      return store.adopt(cells, () -> false);
    }
  }

  /** Some cells in files and some in memory, of rows that are adopted and of one that is not. */
  private long fillOther() {
    other.apply(put("a", 1, "one"));
    other.apply(put("c", 1, "not"));
    other.flush();
    other.apply(batch(Cell.eraseRow(bytes("b"), Long.MIN_VALUE, 10)));
    return other.apply(put("b", 11, "two"));
  }

  private static List<Long> txns(Store store) {
    return store.dump().stream().map(Cell::txn).sorted().toList();
  }

  @Test
  void cellsKeepTheirTransactionsAndGoBelowWhatCameMeanwhile() {
    long upTo = fillOther();
    try (Store store = open(files, upTo)) {
      assertThat(store.assignedTxn()).isEqualTo(upTo);
      long first = store.apply(put("a", 2, "new"));
      assertThat(first).isEqualTo(upTo + 1);
      store.apply(put("b", 5, "erased"));
      store.flush();
      other.apply(put("a", 3, "after it"));
      assertThat(adopt(store, other, upTo)).isEqualTo(3);
      assertThat(texts(readAll(store))).containsExactly("a@2=new", "a@1=one", "b@11=two");
      assertThat(txns(store)).containsExactly(1L, 3L, 4L, first, first + 1);
      try (StoredScan since = store.stored(RowRange.ALL, upTo)) {
        assertThat(since.next()).isTrue();
        assertThat(since.cell().txn).isEqualTo(first);
      }
      store.compact();
      assertThat(texts(readAll(store))).containsExactly("a@2=new", "a@1=one", "b@11=two");
    }
  }

  @Test
  void theyAreThereAfterACrashAndSoIsWhatWasWrittenBefore() {
    long upTo = fillOther();
    Store store = open(files, upTo);
    store.apply(put("b", 12, "three"));
    adopt(store, other, upTo);
    store.apply(put("a", 2, "new"));
    files = files.crash(CrashMode.dropUnsynced());
    store.close();
    try (Store again = open(files, upTo)) {
      assertThat(texts(readAll(again)))
          .containsExactly("a@2=new", "a@1=one", "b@12=three", "b@11=two");
      assertThat(again.assignedTxn()).isGreaterThan(upTo);
    }
  }

  @Test
  void twiceIsAsOnce() {
    long upTo = fillOther();
    try (Store store = open(files, upTo)) {
      adopt(store, other, upTo);
      adopt(store, other, upTo);
      assertThat(texts(readAll(store))).containsExactly("a@1=one", "b@11=two");
      store.compact();
      assertThat(store.dump()).hasSize(3);
      assertThat(get(store, "b")).isEqualTo("two");
    }
  }

  @Test
  void oneThatIsStoppedLeavesNothing() throws IOException {
    for (int i = 0; i < 2_000; i++) {
      other.apply(put("a" + i, 1, "x"), false);
    }
    long upTo = other.sync(other.assignedTxn());
    try (Store store = open(files, upTo);
        StoredScan cells = other.stored(UP_TO_B, 0, upTo)) {
      assertThatThrownBy(() -> store.adopt(cells, () -> true))
          .isInstanceOf(CancellationException.class);
      assertThat(readAll(store)).isEmpty();
      assertThat(files.list(FilePath.of("fragments"))).isEmpty();
    }
  }

  @Test
  void noRowsAreNoFile() throws IOException {
    long upTo = other.apply(put("z", 1, "x"));
    try (Store store = open(files, upTo)) {
      assertThat(adopt(store, other, upTo)).isZero();
      assertThat(files.list(FilePath.of("fragments"))).isEmpty();
    }
  }

  @Test
  void aStoreThatBeganBeforeThemRefuses() {
    long upTo = fillOther();
    try (Store store = open(files, 1)) {
      assertThatThrownBy(() -> adopt(store, other, upTo))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("up to transaction 4")
          .hasMessageContaining("at 1");
    }
  }
}
