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
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.StoreCall;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.cache.InMemoryGroups;
import io.stele.engine.chain.Link;
import io.stele.engine.commitlog.CommitLogSettings;
import io.stele.engine.compaction.CompactionJob;
import io.stele.engine.disk.FragmentSettings;
import io.stele.engine.merge.Older;
import io.stele.engine.merge.SnapshotSet;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules of the design, each in its words, from the outside of a store. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class StoreRulesTest {
  private static final StoreSettings SETTINGS = StoreSettings.DEFAULT.withAutoCompact(false);
  private static final FilePath FRAGMENTS = FilePath.of("fragments");

  private final MemoryFileStore memory = new MemoryFileStore();
  private final HookedFiles files = new HookedFiles(memory);
  private final List<StoreEvent> events = new CopyOnWriteArrayList<>();

  /**
   * A flush reports itself when it is done, which may be later than whoever waits for it goes on.
   */
  private StoreEvent.Compacted lastCompaction() {
    return events.stream()
        .filter(StoreEvent.Compacted.class::isInstance)
        .map(StoreEvent.Compacted.class::cast)
        .reduce((_, later) -> later)
        .orElseThrow();
  }

  private Store open() {
    return new Store.Builder(files).settings(SETTINGS).events(events::add).open();
  }

  private List<FilePath> fragments() throws IOException {
    return memory.list(FRAGMENTS).stream().map(FileInfo::path).toList();
  }

  static Stream<Cell> erasures() {
    Bytes row = bytes("row");
    return Stream.of(
        Cell.eraseCell(row, FAMILY, COLUMN, 5),
        Cell.eraseColumn(row, FAMILY, COLUMN),
        Cell.eraseColumn(row, FAMILY, COLUMN, 5, 6),
        Cell.eraseFamily(row, FAMILY),
        Cell.eraseRow(row));
  }

  /** What may happen between two writes; none of it may show. */
  private enum Upkeep {
    NOTHING,
    FLUSH,
    COMPACT,
    REOPEN
  }

  private Store keep(Store store, Upkeep upkeep) {
    switch (upkeep) {
      case NOTHING -> {}
      case FLUSH -> store.flush();
      case COMPACT -> {
        store.flush();
        store.compact();
      }
      case REOPEN -> {
        store.close();
        return open();
      }
    }
    return store;
  }

  // "An erasure hides what was committed before it (by txn) and never what comes later, whatever
  // the timestamps."

  @ParameterizedTest
  @MethodSource("erasures")
  void anErasureNeverHidesALaterWrite(Cell erasure) {
    for (Upkeep first : Upkeep.values()) {
      for (Upkeep second : Upkeep.values()) {
        String about = erasure + ", " + first + ", " + second;
        Store store = open();
        store.apply(batch(cell("row", 5, "before"), cell("other", 5, "other")));
        store = keep(store, first);
        store.apply(batch(erasure));
        assertThat(texts(readAll(store))).as(about).containsExactly("other@5=other");
        store = keep(store, second);
        store.apply(put("row", 5, "after"));
        assertThat(get(store, "row")).as(about).isEqualTo("after");
        store = keep(store, first);
        assertThat(texts(readAll(store))).as(about).containsExactly("other@5=other", "row@5=after");
        store.close();
      }
    }
  }

  @Test
  void anErasureHidesWhatCameBeforeItWhateverTheTimestamps() {
    long[] times = {Long.MIN_VALUE, -1, 0, 5, Long.MAX_VALUE - 1};
    try (Store store = open()) {
      for (long time : times) {
        store.apply(put("row", time, "old"));
      }
      store.flush();
      store.apply(batch(Cell.eraseColumn(bytes("row"), FAMILY, COLUMN)));
      assertThat(readAll(store)).isEmpty();
      for (long time : times) {
        store.apply(put("row", time, "new"));
      }
      assertThat(readAll(store)).hasSize(times.length);
      store.flush();
      store.compact();
      assertThat(readAll(store))
          .hasSize(times.length)
          .allSatisfy(version -> assertThat(version.value()).isEqualTo(bytes("new")));
    }
  }

  @Test
  void insideABatchTheOrderOfChangesCounts() {
    Cell erasure = Cell.eraseRow(bytes("row"));
    try (Store store = open()) {
      store.apply(batch(cell("row", 1, "a"), erasure, cell("row", 2, "b")));
      assertThat(texts(readAll(store))).containsExactly("row@2=b");
      store.apply(batch(cell("row", 3, "c"), erasure));
      assertThat(readAll(store)).isEmpty();
    }
  }

  // "Only a rooted compaction (it includes the oldest fragment) drops erasures, and only those no
  // open snapshot needs."

  @ParameterizedTest
  @MethodSource("erasures")
  void erasuresAreDroppedOnlyByRootedCompactions(Cell erasure) throws IOException {
    try (Store store = open()) {
      store.apply(put("row", 5, "hidden"));
      store.flush();
      store.apply(batch(erasure));
      store.flush();
      store.apply(put("other", 5, "seen"));
      store.flush();
    }
    compact(1, 3);
    try (Store store = open()) {
      assertThat(store.chain().links()).as("two fragments and memory").hasSize(3);
      assertThat(store.dump())
          .as("the erasure is needed to hide what is in the oldest fragment")
          .contains(erasure.withTxn(2))
          .contains(cell("row", 5, "hidden").withTxn(1));
      assertThat(texts(readAll(store))).containsExactly("other@5=seen");
      store.compact();
      assertThat(store.dump()).containsExactly(cell("other", 5, "seen").withTxn(3));
    }
  }

  @ParameterizedTest
  @MethodSource("erasures")
  void anErasureThatASnapshotDoesNotSeeYetIsKeptForItsSake(Cell erasure) {
    try (Store store = open()) {
      store.apply(put("row", 5, "old"));
      Snapshot before = store.snapshot();
      store.apply(batch(erasure));
      store.flush();
      store.compact();
      assertThat(store.get(bytes("row"), FAMILY, COLUMN, before)).contains(bytes("old"));
      assertThat(get(store, "row")).isEmpty();
      assertThat(store.dump()).contains(erasure.withTxn(2));
      before.close();
      store.compact();
      assertThat(store.dump()).isEmpty();
    }
  }

  /** Merges some fragments of the store on these files, as a background job would. */
  private void compact(int from, int to) throws IOException {
    try (ChainKeeper keeper =
        ChainKeeper.open(files, new BlockCache(1 << 20), InMemoryGroups.NONE)) {
      List<Link> inputs = keeper.holder().current().links().subList(from, to);
      FilePath output = keeper.newFragmentPath();
      job(inputs, output, from == 0).run(() -> false);
      assertThat(keeper.replace(inputs, Optional.of(output), 0)).isTrue();
    }
  }

  private CompactionJob job(List<Link> inputs, FilePath output, boolean rooted) {
    return new CompactionJob(
        files,
        output,
        inputs,
        UnaryOperator.identity(),
        rooted ? Older.NONE : Older.UNKNOWN,
        SnapshotSet.NONE,
        PurgePolicy.NONE,
        FragmentSettings.DEFAULT,
        0,
        1);
  }

  // "A finished output replaces its inputs only if exactly those inputs are still in the chain;
  // else it is discarded."

  @Test
  void aCompactionWhoseInputsWereRestrictedMeanwhileIsDiscarded() throws Exception {
    Cell kept = Cell.put(bytes("row"), bytes("kept"), COLUMN, 1, bytes("k"));
    Cell moved = Cell.put(bytes("row"), bytes("moved"), COLUMN, 1, bytes("m"));
    try (Store store = open()) {
      store.apply(batch(kept, moved));
      store.flush();
      store.apply(put("other", 1, "v"));
      store.flush();
      List<FilePath> before = fragments();
      Gate gate = new Gate(call -> call.is(StoreCall.FINISH, "fragments/"));
      files.hook(gate);
      CompletableFuture<Void> compaction =
          CompletableFuture.runAsync(store::compact, Thread::startVirtualThread);
      gate.awaitCall();
      store.restrict(Set.of(bytes("kept")));
      gate.open();
      assertThat(compaction).succeedsWithin(Duration.ofSeconds(20));

      StoreEvent.Compacted ended = lastCompaction();
      assertThat(ended.kept()).isFalse();
      assertThat(fragments()).as("its output is deleted").isEqualTo(before);
      assertThat(store.get(bytes("row"), bytes("moved"), COLUMN)).isEmpty();
      store.compact();
      assertThat(store.dump()).containsExactly(kept.withTxn(1));
    }
    try (Store store = open()) {
      assertThat(store.dump()).containsExactly(kept.withTxn(1));
    }
  }

  @Test
  void ofTwoCompactionsOfOneFragmentTheLaterIsDiscarded() throws IOException {
    try (Store store = open()) {
      for (int i = 1; i <= 3; i++) {
        store.apply(put("row" + i, 1, "v"));
        store.flush();
      }
    }
    try (ChainKeeper keeper =
        ChainKeeper.open(files, new BlockCache(1 << 20), InMemoryGroups.NONE)) {
      List<Link> links = keeper.holder().current().links();
      FilePath first = keeper.newFragmentPath();
      FilePath second = keeper.newFragmentPath();
      job(links.subList(0, 2), first, true).run(() -> false);
      job(links.subList(1, 3), second, false).run(() -> false);
      assertThat(keeper.replace(links.subList(1, 3), Optional.of(second), 0)).isTrue();
      assertThat(keeper.replace(links.subList(0, 2), Optional.of(first), 0)).isFalse();
      assertThat(fragments()).containsExactly(Manifest.fragmentPath(1), second);
    }
    try (Store store = open()) {
      assertThat(texts(readAll(store))).containsExactly("row1@1=v", "row2@1=v", "row3@1=v");
    }
  }

  @Test
  void aFlushDuringACompactionDoesNotDisturbIt() throws Exception {
    try (Store store = open()) {
      store.apply(put("row", 1, "one"));
      store.flush();
      store.apply(put("row", 1, "two"));
      store.flush();
      Gate gate = new Gate(call -> call.is(StoreCall.FINISH, "fragments/0000000003"));
      files.hook(gate);
      CompletableFuture<Void> compaction =
          CompletableFuture.runAsync(store::compact, Thread::startVirtualThread);
      gate.awaitCall();
      store.apply(batch(Cell.eraseRow(bytes("row"))));
      store.flush();
      store.apply(put("row", 1, "three"));
      gate.open();
      assertThat(compaction).succeedsWithin(Duration.ofSeconds(20));
      assertThat(lastCompaction().kept()).isTrue();
      assertThat(store.dump())
          .extracting(Cell::txn, Cell::kind)
          .containsExactly(
              tuple(3L, CellKind.ERASE_ROW), tuple(4L, CellKind.PUT), tuple(2L, CellKind.PUT));
      assertThat(get(store, "row")).isEqualTo("three");
    }
  }

  @Test
  void aSnapshotOpenedDuringACompactionSeesWhatIsDurableThroughIt() throws Exception {
    try (Store store = open()) {
      store.apply(put("row", 1, "one"));
      store.flush();
      store.apply(put("row", 1, "two"));
      store.flush();
      Gate gate = new Gate(call -> call.is(StoreCall.CREATE, "fragments/0000000003"));
      files.hook(gate);
      CompletableFuture<Void> compaction =
          CompletableFuture.runAsync(store::compact, Thread::startVirtualThread);
      gate.awaitCall();
      try (Snapshot snapshot = store.snapshot()) {
        store.apply(put("row", 1, "three"));
        gate.open();
        assertThat(compaction).succeedsWithin(Duration.ofSeconds(20));
        assertThat(store.get(bytes("row"), FAMILY, COLUMN, snapshot)).contains(bytes("two"));
      }
    }
  }

  // "Readers see only durable data unless they ask for the newest."

  @Test
  void readersSeeOnlyDurableDataUnlessTheyAskForTheNewest() throws Exception {
    try (Store store = open()) {
      store.apply(put("row", 1, "durable"));
      Gate gate = new Gate(call -> call.is(StoreCall.SYNC, "log/"));
      files.hook(gate);
      WaitingCall<Long> writer = WaitingCall.of(() -> store.apply(put("row", 2, "newest")));
      gate.awaitCall();
      assertThat(store.assignedTxn()).isEqualTo(2);
      assertThat(store.durableTxn()).isEqualTo(1);
      assertThat(get(store, "row")).isEqualTo("durable");
      assertThat(texts(readAll(store))).containsExactly("row@1=durable");
      try (Snapshot snapshot = store.snapshot()) {
        assertThat(snapshot.txn()).isEqualTo(1);
        assertThat(store.get(bytes("row"), FAMILY, COLUMN, Store.Read.LATEST))
            .contains(bytes("newest"));
      }
      try (Scan latest = store.scan(ReadPredicate.ALL, Store.Read.LATEST)) {
        assertThat(latest.txn()).isEqualTo(2);
        assertThat(texts(TestCells.rest(latest))).containsExactly("row@2=newest", "row@1=durable");
      }
      writer.assertWaits("not acknowledged before it is durable");

      gate.open();
      assertThat(writer.result()).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(2L);
      assertThat(get(store, "row")).isEqualTo("newest");
    }
  }

  @Test
  void noFileHoldsWhatTheLogCouldStillLose() throws Exception {
    try (Store store = open()) {
      Gate gate = new Gate(call -> call.is(StoreCall.SYNC, "log/"));
      files.hook(gate);
      store.apply(put("row", 1, "v"), false);
      CompletableFuture<Void> flush =
          CompletableFuture.runAsync(store::flush, Thread::startVirtualThread);
      gate.awaitCall();
      assertThat(files.count(StoreCall.CREATE, "fragments/")).isZero();
      gate.open();
      assertThat(flush).succeedsWithin(Duration.ofSeconds(20));
      List<HookedFiles.Call> calls = files.calls();
      assertThat(indexOf(calls, StoreCall.CREATE, "fragments/"))
          .as("the fragment is begun after the log was synced")
          .isGreaterThan(indexOf(calls, StoreCall.SYNC, "log/"));
      assertThat(indexOf(calls, StoreCall.REPLACE, "MANIFEST"))
          .as("the manifest names a file that is durable")
          .isGreaterThan(indexOf(calls, StoreCall.FINISH, "fragments/"));
    }
  }

  @Test
  void theLogGoesOnlyWhenTheManifestNamesTheFileThatReplacesIt() throws Exception {
    try (Store store = open()) {
      store.apply(put("row", 1, "v"));
      Gate gate = new Gate(call -> call.is(StoreCall.REPLACE, "MANIFEST"));
      files.hook(gate);
      CompletableFuture<Void> flush =
          CompletableFuture.runAsync(store::flush, Thread::startVirtualThread);
      gate.awaitCall();
      assertThat(files.count(StoreCall.DELETE, "log/")).isZero();
      assertThat(memory.list(FilePath.of("log"))).hasSize(1);
      gate.open();
      assertThat(flush).succeedsWithin(Duration.ofSeconds(20));
    }
    assertThat(memory.list(FilePath.of("log"))).isEmpty();
  }

  // "A file goes when every table has flushed past its last txn. An idle table must not pin logs."

  @Test
  void anIdleStoreKeepsNoLog() {
    StoreSettings settings =
        SETTINGS.withCommitLog(new CommitLogSettings(200, 64, 1_000, Duration.ofMinutes(1)));
    try (Store store = new Store.Builder(files).settings(settings).open()) {
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 20; i++) {
          store.apply(put("row" + i, round, "value"));
        }
        store.flush();
        await()
            .atMost(Duration.ofSeconds(20))
            .untilAsserted(() -> assertThat(memory.list(FilePath.of("log"))).isEmpty());
      }
    }
  }

  @Test
  void logFilesThatWereFlushedGoWhenTheStoreIsOpened() throws Exception {
    try (Store store = open()) {
      store.apply(put("row", 1, "v"));
      files.hook(
          call -> {
            if (call.kind() == StoreCall.DELETE) {
              throw new IOException("busy");
            }
          });
      store.flush();
    }
    assertThat(memory.list(FilePath.of("log"))).hasSize(1);
    files.hook(_ -> {});
    try (Store store = open()) {
      assertThat(memory.list(FilePath.of("log"))).isEmpty();
      assertThat(get(store, "row")).isEqualTo("v");
    }
  }

  private static int indexOf(List<HookedFiles.Call> calls, StoreCall kind, String path) {
    for (int i = 0; i < calls.size(); i++) {
      if (calls.get(i).is(kind, path)) {
        return i;
      }
    }
    throw new AssertionError("no " + kind + " of " + path + " among " + calls);
  }

  // "A scan is a snapshot: it sees the table as of its start transaction, across flushes,
  // compactions and splits."

  @ParameterizedTest
  @EnumSource(Store.Read.class)
  void aScanIsASnapshotAndKeepsItsFilesUntilItIsClosed(Store.Read read) throws Exception {
    try (Store store = open()) {
      for (int i = 0; i < 10; i++) {
        store.apply(put("row" + i, 1, "old"));
        if (i % 3 == 0) {
          store.flush();
        }
      }
      List<FilePath> before = fragments();
      List<String> expected = texts(readAll(store));
      Scan scan = store.scan(ReadPredicate.ALL, read);
      assertThat(scan.next()).isTrue();

      for (int i = 0; i < 10; i++) {
        store.apply(batch(Cell.eraseRow(bytes("row" + i)), cell("row" + i, 2, "new")));
      }
      store.flush();
      store.compact();
      store.apply(put("row00", 3, "newest"));
      store.flush();
      store.compact();
      assertThat(fragments()).as("files that the scan reads").containsAll(before);
      assertThat(texts(TestCells.rest(scan))).isEqualTo(expected.subList(1, expected.size()));
      assertThat(scan.seek(CellView.beforeRow(bytes("row")))).isTrue();
      assertThat(texts(TestCells.rest(scan))).isEqualTo(expected.subList(1, expected.size()));
      scan.close();
      scan.close();
      assertThat(fragments())
          .as("files after the scan")
          .hasSize(1)
          .doesNotContainAnyElementsOf(before);
      assertThat(readAll(store)).hasSize(11);
    }
  }
}
