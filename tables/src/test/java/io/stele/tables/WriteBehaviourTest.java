package io.stele.tables;

import static io.stele.testkit.table.TableFixture.answer;
import static io.stele.testkit.table.TableFixture.batch;
import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.error.ConflictException;
import io.stele.base.error.ExhaustedException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.StoreCall;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.Tables;
import io.stele.base.table.TabletInfo;
import io.stele.engine.commitlog.CommitLogSettings;
import io.stele.tables.event.TableEvent;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletListener;
import io.stele.tables.write.WriteSettings;
import io.stele.testkit.table.TableFixture;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The way of writes: into memory and the log, and out of both. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class WriteBehaviourTest {
  private static final String KILOBYTE = "x".repeat(1000);

  private MemoryFileStore files = new MemoryFileStore();
  private TestServer opened = TestServer.open(files);

  @AfterEach
  void end() {
    opened.abandon();
  }

  private void reopen(WriteSettings settings) {
    opened.close();
    opened = TestServer.open(files, TestServer.SETTINGS.withWrites(settings));
  }

  private TableFixture create(String name) {
    opened.server.create(name, TableSchema.ofFamilies("f"), List.of());
    return opened.table(name);
  }

  /** "waitForSync: after durable: crash after ack"; "later txns never survive earlier". */
  @Test
  void whatWasWaitedForIsThereAfterACrashAndTheRestIsAPrefix() {
    for (int seed = 0; seed < 12; seed++) {
      MemoryFileStore disk = new MemoryFileStore();
      TestServer server = TestServer.open(disk);
      server.server.create("t", TableSchema.ofFamilies("f"), List.of());
      int acknowledged = -1;
      for (int i = 0; i < 40; i++) {
        boolean wait = i % 9 == seed % 9;
        answer(
            server.server.apply(
                "t", batch(put("r%02d".formatted(i), "f:", 1, KILOBYTE)), Tables.ANY_TXN, wait));
        acknowledged = wait ? i : acknowledged;
      }
      MemoryFileStore after = disk.crash(CrashMode.tornTails(seed, CrashMode.Tail.ZEROS));
      server.abandon();
      try (TestServer again = TestServer.open(after)) {
        List<String> found = again.table("t").all();
        assertThat(found.size()).as("seed %d", seed).isBetween(acknowledged + 1, 40);
        for (int i = 0; i < found.size(); i++) {
          assertThat(found.get(i)).as("no gaps").startsWith("r%02d/".formatted(i));
        }
      }
    }
  }

  /** "sync clipped to last commit." */
  @Test
  void aSyncOfTransactionsToComeEndsWithTheLastThatIsThere() {
    TableFixture table = create("t");
    long txn =
        answer(opened.server.apply("t", batch(put("a", "f:", 1, "lazy")), Tables.ANY_TXN, false));
    assertThat(answer(opened.server.sync(Long.MAX_VALUE))).isGreaterThanOrEqualTo(txn);
    assertThat(table.row("a")).containsExactly("a/f:@1=lazy");
  }

  /** What is loaded elsewhere on the server says nothing about a row of this table. */
  @Test
  void theCreationOfAnotherTableIsNoConflict() {
    TableFixture table = create("t");
    long seen = table.apply(put("a", "f:", 1, "1"));
    create("u");
    answer(opened.server.apply("t", batch(put("b", "f:", 1, "1")), seen, true));
    assertThat(table.row("b")).containsExactly("b/f:@1=1");
  }

  /** "Row txn ≤ max; racing conflict": of those who read the same, one wins. */
  @Test
  void ofRacingChangesOfARowOneWins() {
    TableFixture table = create("t");
    table.apply(put("counter", "f:", 1, "0"));
    int threads = 6;
    int each = 25;
    List<CompletableFuture<Void>> workers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      workers.add(
          CompletableFuture.runAsync(
              () -> {
                for (int n = 0; n < each; n++) {
                  increase();
                }
              },
              Thread.ofPlatform()::start));
    }
    workers.forEach(worker -> assertThat(worker).succeedsWithin(Duration.ofSeconds(40)));
    assertThat(table.row("counter")).containsExactly("counter/f:@1=" + threads * each);
  }

  private void increase() {
    while (true) {
      CellPage page =
          answer(
              opened.server.read(
                  "t",
                  ReadPredicate.rows(RowRange.row(bytes("counter"))),
                  ScanOptions.DEFAULT.withLatest(true),
                  1000));
      int value = Integer.parseInt(TableFixture.cells(page).getFirst().value().toUtf8());
      try {
        answer(
            opened.server.apply(
                "t", batch(put("counter", "f:", 1, "" + (value + 1))), page.txn(), true));
        return;
      } catch (ConflictException e) {
        // Another was faster; what it wrote is read next.
      }
    }
  }

  /** "Two throttles (queue, committed buffer)"; "throttled writer wakes". */
  @Test
  void writersThatFillMemoryWaitForFlushesAndGoOn() {
    CommitLogSettings smallQueue = new CommitLogSettings(1L << 20, 0, 4_000, Duration.ofMillis(20));
    reopen(WriteSettings.DEFAULT.withLog(smallQueue, 1L << 30).withMemory(60_000, 15_000));
    create("t");
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (int w = 0; w < 4; w++) {
      int writer = w;
      writers.add(
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < 100; i++) {
                  opened.table("t").apply(put("w%d-%03d".formatted(writer, i), "f:", 1, KILOBYTE));
                }
              },
              Thread.ofPlatform()::start));
    }
    writers.forEach(writer -> assertThat(writer).succeedsWithin(Duration.ofSeconds(40)));
    assertThat(opened.events(TableEvent.Flushed.class)).hasSizeGreaterThan(4);
    assertThat(opened.table("t").all()).hasSize(400);
  }

  /** A disk that takes no files: writers are told, and go on when it does again. */
  @Test
  void writersAreToldWhenNothingLeavesMemoryAndWakeWhenItDoes() {
    reopen(
        WriteSettings.DEFAULT
            .withLog(TestServer.LOG, 1L << 30)
            .withMemory(40_000, 10_000)
            .withLimits(Duration.ofMillis(200), Duration.ofSeconds(10)));
    TableFixture table = create("t");
    files.failFrom(StoreCall.FINISH, 1, () -> new IOException("no space left"));
    List<String> written = new ArrayList<>();
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 500; i++) {
                String row = "r%03d".formatted(i);
                table.apply(put(row, "f:", 1, KILOBYTE));
                written.add(row);
              }
            })
        .isInstanceOf(ExhaustedException.class);
    assertThat(table.all()).as("readers go on").hasSize(written.size());
    files.clearFailures();
    await()
        .ignoreException(ExhaustedException.class) // not at once
        .untilAsserted(
            () -> table.apply(put("again", "f:", 1, "written when there is room again")));
    assertThat(table.all()).hasSize(written.size() + 1);
  }

  /** "Log reclaim: min in-memory txn of every table > log max; idle table must not pin." */
  @Test
  void anIdleTableDoesNotPinLogs() {
    CommitLogSettings small = new CommitLogSettings(20_000, 0, 1L << 20, Duration.ofMillis(20));
    reopen(WriteSettings.DEFAULT.withLog(small, 60_000));
    TableFixture idle = create("idle");
    create("never");
    TableFixture busy = create("busy");
    idle.apply(put("a", "f:", 1, "one cell, in the first log file"));
    for (int i = 0; i < 300; i++) {
      busy.apply(put("r%03d".formatted(i), "f:", 1, KILOBYTE));
    }
    opened.server.flush("busy");
    await()
        .untilAsserted(
            () -> assertThat(opened.logFiles()).as("of about 15").hasSizeLessThanOrEqualTo(5));
    assertThat(idle.all()).hasSize(1);
    files = files.crash(CrashMode.dropUnsynced());
    opened.abandon();
    opened = TestServer.open(files);
    assertThat(opened.table("idle").all()).hasSize(1);
    assertThat(opened.table("busy").all()).hasSize(300);
  }

  /** "Serialize choice: argmax A·mem+B·log: two tables." */
  @Test
  void theTableWithTheMostIsFlushedFirst() {
    reopen(WriteSettings.DEFAULT.withLog(TestServer.LOG, 1L << 30).withMemory(200_000, 1L << 30));
    TableFixture small = create("small");
    TableFixture large = create("large");
    for (int i = 0; i < 90; i++) {
      large.apply(put("r%03d".formatted(i), "f:", 1, KILOBYTE));
      if (i % 10 == 0) {
        small.apply(put("r%03d".formatted(i), "f:", 1, KILOBYTE));
      }
    }
    await().until(() -> !opened.events(TableEvent.Flushed.class).isEmpty());
    assertThat(opened.events(TableEvent.Flushed.class).getFirst().table()).isEqualTo("large");
    assertThat(small.all()).hasSize(9);
  }

  /**
   * "the one covering the most on-disk log space": with a weight for the log, one cell that holds
   * old log files goes before much memory that holds only new ones.
   */
  @ParameterizedTest
  @CsvSource({"0, recent", "100, old"})
  void theTableThatHoldsTheMostLogIsFlushedFirstIfThatWeighsMore(double weight, String first) {
    CommitLogSettings small = new CommitLogSettings(10_000, 0, 1L << 20, Duration.ofMillis(20));
    WriteSettings known = WriteSettings.DEFAULT;
    reopen(
        new WriteSettings(
            small,
            1L << 30,
            1L << 30,
            120_000, // of log: the flusher begins when that is held
            1.0,
            weight,
            known.diskReserve(),
            known.throttleLimit(),
            known.deferLimit(),
            known.rememberedRows()));
    TableFixture old = create("old");
    TableFixture flushed = create("flushed");
    TableFixture recent = create("recent");
    old.apply(put("a", "f:", 1, "one cell, in the first log file"));
    for (int i = 0; i < 50; i++) {
      flushed.apply(put("r%03d".formatted(i), "f:", 1, KILOBYTE));
    }
    opened.server.flush("flushed"); // its log files stay for the one cell
    for (int i = 0; i < 110; i++) {
      recent.apply(put("r%03d".formatted(i), "f:", 1, KILOBYTE));
    }
    await().until(() -> !flushesOf("old", "recent").isEmpty());
    assertThat(flushesOf("old", "recent").getFirst()).isEqualTo(first);
  }

  private List<String> flushesOf(String... tables) {
    return opened.events(TableEvent.Flushed.class).stream()
        .map(TableEvent.Flushed::table)
        .filter(List.of(tables)::contains)
        .toList();
  }

  /** "Add the new disk fragment to all Tablets that overlap with the output." */
  @Test
  void aFlushedFileIsAddedToTheTabletsThatHaveRowsInIt() {
    List<Bytes> ends = List.of(bytes("d"), bytes("k"), bytes("p"));
    opened.server.create("t", TableSchema.ofFamilies("f"), ends);
    opened.table("t").apply(put("a", "f:", 1, "1"), put("m", "f:", 1, "1"));
    opened.server.flush("t");
    List<List<String>> files =
        opened.server.tablets("t").stream()
            .map(tablet -> tablet.files().stream().map(TabletInfo.FileInfo::path).toList())
            .toList();
    assertThat(files).extracting(List::size).containsExactly(1, 0, 1, 0);
    assertThat(files.get(2)).as("one file").isEqualTo(files.getFirst());
  }

  /** "No throw guarantee": a flush is saved, and its log let go, whatever listeners do. */
  @Test
  void aListenerThatThrowsKeepsNoFlushFromBeingSaved() {
    TableFixture table = create("t");
    opened
        .server
        .machinery()
        .tables()
        .get("t")
        .events()
        .add(
            new TabletListener() {
              @Override
              public void onFragmentListUpdate(Tablet tablet, int group, int begin, int end) {
                throw new IllegalStateException("careless");
              }
            },
            null);
    table.apply(put("a", "f:", 1, "flushed"));
    opened.server.flush("t");
    await()
        .untilAsserted(
            () -> {
              assertThat(opened.server.meta().tablets("t").getFirst().paths()).hasSize(1);
              assertThat(opened.server.machinery().parts().names().pending()).isEmpty();
            });
    assertThat(opened.events(TableEvent.BackgroundFailed.class))
        .singleElement()
        .satisfies(event -> assertThat(event.toString()).contains("listener of table t"));
  }

  /** "No reader sees half of them": neither those who ask for what is not durable yet. */
  @Test
  void whoReadsTheLatestSeesWholeTransactions() {
    TableFixture table = create("t");
    ScanOptions latest = ScanOptions.DEFAULT.withLatest(true);
    int columns = 300;
    Cell[] cells = new Cell[columns + 1];
    cells[0] = Cell.eraseRow(bytes("row"));
    for (int i = 1; i <= columns; i++) {
      cells[i] = put("row", "f:%03d".formatted(i), 1, "v");
    }
    table.apply(cells);
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; i < 100; i++) {
                opened.server.apply("t", batch(cells), Tables.ANY_TXN, false).join();
              }
            },
            Thread.ofPlatform()::start);
    do {
      assertThat(table.read(ReadPredicate.ALL.withHistory(1), latest)).hasSize(columns);
    } while (!writer.isDone());
    writer.join();
  }
}
