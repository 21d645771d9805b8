package io.stele.tables;

import static io.stele.testkit.table.TableFixture.answer;
import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.cells;
import static io.stele.testkit.table.TableFixture.put;
import static io.stele.testkit.table.TableFixture.rest;
import static io.stele.testkit.table.TableFixture.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.cell.Cell;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.tables.tablet.FragmentGraph;
import io.stele.testkit.ManualClock;
import io.stele.testkit.table.TableFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Scans while the table changes under them. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class ScanBehaviourTest {
  private static final int ROWS = 60;

  private final MemoryFileStore files = new MemoryFileStore();
  private TestServer opened = TestServer.open(files);

  @AfterEach
  void end() {
    opened.abandon();
  }

  private TableFixture filled() {
    opened.server.create(
        "t", TableSchema.of(GroupSchema.of("main", "f"), GroupSchema.of("other", "g")), List.of());
    TableFixture table = opened.table("t");
    for (int i = 0; i < ROWS; i++) {
      table.apply(put(row(i), "f:x", 1, "old"), put(row(i), "g:x", 1, "old"));
      if (i % 20 == 10) {
        opened.server.flush("t");
      }
    }
    return table;
  }

  private static String row(int i) {
    return "r%03d".formatted(i);
  }

  private static List<String> expected() {
    List<String> cells = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      cells.add(row(i) + "/f:x@1=old");
      cells.add(row(i) + "/g:x@1=old");
    }
    return cells;
  }

  /** "They drop references to replaced fragments when told and rebuild at the same transaction." */
  @Test
  void aScanSeesOneMomentAcrossFlushCompactionSplitJoinAndSchemaChange() {
    TableFixture table = filled();
    List<Runnable> changes =
        List.of(
            () -> opened.server.flush("t"),
            () -> opened.server.compact("t"),
            () -> opened.server.split("t", bytes(row(30)), bytes(row(30))),
            () -> opened.server.split("t", bytes(row(40)), bytes(row(45))),
            () -> opened.server.compact("t"),
            () -> opened.server.join("t", bytes(row(40))),
            () -> opened.server.alter("t", TableSchema.ofFamilies("f", "g", "h")),
            () -> opened.server.runUpkeep(),
            () -> opened.server.compact("t"),
            () -> opened.server.runUpkeep());
    List<String> seen = new ArrayList<>();
    try (TableScan scan = opened.server.scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT)) {
      CellPage page;
      int pages = 0;
      do {
        page = scan.next(80);
        assertThat(page.txn()).isEqualTo(scan.txn());
        seen.addAll(texts(page));
        if (pages % 3 == 0 && pages / 3 < changes.size()) {
          changes.get(pages / 3).run();
          for (int i = 0; i < ROWS; i += 7) { // rewritten, erased and added all over the table
            table.apply(put(row(i), "f:x", 1, "new " + pages), put(row(i), "f:y", 1, "new"));
            table.apply(Cell.eraseRow(bytes(row(i + 1))));
          }
        }
        pages++;
      } while (page.more());
      assertThat(pages).isGreaterThan(3 * changes.size());
    }
    assertThat(seen).isEqualTo(expected());
    opened.checkFiles("after the scan");
  }

  /** "It should give up its references to them before returning from the notification call." */
  @Test
  void aScanThatIsOpenHoldsNoFileThatWasReplaced() {
    filled();
    opened.server.flush("t");
    try (TableScan scan = opened.server.scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT)) {
      List<String> seen = new ArrayList<>(texts(scan.next(80)));
      FragmentGraph graph = opened.server.machinery().tables().get("t").graph();
      Set<FilePath> before = graph.openFiles();
      opened.server.compact("t");
      assertThat(before).hasSizeGreaterThan(2);
      assertThat(graph.openFiles()).doesNotContainAnyElementsOf(before);
      seen.addAll(rest(scan, 80));
      assertThat(seen).isEqualTo(expected());
    }
  }

  /** "Row rewritten mid-row." */
  @Test
  void aRowThatIsRewrittenBetweenTwoPagesIsSeenAsItWas() {
    TableFixture table = filled();
    try (TableScan scan =
        opened.server.scan(
            "t", ReadPredicate.rows(RowRange.row(bytes(row(5)))), ScanOptions.DEFAULT)) {
      assertThat(texts(scan.next(1))).containsExactly(row(5) + "/f:x@1=old");
      table.apply(put(row(5), "f:x", 1, "new"), put(row(5), "g:x", 1, "new"));
      opened.server.flush("t");
      opened.server.compact("t");
      assertThat(rest(scan, 1)).containsExactly(row(5) + "/g:x@1=old");
    }
    assertThat(table.row(row(5))).containsExactly(row(5) + "/f:x@1=new", row(5) + "/g:x@1=new");
  }

  /** "register for notification of fragments being added": what comes while it runs is seen. */
  @Test
  void aScanOfTheLatestSeesWhatIsAddedAheadOfIt() {
    TableFixture table = filled();
    ScanOptions latest = ScanOptions.DEFAULT.withLatest(true);
    try (TableScan moving = opened.server.scan("t", ReadPredicate.ALL, latest);
        TableScan still = opened.server.scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT)) {
      List<String> seen = new ArrayList<>(texts(moving.next(80)));
      List<String> before = new ArrayList<>(texts(still.next(80)));
      table.apply(put(row(40) + "a", "f:x", 1, "added")); // among rows to come
      table.apply(put("s", "f:x", 1, "added")); // after the last one
      opened.server.flush("t");
      seen.addAll(rest(moving, 80));
      assertThat(seen).contains(row(40) + "a/f:x@1=added").endsWith("s/f:x@1=added");
      assertThat(seen).hasSize(2 * ROWS + 2).containsAll(expected());
      before.addAll(rest(still, 80));
      assertThat(before).isEqualTo(expected());
    }
  }

  /** "Rows are atomic": it moves on between rows, not within one. */
  @Test
  void aScanOfTheLatestSeesARowAtOneMoment() {
    TableFixture table = filled();
    ScanOptions latest = ScanOptions.DEFAULT.withLatest(true);
    RowRange two = new RowRange(bytes(row(5)), bytes(row(7)));
    try (TableScan scan = opened.server.scan("t", ReadPredicate.rows(two), latest)) {
      assertThat(texts(scan.next(1))).containsExactly(row(5) + "/f:x@1=old");
      for (int i = 5; i < 7; i++) {
        table.apply(put(row(i), "f:x", 1, "new"), put(row(i), "g:x", 1, "new"));
      }
      opened.server.flush("t");
      opened.server.compact("t");
      assertThat(rest(scan, 1))
          .containsExactly(row(5) + "/g:x@1=old", row(6) + "/f:x@1=new", row(6) + "/g:x@1=new");
    }
  }

  /** "Scan across unload: TabletNotLoaded." */
  @Test
  void aScanOfATableThatWasUnloadedFailsAndGoesOnElsewhereBehindItsLastCell() {
    filled();
    List<String> seen;
    Cell last;
    try (TableScan scan = opened.server.scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT)) {
      CellPage page = scan.next(200);
      seen = new ArrayList<>(texts(page));
      last = cells(page).getLast();
      opened.server.unloadTable("t");
      assertThatThrownBy(() -> rest(scan, 200)).isInstanceOf(NotServingException.class);
    }
    opened.server.loadTable("t");
    seen.addAll(
        opened
            .table("t")
            .scan(ReadPredicate.ALL, ScanOptions.DEFAULT.withAfter(position(last)), 100));
    assertThat(seen).isEqualTo(expected());
  }

  private static ScanOptions.Position position(Cell cell) {
    return new ScanOptions.Position(cell.row(), cell.family(), cell.qualifier(), cell.timestamp());
  }

  /** "Scanner get/close: LRU, bounded batches; eviction → resume." */
  @Test
  void theScanUsedLongestAgoIsEndedWhenThereAreTooMany() {
    opened.close();
    opened = TestServer.open(files, TestServer.SETTINGS.withScans(2, Duration.ofHours(1)));
    filled();
    TableScan first = opened.server.scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT);
    TableScan second = opened.server.scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT);
    CellPage page = first.next(200); // now the second was used longest ago
    TableScan third = opened.server.scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT);
    assertThatThrownBy(() -> second.next(200))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("\"t\"");
    List<String> seen = new ArrayList<>(texts(page));
    TableScan fourth = opened.server.scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT);
    assertThatThrownBy(() -> first.next(200)).isInstanceOf(NotFoundException.class);
    ScanOptions behind = ScanOptions.DEFAULT.withAfter(position(cells(page).getLast()));
    seen.addAll(opened.table("t").scan(ReadPredicate.ALL, behind, 100));
    assertThat(seen).isEqualTo(expected());
    List.of(first, second, third, fourth).forEach(TableScan::close);
    assertThat(opened.server.machinery().scanners().count()).isZero();
  }

  @Test
  void aScanThatIsLeftAloneIsEndedAndItsTransactionIsNotReadableAnyMore() {
    opened.close();
    ManualClock clock = new ManualClock();
    opened =
        TestServer.open(
            files,
            TestServer.SETTINGS.withScans(10, Duration.ofMinutes(5)),
            builder -> builder.clock(clock));
    filled();
    try (TableScan scan = opened.server.scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT)) {
      clock.advance(Duration.ofMinutes(4));
      opened.server.runUpkeep();
      assertThat(texts(scan.next(1))).hasSize(1);
      clock.advance(Duration.ofMinutes(6));
      opened.server.runUpkeep();
      assertThatThrownBy(() -> scan.next(100)).isInstanceOf(NotFoundException.class);
      assertThatThrownBy(
              () ->
                  opened
                      .table("t")
                      .read(ReadPredicate.ALL, ScanOptions.DEFAULT.withAtTxn(scan.txn())))
          .isInstanceOf(NotFoundException.class)
          .hasMessageContaining("" + scan.txn());
    }
  }

  /** "Scan txn: txn defined even for empty scan: insert-if-absent." */
  @Test
  void theTransactionOfAnEmptyReadServesToInsertIfAbsent() {
    filled();
    CellPage nothing =
        answer(
            opened.server.read(
                "t", ReadPredicate.rows(RowRange.row(bytes("new"))), ScanOptions.DEFAULT, 100));
    assertThat(nothing.cells()).isEmpty();
    assertThat(nothing.txn()).isPositive();
    assertThat(
            answer(
                opened.server.apply(
                    "t", TableFixture.batch(put("new", "f:x", 1, "first")), nothing.txn(), true)))
        .isGreaterThan(nothing.txn());
    assertThat(
            opened.server.apply(
                "t", TableFixture.batch(put("new", "f:x", 1, "second")), nothing.txn(), true))
        .isCompletedExceptionally();
    assertThat(opened.table("t").row("new")).containsExactly("new/f:x@1=first");
  }

  /** Rows whose columns are always written together are never seen to differ. */
  @Test
  void columnsThatAreWrittenTogetherAreSeenTogetherWhateverHappensToTheirFiles() {
    filled();
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Integer> writer =
        CompletableFuture.supplyAsync(
            () -> {
              int n = 0;
              while (!over.get()) {
                n++;
                String value = "v" + n;
                String row = row(n % ROWS);
                opened
                    .server
                    .apply(
                        "t",
                        TableFixture.batch(put(row, "f:x", 1, value), put(row, "g:x", 1, value)),
                        Tables.ANY_TXN,
                        n % 50 == 0)
                    .join();
              }
              return n;
            },
            Thread.ofPlatform()::start);
    try {
      for (int round = 0; round < 12; round++) {
        if (round % 4 == 0) {
          opened.server.flush("t");
        } else if (round % 4 == 2) {
          opened.server.compact("t");
        }
        assertEqual(opened.table("t").scan(ReadPredicate.ALL, ScanOptions.DEFAULT, 300));
        for (int i = 0; i < ROWS; i++) {
          assertEqual(opened.table("t").row(row(i)));
        }
      }
    } finally {
      over.set(true);
    }
    assertThat(writer).succeedsWithin(Duration.ofSeconds(20));
  }

  private static void assertEqual(List<String> cells) {
    assertThat(cells.size() % 2).isZero();
    for (int i = 0; i < cells.size(); i += 2) {
      assertThat(cells.get(i + 1)).isEqualTo(cells.get(i).replace("/f:", "/g:"));
    }
  }
}
