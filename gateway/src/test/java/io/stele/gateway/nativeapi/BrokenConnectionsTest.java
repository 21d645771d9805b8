package io.stele.gateway.nativeapi;

import static io.stele.testkit.table.TableFixture.answer;
import static io.stele.testkit.table.TableFixture.batch;
import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;
import static io.stele.testkit.table.TableFixture.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CellPage;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.CheckOutcome;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.client.Stele;
import io.stele.client.table.Row;
import io.stele.client.table.RowScan;
import io.stele.testkit.table.MemoryTables;
import io.stele.testkit.table.TableFixture;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What a client does when connections break, answers are lost, servers stop or send it away. */
@Execution(ExecutionMode.CONCURRENT)
class BrokenConnectionsTest {
  private final MemoryTables served = new MemoryTables();
  private final Channels channels = new Channels();
  private NativeServer server = NativeServer.listen("127.0.0.1", 0, channels);
  private final TcpProxy proxy = new TcpProxy(server.port());
  private final Stele stele =
      Stele.builder().endpoints(proxy.address()).timeout(Duration.ofSeconds(5)).connect();
  private final TableFixture table = new TableFixture(stele.rows(), "t");

  @BeforeEach
  void serve() {
    server.serve(served, served);
    served.create("t", TableSchema.ofFamilies("f"), List.of());
    table.apply(put("a", "f:x", 1, "1"));
  }

  @AfterEach
  void close() throws IOException {
    served.onCall(operation -> {});
    stele.close();
    proxy.close();
    server.close();
    channels.close();
  }

  /** Carries out the next operation, and loses its answer with the connection. */
  private AtomicInteger loseAnswerOf(String operation) {
    AtomicInteger calls = new AtomicInteger();
    served.onCall(
        called -> {
          if (called.equals(operation) && calls.incrementAndGet() == 1) {
            proxy.mute();
            long before = served.lastTxn();
            Thread.ofVirtual()
                .start(
                    () -> {
                      if (!operation.equals("read")) {
                        await().until(() -> served.lastTxn() > before);
                      }
                      proxy.cut();
                    });
          }
        });
    return calls;
  }

  @Test
  void aReadIsMadeAgain() {
    AtomicInteger reads = loseAnswerOf("read");
    assertThat(table.row("a")).containsExactly("a/f:x@1=1");
    assertThat(reads).hasValue(2);
  }

  @Test
  void aPutWithATimeOfItsOwnIsMadeAgain() {
    AtomicInteger writes = loseAnswerOf("apply");
    table.apply(put("b", "f:x", 7, "1"));
    assertThat(writes).hasValue(2);
    assertThat(table.row("b")).containsExactly("b/f:x@7=1");
  }

  @Test
  void aPutWithTheServersTimeIsNot() {
    AtomicInteger writes = loseAnswerOf("apply");
    assertThatThrownBy(() -> table.apply(put("b", "f:x", Cell.SERVER_TIME, "1")))
        .isInstanceOf(OutcomeUnknownException.class);
    assertThat(writes).hasValue(1);
    assertThat(table.row("b")).hasSizeLessThanOrEqualTo(1);
  }

  @Test
  void anErasureOrAChangeAsOfATransactionIsNot() {
    AtomicInteger writes = loseAnswerOf("apply");
    assertThatThrownBy(() -> table.apply(Cell.eraseRow(bytes("a"))))
        .isInstanceOf(OutcomeUnknownException.class);
    assertThat(writes).hasValue(1);
    AtomicInteger atMost = loseAnswerOf("apply");
    CellBatch change = batch(put("a", "f:x", 2, "2"));
    assertThatThrownBy(() -> answer(stele.rows().apply("t", change, served.lastTxn(), true)))
        .isInstanceOf(OutcomeUnknownException.class);
    assertThat(atMost).hasValue(1);
  }

  @Test
  void aConditionalChangeIsMadeAgainAndTakesEffectOnce() {
    AtomicInteger checks = loseAnswerOf("checkAndMutate");
    CheckAndMutate create =
        new CheckAndMutate(
            bytes("new"),
            ReadPredicate.ALL,
            Optional.empty(),
            Optional.empty(),
            Optional.of(batch(put("new", "f:x", Cell.SERVER_TIME, "3"))));
    CheckOutcome outcome = answer(stele.rows().checkAndMutate("t", create));
    assertThat(checks).hasValue(2);
    assertThat(outcome.met()).as("as the first time, when there was no such row").isFalse();
    assertThat(table.row("new")).hasSize(1);
  }

  @Test
  void anIncrementIsMadeAgainAndTakesEffectOnce() {
    AtomicInteger changes = loseAnswerOf("readModifyWrite");
    assertThat(stele.table("t").increment("n", "f", "q", 5)).isEqualTo(5);
    assertThat(changes).hasValue(2);
    assertThat(stele.table("t").increment("n", "f", "q", 5)).isEqualTo(10);
  }

  @Test
  void aPutThatIsMadeAgainDoesNotUndoADeletion() {
    AtomicInteger writes = new AtomicInteger();
    served.onCall(
        called -> {
          if (called.equals("apply") && writes.incrementAndGet() == 2) {
            // The first attempt was made; another client has deleted the row since.
            served.onCall(operation -> {});
            answer(served.apply("t", batch(Cell.eraseRow(bytes("b"))), Tables.ANY_TXN, true));
          } else if (writes.get() == 1) {
            proxy.mute();
            Thread.ofVirtual()
                .start(
                    () -> {
                      await().until(() -> served.lastTxn() > 1);
                      proxy.cut();
                    });
          }
        });
    table.apply(put("b", "f:x", 7, "1"));
    assertThat(table.row("b")).isEmpty();
  }

  /** Fails an operation a few times before it is carried out. */
  private AtomicInteger refuse(String operation, int times, SteleException answer) {
    AtomicInteger calls = new AtomicInteger();
    served.onCall(
        called -> {
          if (called.equals(operation) && calls.incrementAndGet() <= times) {
            throw answer;
          }
        });
    return calls;
  }

  @Test
  void whatWasCertainlyNotDoneIsDoneAgain() {
    for (SteleException answer :
        List.of(
            new UnavailableException("deferred too long"),
            new NotServingException("loading"),
            new ExhaustedException("slow down"))) {
      AtomicInteger calls = refuse("apply", 2, answer);
      table.apply(put("b", "f:x", Cell.SERVER_TIME, "1"));
      assertThat(calls).as(answer.toString()).hasValue(3);
    }
  }

  @Test
  void whatIsRefusedUntilTheTimeIsOverFailsAsItWasRefused() {
    try (Stele impatient =
        Stele.builder().endpoints(proxy.address()).timeout(Duration.ofMillis(600)).connect()) {
      TableFixture hurried = new TableFixture(impatient.rows(), "t");
      for (SteleException answer :
          List.of(
              new UnavailableException("deferred too long"),
              new NotServingException("loading"),
              new ExhaustedException("slow down"))) {
        refuse("apply", Integer.MAX_VALUE, answer);
        // The time may also be over while an attempt is under way: then it fails in another way.
        await(answer.toString())
            .untilAsserted(
                () ->
                    assertThatThrownBy(() -> hurried.apply(put("b", "f:x", 1, "1")))
                        .isInstanceOf(answer.getClass())
                        .hasMessageContaining(answer.getMessage())
                        .hasMessageContaining("attempts"));
      }
    }
  }

  @Test
  void onlyRowsThatFailedAreSentAgain() {
    AtomicInteger rows = refuse("applyRows.row", 3, new NotServingException("loading"));
    List<CellBatch> batches = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      batches.add(batch(put("r" + i, "f:x", Cell.SERVER_TIME, "1")));
    }
    assertThat(answer(stele.rows().applyRows("t", batches)))
        .hasSize(10)
        .allSatisfy(outcome -> assertThat(outcome.failure()).isEmpty());
    assertThat(rows).hasValue(13);
  }

  @Test
  void aHintIsFollowedAndKept() {
    MemoryTables elsewhere = new MemoryTables();
    elsewhere.create("t", TableSchema.ofFamilies("f"), List.of());
    try (NativeServer other = NativeServer.listen("127.0.0.1", 0, channels)) {
      other.serve(elsewhere, elsewhere);
      AtomicInteger asked = new AtomicInteger();
      served.onCall(
          operation -> {
            asked.incrementAndGet();
            throw new NotServingException("moved", other.address());
          });
      table.apply(put("b", "f:x", Cell.SERVER_TIME, "1"));
      assertThat(table.row("b")).hasSize(1);
      assertThat(table.all()).hasSize(1);
      assertThat(asked).hasValue(1);
    }
    // The other is gone; the table is looked for where it was first.
    served.onCall(operation -> {});
    assertThat(table.row("a")).containsExactly("a/f:x@1=1");
  }

  @Test
  void operationsUnderWayEndInOrderWhenTheServerStops() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch leave = new CountDownLatch(1);
    served.onCall(
        operation -> {
          if (operation.equals("apply") && entered.getCount() > 0) {
            entered.countDown();
            awaitLatch(leave);
          }
        });
    CompletableFuture<Long> write =
        stele
            .rows()
            .apply("t", batch(put("b", "f:x", Cell.SERVER_TIME, "1")), Tables.ANY_TXN, true);
    entered.await();
    Thread stop = Thread.ofVirtual().start(server::close);
    leave.countDown();
    assertThat(answer(write)).isPositive();
    stop.join();
    restart();
    assertThat(table.row("b")).hasSize(1);
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void restart() {
    server.close();
    server = NativeServer.listen("127.0.0.1", 0, channels);
    server.serve(served, served);
    proxy.leadTo(server.port());
    proxy.cut();
  }

  @Test
  void anotherServerCannotSyncWhatTheLastOneCommitted() {
    CellBatch cells = batch(put("b", "f:x", 1, "1"));
    long txn = answer(stele.rows().apply("t", cells, Tables.ANY_TXN, false));
    restart();
    assertThatThrownBy(() -> answer(stele.rows().sync(txn)))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("may or may not be durable");
    long next =
        answer(stele.rows().apply("t", batch(put("c", "f:x", 1, "1")), Tables.ANY_TXN, false));
    assertThat(answer(stele.rows().sync(next))).isGreaterThanOrEqualTo(next);
  }

  // ---- scans

  private void fill(int rows) {
    fill(rows, 100);
  }

  private void fill(int rows, int valueBytes) {
    List<CellBatch> batches = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      batches.add(
          batch(
              put("r%05d".formatted(i), "f:x", 1, "x".repeat(valueBytes)),
              put("r%05d".formatted(i), "f:y", 1, "y" + i)));
    }
    answer(served.applyRows("t", batches));
    answer(served.apply("t", batch(Cell.eraseRow(bytes("a"))), Tables.ANY_TXN, true));
  }

  @Test
  void aScanGoesOnBehindTheLastCellWhenTheConnectionBreaks() {
    fill(8_000);
    List<String> expected =
        new TableFixture(served, "t").scan(ReadPredicate.ALL, ScanOptions.DEFAULT, 1 << 20);
    try (TableScan held = served.scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT);
        TableScan scan = stele.rows().scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT)) {
      assertThat(held.txn()).isEqualTo(scan.txn());
      List<String> seen = new ArrayList<>();
      CellPage page;
      int pages = 0;
      do {
        page = scan.next(60_000);
        seen.addAll(texts(page));
        if (pages++ % 5 == 1) {
          proxy.cut();
        }
        if (pages == 3) {
          answer(served.apply("t", batch(put("r07000", "f:x", 9, "late")), Tables.ANY_TXN, true));
        }
      } while (page.more());
      assertThat(pages).isGreaterThan(10);
      assertThat(seen).isEqualTo(expected);
    }
  }

  @Test
  void aScanThatTheServerForgotGoesOn() {
    fill(4_000);
    AtomicInteger pages = new AtomicInteger();
    served.onCall(
        operation -> {
          if (operation.equals("scan.next") && pages.incrementAndGet() == 4) {
            throw new NotFoundException("scan 1 was left alone for too long");
          }
        });
    assertThat(table.scan(ReadPredicate.ALL, ScanOptions.DEFAULT, 1 << 20)).hasSize(8_000);
    assertThat(pages.get()).isGreaterThan(4);
  }

  @Test
  void rowsNeverMixTwoTransactions() {
    fill(2_000, 2_000); // more than can be on its way
    try (RowScan scan = stele.table("t").scan(ReadPredicate.ALL)) {
      List<Row> rows = new ArrayList<>();
      for (Optional<Row> row = scan.next(); row.isPresent(); row = scan.next()) {
        rows.add(row.get());
        if (rows.size() == 10) {
          // What the scan saw cannot be read any more: nothing else holds it open.
          List<CellBatch> changes = new ArrayList<>();
          for (int i = 0; i < 2_000; i++) {
            changes.add(
                batch(
                    put("r%05d".formatted(i), "f:x", 2, "new"),
                    put("r%05d".formatted(i), "f:y", 2, "new")));
          }
          answer(served.applyRows("t", changes));
          proxy.cut();
          await().until(() -> served.openScans() == 0);
        }
      }
      assertThat(rows).hasSize(2_000);
      assertThat(rows).extracting(row -> row.cells().size()).containsOnly(2, 4);
      assertThat(rows.getLast().cells()).hasSize(4);
      assertThat(rows).extracting(Row::key).doesNotHaveDuplicates().isSorted();
    }
  }

  @Test
  void aBrokenScanOfSomeRowsEndsAfterThem() {
    fill(3_000);
    ScanOptions options = ScanOptions.DEFAULT.withMaxRows(2_500);
    try (TableScan held = served.scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT);
        TableScan scan = stele.rows().scan("t", ReadPredicate.ALL, options)) {
      assertThat(held.txn()).isEqualTo(scan.txn());
      List<String> seen = new ArrayList<>(texts(scan.next(30_000)));
      proxy.cut();
      seen.addAll(texts(scan.next(30_000)));
      proxy.cut();
      seen.addAll(TableFixture.rest(scan, 30_000));
      assertThat(seen).hasSize(5_000);
      assertThat(seen.getLast()).startsWith("r02499/f:y");
    }
  }

  private static TableScan begunScan(Stele client) {
    TableScan scan = client.rows().scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT);
    scan.next(1000);
    return scan;
  }

  @Test
  void aScanGivesUpWhenTheTimeIsOver() throws IOException {
    fill(3_000);
    try (Stele impatient =
            Stele.builder().endpoints(proxy.address()).timeout(Duration.ofMillis(200)).connect();
        TableScan scan =
            await() // its time may be over before it has begun
                .ignoreExceptionsInstanceOf(UnavailableException.class)
                .until(() -> begunScan(impatient), _ -> true)) {
      proxy.close();
      assertThatThrownBy(() -> TableFixture.rest(scan, 1 << 20))
          .isInstanceOf(UnavailableException.class);
    }
  }
}
