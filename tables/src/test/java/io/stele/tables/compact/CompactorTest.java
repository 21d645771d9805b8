package io.stele.tables.compact;

import static io.stele.tables.compact.TestTable.bytes;
import static io.stele.tables.compact.TestTable.eraseRow;
import static io.stele.tables.compact.TestTable.put;
import static io.stele.tables.compact.TestTable.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.cell.Cell;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.StoreCall;
import io.stele.engine.compaction.CompactionSettings;
import io.stele.engine.compaction.FragmentShape;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.tablet.SchemaEdit.Regrouped;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.tablet.ViewHolder.Borrowed;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class CompactorTest {
  private final TestTable t = new TestTable();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Compactor compactor = compactor(CompactSettings.DEFAULT);

  private Compactor compactor(CompactSettings settings) {
    return compactor(settings, () -> false);
  }

  private Compactor compactor(CompactSettings settings, BooleanSupplier diskIsLow) {
    return new Compactor(t.server, t, () -> List.of(t.table), t.warmer::warm, diskIsLow, settings);
  }

  @AfterEach
  void close() {
    compactor.close();
    threads.close();
    t.close();
  }

  private Tablet threeFiles() {
    return t.add(
        "",
        "!",
        t.write(put("a", "1", 1), put("b", "1", 1)),
        t.write(put("b", "2", 2)),
        t.write(put("c", "3", 3)));
  }

  private TableEvent.Compacted lastCompacted() {
    return t.events.stream()
        .filter(TableEvent.Compacted.class::isInstance)
        .map(TableEvent.Compacted.class::cast)
        .reduce((_, last) -> last)
        .orElseThrow();
  }

  @Test
  void allFilesOfATabletBecomeOneAndTheConfigurationIsSaved() {
    Tablet tablet = threeFiles();
    List<FilePath> inputs = t.chain(tablet);
    t.listen();
    compactor.compactAll(t.table);
    assertThat(t.chain(tablet)).hasSize(1).doesNotContainAnyElementsOf(inputs);
    assertThat(t.read(tablet)).containsExactly("a=1", "b=2", "c=3");
    assertThat(t.stored(tablet)).as("superseded cells are gone").hasSize(3);
    assertThat(t.told).containsExactly("files 0 [0, 3)");
    assertThat(t.asyncSaves).containsExactly("(, !]");
    assertThat(t.server.names().pending()).isEmpty();
    for (FilePath input : inputs) {
      assertThat(t.table.graph().uses(input)).isZero();
      assertThat(t.exists(input)).as("deleted only by who knows what META names").isTrue();
    }
    assertThat(t.table.graph().openFiles()).containsExactlyElementsOf(t.chain(tablet));
    assertThat(lastCompacted().kept()).isTrue();
  }

  @Test
  void anOutputIsSoonToBeReferencedUntilTheConfigurationIsSaved() {
    t.asyncOutcome = new CompletableFuture<>();
    Tablet tablet = threeFiles();
    compactor.compactAll(t.table);
    assertThat(t.server.names().pending()).containsExactlyElementsOf(t.chain(tablet));
    t.asyncOutcome.complete(7L);
    assertThat(t.server.names().pending()).isEmpty();
  }

  @Test
  void ofASharedFileATabletTakesItsOwnRowsAndTheLastOneFreesIt() {
    FilePath shared = t.write(put("a", "1", 1), put("m", "2", 1), put("x", "3", 1));
    Tablet lower = t.add("", "k", shared);
    Tablet middle = t.add("k", "p", shared);
    Tablet upper = t.add("p", "!", shared);
    assertThat(t.table.graph().uses(shared)).isEqualTo(3);
    t.beforeNextFile(
        () -> t.beforeNextFile(() -> assertThat(t.table.graph().uses(shared)).isEqualTo(2)));
    compactor.compactAll(t.table);
    assertThat(t.table.graph().uses(shared)).isZero();
    assertThat(t.table.graph().openFiles()).doesNotContain(shared).hasSize(3);
    assertThat(t.stored(lower)).containsExactly(put("a", "1", 1));
    assertThat(t.stored(middle)).containsExactly(put("m", "2", 1));
    assertThat(t.stored(upper)).containsExactly(put("x", "3", 1));
  }

  @Test
  void familiesThatDoNotCountAreLeftOut() {
    FilePath file = t.write(put("a", "f", "1", 1), put("a", "g", "2", 1), eraseRow("b", 1));
    Tablet tablet = t.add("", "!", 0, List.of(FragmentRef.restricted(file, Set.of(bytes("f")))));
    compactor.compactAll(t.table);
    assertThat(t.stored(tablet)).containsExactly(put("a", "f", "1", 1));
    assertThat(t.view(tablet).files().get("default"))
        .allSatisfy(ref -> assertThat(ref.families()).isEmpty());
  }

  @Test
  void aChainOfWhichNothingIsKeptBecomesEmpty() {
    Tablet tablet = t.add("", "!", t.write(put("a", "1", 1)), t.write(eraseRow("a", 2)));
    compactor.compactAll(t.table);
    assertThat(t.chain(tablet)).isEmpty();
    assertThat(t.view(tablet).files()).isEmpty();
    assertThat(t.fileCount()).as("the two inputs").isEqualTo(2);
    assertThat(t.server.names().pending()).isEmpty();
    assertThat(t.asyncSaves).containsExactly("(, !]");
  }

  @Test
  void erasuresStayWhenTheOldestFileIsNotAmongTheInputs() {
    compactor.close();
    Tablet tablet =
        t.add(
            "",
            "!",
            t.write(rows(0, 4_000, 1)),
            t.write(eraseRow("000000", 2), put("000001", "x", 2), put("000002", "x", 2)),
            t.write(put("000003", "x", 3), put("000004", "x", 3)),
            t.write(put("000005", "x", 4), put("000006", "x", 4)),
            t.write(put("000007", "x", 5), put("000008", "x", 5)));
    try (Compactor automatic = compactor(CompactSettings.DEFAULT)) {
      automatic.start();
      automatic.wake();
      await().until(() -> t.chain(tablet).size() == 2);
    }
    assertThat(lastCompacted().reason()).contains("run of 4");
    assertThat(t.stored(tablet)).contains(eraseRow("000000", 2));
    assertThat(t.read(tablet)).hasSize(3_999).doesNotContain("000000=" + "v".repeat(80));
  }

  @Test
  void snapshotsThatAreOpenKeepWhatTheySee() {
    Tablet tablet = threeFiles();
    long txn = t.snapshots.open(() -> 1);
    compactor.compactAll(t.table);
    assertThat(t.stored(tablet)).contains(put("b", "1", 1), put("b", "2", 2));
    t.snapshots.close(txn);
    compactor.compactAll(t.table);
    assertThat(t.stored(tablet)).doesNotContain(put("b", "1", 1));
  }

  @Test
  void aFlushDuringACompactionStaysBehindItsOutput() {
    Tablet tablet = threeFiles();
    FilePath[] flushed = new FilePath[1];
    t.beforeNextFile(() -> flushed[0] = t.flush(put("b", "9", 9)));
    compactor.compactAll(t.table);
    assertThat(t.chain(tablet)).hasSize(2).last().isEqualTo(flushed[0]);
    assertThat(t.read(tablet)).containsExactly("a=1", "b=9", "c=3");
    assertThat(lastCompacted().kept()).isTrue();
  }

  @Test
  void readersOfAnOldViewKeepItsFilesOpenUntilTheyAreDone() {
    Tablet tablet = threeFiles();
    List<FilePath> inputs = t.chain(tablet);
    try (Borrowed borrowed = t.table.borrow()) {
      compactor.compactAll(t.table);
      assertThat(t.table.graph().openFiles()).containsAll(inputs);
      assertThat(t.read(borrowed.view(), borrowed.view().find(tablet).orElseThrow()))
          .containsExactly("a=1", "b=2", "c=3");
    }
    assertThat(t.table.graph().openFiles()).doesNotContainAnyElementsOf(inputs);
  }

  /** A worker was once the last to have a file open, and closed it under those who read it. */
  @Test
  void aFileThatIsOpenedOnTheSideStaysOpenForReaders() {
    Tablet tablet = threeFiles();
    List<FilePath> inputs = t.chain(tablet);
    try (Borrowed borrowed = t.table.borrow()) {
      try (Table.Uses uses = t.table.uses()) {
        inputs.forEach(uses::open);
        compactor.compactAll(t.table);
      }
      assertThat(t.read(borrowed.view(), borrowed.view().find(tablet).orElseThrow()))
          .containsExactly("a=1", "b=2", "c=3");
    }
    assertThat(t.table.graph().openFiles()).doesNotContainAnyElementsOf(inputs);
  }

  @Test
  void theOutputIsDiscardedIfTheSchemaChangedMeanwhile() {
    Tablet tablet = threeFiles();
    List<FilePath> inputs = t.chain(tablet);
    t.onCreate =
        _ ->
            t.table.commit(
                view ->
                    Optional.of(
                        new Regrouped(
                            view.tablets(),
                            TableView.empty(
                                view.schema(), view.origins(), view.schemaVersion() + 1),
                            view.tablets())));
    assertThatThrownBy(() -> compactor.compactAll(t.table))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("changed by others");
    assertThat(t.chain(tablet)).isEqualTo(inputs);
    assertThat(t.fileCount()).isEqualTo(3);
    assertThat(t.server.names().pending()).isEmpty();
    assertThat(t.table.graph().openFiles()).containsExactlyInAnyOrderElementsOf(inputs);
    assertThat(lastCompacted().kept()).isFalse();
  }

  @Test
  void theOutputIsDiscardedIfTheTabletIsLeaving() {
    Tablet tablet = threeFiles();
    List<FilePath> inputs = t.chain(tablet);
    t.beforeNextFile(() -> t.setState(tablet, TabletState.READ_ONLY));
    compactor.compactAll(t.table);
    assertThat(t.chain(tablet)).isEqualTo(inputs);
    assertThat(t.fileCount()).isEqualTo(3);
    assertThat(t.asyncSaves).isEmpty();
  }

  @Test
  void nothingIsPutInPlaceWhilePaused() throws Exception {
    Tablet tablet = threeFiles();
    CountDownLatch begun = new CountDownLatch(1);
    t.beforeNextFile(begun::countDown);
    CompletableFuture<Void> compaction =
        compactor.pausing(
            () -> {
              CompletableFuture<Void> running =
                  CompletableFuture.runAsync(() -> compactor.compactAll(t.table), threads);
              awaitLatch(begun);
              await().until(() -> t.fileCount() == 4); // written, and waiting
              assertThat(t.chain(tablet)).hasSize(3);
              return running;
            });
    compaction.get(30, TimeUnit.SECONDS);
    assertThat(t.chain(tablet)).hasSize(1);
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aTabletThatGoesColdIsWarmedAndOneWithAShortChainIsLeftCold() {
    Tablet longChain =
        t.add(
            "",
            "k",
            t.write(put("a", "1", 1)),
            t.write(put("b", "1", 2)),
            t.write(put("c", "1", 3)),
            t.write(put("d", "1", 4)));
    Tablet shortChain = t.add("k", "!", t.write(put("x", "1", 1)), t.write(put("y", "1", 2)));
    t.clock.advance(Duration.ofMinutes(10));
    t.warmer.cool(t.table, 1);
    assertThat(t.view(longChain).isWarm()).isFalse();
    compactor.start();
    compactor.wake();
    await().until(() -> t.chain(longChain).size() == 1);
    assertThat(t.view(shortChain).isWarm()).isFalse();
    assertThat(t.chain(shortChain)).hasSize(2);
  }

  /** A merged file needs room before those that it replaces go. */
  @Test
  void nothingIsMergedUnaskedWhileTheDiskIsLow() {
    Tablet five = manyFiles("", "!", "a", 5);
    AtomicBoolean low = new AtomicBoolean(true);
    AtomicInteger looks = new AtomicInteger();
    BooleanSupplier disk =
        () -> {
          looks.incrementAndGet();
          return low.get();
        };
    try (Compactor automatic = compactor(CompactSettings.DEFAULT, disk)) {
      automatic.start();
      automatic.wake();
      await().until(() -> looks.get() > 0);
      automatic.wake();
      await().until(() -> looks.get() > 1);
      assertThat(t.chain(five)).hasSize(5);
      low.set(false);
      automatic.wake();
      await().until(() -> t.chain(five).size() == 1);
    }
  }

  /** Its file would take the room that flushes need. */
  @Test
  void aJobIsGivenUpWhenTheDiskRunsLow() {
    FilePath[] files = new FilePath[5];
    for (int i = 0; i < files.length; i++) {
      files[i] = t.write(TestTable.rows(600 * i, 600 * (i + 1), 1 + i));
    }
    Tablet five = t.add("", "!", files);
    AtomicBoolean low = new AtomicBoolean();
    AtomicInteger looks = new AtomicInteger(); // that found it low
    t.beforeNextFile(() -> low.set(true));
    BooleanSupplier disk = () -> low.get() && looks.incrementAndGet() > 0;
    try (Compactor automatic = compactor(CompactSettings.DEFAULT, disk)) {
      automatic.start();
      automatic.wake();
      await().until(() -> looks.get() > 0);
      automatic.wake();
      await().until(() -> looks.get() > 1); // by the job, and by the one that starts jobs
      assertThat(t.chain(five)).containsExactly(files);
      assertThat(t.fileCount()).as("the file is deleted").isEqualTo(5);
      low.set(false);
      automatic.wake();
      await().until(() -> t.chain(five).size() == 1);
    }
  }

  /** On request it is, as that may be the only way to get rid of what was purged or erased. */
  @Test
  void onRequestFilesAreMergedThoughTheDiskIsLow() {
    Tablet five = manyFiles("", "!", "a", 5);
    try (Compactor held = compactor(CompactSettings.DEFAULT, () -> true)) {
      held.compactAll(t.table);
    }
    assertThat(t.chain(five)).hasSize(1);
  }

  @Test
  void theLongestChainComesFirstAndPunyOnesAreLeft() {
    Tablet five = manyFiles("", "h", "a", 5);
    Tablet nine = manyFiles("h", "p", "i", 9);
    Tablet two = manyFiles("p", "!", "q", 2);
    compactor.start();
    compactor.wake();
    await().until(() -> t.chain(five).size() == 1 && t.chain(nine).size() == 1);
    assertThat(t.chain(two)).hasSize(2);
    assertThat(t.events)
        .filteredOn(TableEvent.Compacted.class::isInstance)
        .first()
        .asString()
        .contains("up to row \"p\"");
  }

  private Tablet manyFiles(String first, String last, String row, int count) {
    FilePath[] files = new FilePath[count];
    for (int i = 0; i < count; i++) {
      files[i] = t.write(put(row + i, "v", 1 + i));
    }
    return t.add(first, last, files);
  }

  @Test
  void aFailureIsToldAndOtherTabletsAreStillCompacted() throws IOException {
    Tablet bad = manyFiles("", "h", "a", 9);
    Tablet good = manyFiles("h", "!", "i", 5);
    t.memory.failNth(StoreCall.CREATE, 1, IOException::new);
    compactor.start();
    compactor.wake();
    await().until(() -> t.chain(good).size() == 1);
    assertThat(t.events)
        .filteredOn(TableEvent.BackgroundFailed.class::isInstance)
        .singleElement()
        .asString()
        .contains("compaction of a tablet of table t");
    assertThat(t.chain(bad)).hasSize(9);
    t.clock.advance(Duration.ofSeconds(11));
    compactor.wake();
    await().until(() -> t.chain(bad).size() == 1);
  }

  @Test
  void closingGivesUpAJobAndLeavesNoFile() throws Exception {
    Tablet tablet = t.add("", "!", t.write(rows(0, 5_000, 1)), t.write(rows(0, 5_000, 2)));
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    t.beforeNextFile(
        () -> {
          begun.countDown();
          awaitLatch(goOn);
        });
    CompletableFuture<Void> compaction =
        CompletableFuture.runAsync(() -> compactor.compactAll(t.table), threads);
    awaitLatch(begun);
    CompletableFuture<Void> closing = CompletableFuture.runAsync(compactor::close, threads);
    await().until(compactor::isClosing);
    goOn.countDown();
    closing.get(30, TimeUnit.SECONDS);
    assertThatThrownBy(() -> compaction.get(30, TimeUnit.SECONDS))
        .hasRootCauseInstanceOf(CancellationException.class)
        .hasMessageContaining("the server is being closed");
    assertThat(t.chain(tablet)).hasSize(2);
    assertThat(t.fileCount()).isEqualTo(2);
    assertThat(t.server.names().pending()).isEmpty();
    assertThatThrownBy(() -> compactor.compactAll(t.table))
        .isInstanceOf(UnavailableException.class);
  }

  @Test
  void theShapeOfASharedFileIsTheTabletsPart() {
    Cell[] cells = rows(0, 1_000, 1);
    FilePath shared = t.write(cells);
    Tablet lower = t.add("", "000249", shared);
    Tablet upper = t.add("000249", "!", shared);
    long small = shape(lower).bytes();
    long large = shape(upper).bytes();
    assertThat(small * 3).isBetween((long) (large * 0.9), (long) (large * 1.1));
    assertThat(shape(lower).cells()).isBetween(230L, 270L);
  }

  private FragmentShape shape(Tablet tablet) {
    TabletView view = t.view(tablet);
    return ChainShape.of(view.chains().orElseThrow().getFirst(), view.range()).getFirst();
  }

  @Test
  void settingsThatWouldJoinHalvesAgainAreRefused() {
    assertThatThrownBy(() -> CompactSettings.DEFAULT.withSizes(100, 51))
        .hasMessageContaining("at most half");
    assertThat(CompactSettings.DEFAULT)
        .isEqualTo(
            new CompactSettings(
                CompactionSettings.DEFAULT, 256L << 20, 16L << 20, Duration.ofHours(1), true));
  }
}
