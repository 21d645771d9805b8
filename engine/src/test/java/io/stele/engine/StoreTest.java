package io.stele.engine;

import static io.stele.engine.TestCells.batch;
import static io.stele.engine.TestCells.bytes;
import static io.stele.engine.TestCells.cell;
import static io.stele.engine.TestCells.get;
import static io.stele.engine.TestCells.put;
import static io.stele.engine.TestCells.readAll;
import static io.stele.engine.TestCells.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.cache.InMemoryGroups;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.disk.FragmentProperties;
import io.stele.engine.merge.Resolution;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** The store as a library: what a user of it does first, and first does wrong. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class StoreTest {
  private static final Bytes NAME = bytes("name");
  private static final Bytes FIRST = bytes("first");
  private static final Bytes LAST = bytes("last");

  private final MemoryFileStore files = new MemoryFileStore();

  private Store open() {
    return new Store.Builder(files).open();
  }

  private static List<String> names(Path directory, String part) throws Exception {
    try (var found = Files.list(directory.resolve(part))) {
      return found.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void aDirectoryIsOpenedWrittenReadFlushedCompactedAndOpenedAgain(@TempDir Path root)
      throws Exception {
    Path directory = root.resolve("data");
    try (Store store = Store.open(directory)) {
      long txn =
          store.apply(
              new CellBatchBuilder()
                  .put(bytes("user/1"), NAME, FIRST, 10, bytes("Ada"))
                  .put(bytes("user/1"), NAME, LAST, 10, bytes("Lovelace"))
                  .build());
      assertThat(txn).isEqualTo(1);
      assertThat(store.get(bytes("user/1"), NAME, FIRST)).contains(bytes("Ada"));

      store.flush();
      assertThat(names(directory, "fragments")).hasSize(1);
      store.apply(
          new CellBatchBuilder().put(bytes("user/2"), NAME, FIRST, 20, bytes("Grace")).build());
      store.flush();
      assertThat(names(directory, "fragments")).hasSize(2);
      store.compact();
      assertThat(names(directory, "fragments")).hasSize(1);
      store.apply(batch(Cell.eraseColumn(bytes("user/1"), NAME, LAST)));
    }
    try (Store store = Store.open(directory);
        Scan scan = store.scan(ReadPredicate.rows(RowRange.prefix(bytes("user/"))))) {
      assertThat(store.assignedTxn()).isEqualTo(3);
      assertThat(texts(TestCells.rest(scan))).containsExactly("user/1@10=Ada", "user/2@20=Grace");
      assertThat(store.get(bytes("user/1"), NAME, LAST)).isEmpty();
    }
  }

  @Test
  void aDirectoryInUseIsRefusedByNameUntilItIsClosed(@TempDir Path directory) {
    try (Store store = Store.open(directory)) {
      store.apply(put("row", 1, "kept"));
      assertThatThrownBy(() -> Store.open(directory))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining(directory.toString())
          .hasMessageContaining("in use");
      assertThat(get(store, "row")).isEqualTo("kept");
    }
    try (Store store = Store.open(directory)) {
      assertThat(get(store, "row")).isEqualTo("kept");
    }
  }

  @Test
  void aPathThatIsAFileIsRefusedByName(@TempDir Path root) throws Exception {
    Path file = Files.writeString(root.resolve("file"), "not a directory");
    assertThatThrownBy(() -> Store.open(file))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining(file.toString());
    assertThat(file).hasContent("not a directory");
  }

  @Test
  void afterCloseEveryCallSaysThatTheStoreIsClosed() {
    Store store = open();
    store.apply(put("row", 1, "value"));
    Snapshot snapshot = store.snapshot();
    store.close();
    store.close();
    List<Runnable> calls =
        List.of(
            () -> store.apply(put("row", 2, "late")),
            () -> store.apply(put("row", 2, "late"), false),
            () -> get(store, "row"),
            () -> store.get(bytes("row"), TestCells.FAMILY, TestCells.COLUMN, snapshot),
            () -> store.scan(ReadPredicate.ALL),
            () -> store.scan(ReadPredicate.ALL, snapshot),
            store::snapshot,
            store::dump,
            store::flush,
            store::compact,
            () -> store.restrict(Set.of(TestCells.FAMILY)));
    for (int i = 0; i < calls.size(); i++) {
      assertThatThrownBy(calls.get(i)::run)
          .as("call %d", i)
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("is closed");
    }
    snapshot.close();
    try (Store again = open()) {
      assertThat(texts(readAll(again))).containsExactly("row@1=value");
    }
  }

  @Test
  void theWrongWayToWriteIsRefusedAndChangesNothing() {
    try (Store store = open()) {
      store.apply(put("row", 1, "value"));
      assertThatThrownBy(() -> store.applyLogged(put("row", 2, "x"), 7))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("keeps its own log");
      assertThatThrownBy(() -> store.sync(2))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("transaction 2")
          .hasMessageContaining("the newest is 1");
      assertThatThrownBy(() -> CellBatch.parse(bytes("not a batch").toArray()))
          .isInstanceOf(InvalidRequestException.class);
      assertThatThrownBy(() -> new CellBatchBuilder().build())
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("no changes");
      assertThatThrownBy(() -> put("", 1, "no row"))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("row key of 0 bytes");
      assertThatThrownBy(() -> put("row", Long.MAX_VALUE, "no such time"))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("timestamp");
      assertThat(store.assignedTxn()).isEqualTo(1);
      assertThat(texts(readAll(store))).containsExactly("row@1=value");
    }
  }

  @Test
  void aStoreWithoutALogTakesTransactionsFromOutsideInAscendingOrder() {
    StoreSettings settings = StoreSettings.DEFAULT.withLogged(false);
    try (Store store = new Store.Builder(files).settings(settings).open()) {
      store.applyLogged(put("row", 1, "five"), 5);
      store.applyLogged(put("row", 2, "nine"), 9);
      assertThat(store.durableTxn()).isEqualTo(9);
      assertThatThrownBy(() -> store.applyLogged(put("row", 3, "x"), 9))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("transaction 9 behind 9");
      assertThatThrownBy(() -> store.apply(put("row", 3, "x")))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("from outside");
      store.flush();
      store.applyLogged(put("row", 4, "unflushed"), 20);
    }
    try (Store store = new Store.Builder(files).settings(settings).open()) {
      assertThat(store.assignedTxn()).isEqualTo(9);
      assertThat(texts(readAll(store))).containsExactly("row@2=nine", "row@1=five");
    }
  }

  @Test
  void aSnapshotReadsWhatItSawThroughFlushAndCompactionAndNotAfterItsEnd() {
    try (Store store = open()) {
      store.apply(put("row", 1, "old"));
      Snapshot snapshot = store.snapshot();
      assertThat(snapshot.txn()).isEqualTo(1);
      store.apply(put("row", 1, "new"));
      store.flush();
      store.compact();
      assertThat(get(store, "row")).isEqualTo("new");
      assertThat(store.get(bytes("row"), TestCells.FAMILY, TestCells.COLUMN, snapshot))
          .contains(bytes("old"));
      snapshot.close();
      snapshot.close();
      store.compact();
      assertThat(store.dump()).hasSize(1);
      assertThatThrownBy(
              () -> store.get(bytes("row"), TestCells.FAMILY, TestCells.COLUMN, snapshot))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("snapshot at transaction 1 is closed");
      assertThatThrownBy(() -> store.scan(ReadPredicate.ALL, snapshot))
          .isInstanceOf(InvalidRequestException.class);
    }
  }

  @Test
  void aRefusedScanKeepsNoFiles() throws Exception {
    try (Store store = open()) {
      Snapshot closed = store.snapshot();
      closed.close();
      for (int i = 0; i < 2; i++) {
        store.apply(put("row", i, "value"));
        store.flush();
      }
      assertThatThrownBy(() -> store.scan(ReadPredicate.ALL, closed))
          .isInstanceOf(InvalidRequestException.class);
      store.compact();
      assertThat(files.list(Manifest.fragmentPath(1).parent())).hasSize(1);
    }
  }

  @Test
  void aSnapshotOfAnotherStoreIsRefused() {
    try (Store store = open();
        Store other = new Store.Builder(new MemoryFileStore()).open();
        Snapshot foreign = other.snapshot()) {
      assertThatThrownBy(() -> store.scan(ReadPredicate.ALL, foreign))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("another store");
    }
  }

  @Test
  void twoSnapshotsAtOneTransactionEachKeepIt() {
    try (Store store = open()) {
      store.apply(put("row", 1, "old"));
      Snapshot one = store.snapshot();
      Snapshot two = store.snapshot();
      store.apply(put("row", 1, "new"));
      one.close();
      one.close();
      store.flush();
      store.compact();
      assertThat(store.get(bytes("row"), TestCells.FAMILY, TestCells.COLUMN, two))
          .contains(bytes("old"));
      two.close();
    }
  }

  @Test
  void aScanTakesRangesColumnsTimesAndHistory() {
    try (Store store = open()) {
      for (int i = 0; i < 5; i++) {
        store.apply(put("a" + i, i, "a"));
        store.apply(put("b", i, "b" + i));
      }
      store.flush();
      assertThat(texts(scan(store, ReadPredicate.rows(RowRange.row(bytes("b"))).withHistory(2))))
          .containsExactly("b@4=b4", "b@3=b3");
      assertThat(
              texts(
                  scan(
                      store,
                      ReadPredicate.rows(new RowRange(bytes("a1"), bytes("a3"))).withTime(2, 9))))
          .containsExactly("a2@2=a");
      assertThat(scan(store, ReadPredicate.ALL.withColumns(ColumnRange.family(bytes("other")))))
          .isEmpty();
    }
  }

  private static List<io.stele.engine.model.Version> scan(Store store, ReadPredicate predicate) {
    try (Scan scan = store.scan(predicate)) {
      return TestCells.rest(scan);
    }
  }

  @Test
  void anErasedStoreIsCompactedToNoFileAtAll() throws Exception {
    try (Store store = open()) {
      store.apply(put("row", 1, "value"));
      store.flush();
      store.apply(batch(Cell.eraseRow(bytes("row"))));
      store.flush();
      store.compact();
      assertThat(store.dump()).isEmpty();
      assertThat(files.list(Manifest.fragmentPath(1).parent())).isEmpty();
      assertThat(store.flushedTxn()).isEqualTo(2);
      store.flush();
      store.compact();
    }
    try (Store store = open()) {
      assertThat(store.assignedTxn()).isEqualTo(2);
      assertThat(store.apply(put("row", 1, "again"))).isEqualTo(3);
      assertThat(get(store, "row")).isEqualTo("again");
    }
  }

  @Test
  void familiesOutsideOfARestrictionAreHiddenAtOnceAndGoneAfterCompaction() {
    Cell kept = Cell.put(bytes("row"), bytes("kept"), FIRST, 1, bytes("k"));
    Cell moved = Cell.put(bytes("row"), bytes("moved"), FIRST, 1, bytes("m"));
    try (Store store = open()) {
      store.apply(batch(kept, moved));
      store.restrict(Set.of(bytes("kept")));
      assertThat(readAll(store)).hasSize(1);
      assertThat(store.get(bytes("row"), bytes("moved"), FIRST)).isEmpty();
      store.apply(batch(moved));
      assertThat(store.get(bytes("row"), bytes("moved"), FIRST)).contains(bytes("m"));
      store.flush();
    }
    try (Store store = open()) {
      assertThat(readAll(store)).hasSize(2);
      assertThat(fragment(store, 0).families()).contains(bytes("moved"));
      store.compact();
      assertThat(readAll(store)).hasSize(2);
      assertThat(fragment(store, 0).cells()).isEqualTo(2);
    }
  }

  private static FragmentProperties fragment(Store store, int at) {
    return ((DiskFragment) store.chain().links().get(at).fragment()).properties();
  }

  @Test
  void eventsTellOfOpeningFlushesAndCompactions() {
    List<StoreEvent> events = new CopyOnWriteArrayList<>();
    StoreSettings settings = StoreSettings.DEFAULT.withAutoCompact(false);
    try (Store store = new Store.Builder(files).settings(settings).events(events::add).open()) {
      store.apply(put("row", 1, "value"));
      store.flush();
      store.compact();
    }
    assertThat(events).hasSize(3);
    assertThat(events.get(0)).isEqualTo(new StoreEvent.Opened("memory:", 0, 0, 0));
    // A flush is reported when it is done, which may be after whoever waited for it has gone on.
    assertThat(events)
        .filteredOn(StoreEvent.Flushed.class::isInstance)
        .map(StoreEvent.Flushed.class::cast)
        .singleElement()
        .satisfies(
            flushed -> {
              assertThat(flushed.cells()).isEqualTo(1);
              assertThat(flushed.txn()).isEqualTo(1);
            });
    assertThat(events)
        .filteredOn(StoreEvent.Compacted.class::isInstance)
        .map(StoreEvent.Compacted.class::cast)
        .singleElement()
        .satisfies(
            compacted -> {
              assertThat(compacted.kept()).isTrue();
              assertThat(compacted.plan().rooted()).isTrue();
            });
  }

  @Test
  void aListenerThatThrowsDoesNotStopTheStoresUpkeep() {
    try (Store store =
        new Store.Builder(files)
            .events(
                event -> {
                  if (!(event instanceof StoreEvent.Opened)) {
                    throw new IllegalStateException("a listener's fault");
                  }
                })
            .open()) {
      for (int i = 1; i <= 3; i++) {
        store.apply(put("row", i, "v" + i));
        store.flush();
        assertThat(store.flushedTxn()).isEqualTo(i);
      }
      store.compact();
      assertThat(get(store, "row")).isEqualTo("v3");
    }
  }

  @Test
  void theSameBatchMayBeAppliedTwice() {
    CellBatch batch = put("row", 1, "value");
    try (Store store = open()) {
      assertThat(store.apply(batch)).isEqualTo(1);
      assertThat(store.apply(batch)).isEqualTo(2);
      assertThat(store.dump())
          .containsExactly(cell("row", 1, "value").withTxn(2), cell("row", 1, "value").withTxn(1));
    }
  }

  @Test
  void settingsAreCheckedAndChangedOneByOne() {
    assertThatThrownBy(() -> StoreSettings.DEFAULT.withMemory(10, 9))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("memory of 9 bytes for mem fragments of 10");
    assertThatThrownBy(() -> StoreSettings.DEFAULT.withMemory(0, 9))
        .isInstanceOf(InvalidRequestException.class);
    StoreSettings changed =
        StoreSettings.DEFAULT
            .withLogged(false)
            .withMemory(5, 6)
            .withAutoCompact(false)
            .withPurge(PurgePolicy.parse("max-history=3"));
    assertThat(changed)
        .isEqualTo(
            new StoreSettings(
                Resolution.BY_COMMIT,
                false,
                5,
                6,
                false,
                new PurgePolicy.MaxHistory(3),
                InMemoryGroups.NONE,
                StoreSettings.DEFAULT.fragments(),
                StoreSettings.DEFAULT.compaction(),
                StoreSettings.DEFAULT.commitLog()));
  }

  @Test
  void anUnsyncedWriteIsSeenByTheLatestReadAtOnceAndIsDurableAfterSync() {
    try (Store store = open()) {
      long txn = store.apply(put("row", 1, "value"), false);
      assertThat(store.get(bytes("row"), TestCells.FAMILY, TestCells.COLUMN, Store.Read.LATEST))
          .isEqualTo(Optional.of(bytes("value")));
      assertThat(store.sync(txn)).isEqualTo(txn);
      assertThat(store.durableTxn()).isEqualTo(txn);
      assertThat(get(store, "row")).isEqualTo("value");
    }
  }
}
