package io.stele.gateway.nativeapi;

import static io.stele.testkit.table.TableFixture.answer;
import static io.stele.testkit.table.TableFixture.batch;
import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.FencedException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.client.Stele;
import io.stele.client.table.Row;
import io.stele.client.table.RowMutation;
import io.stele.client.table.RowScan;
import io.stele.client.table.Table;
import io.stele.testkit.table.TableFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What a client sees while tablets go from server to server, and servers die, hang or are fenced.
 */
@Execution(ExecutionMode.CONCURRENT)
class MovingTabletsTest {
  private static final Duration LONG = Duration.ofSeconds(10);

  private final ClusterOfServers servers = new ClusterOfServers(3);
  private final Stele stele = servers.client(0, LONG);
  private final TableFixture table = servers.create(stele, "t", "g", "p");
  private final AtomicBoolean stop = new AtomicBoolean();

  @AfterEach
  void close() {
    stop.set(true);
    servers.close();
  }

  @Test
  void aMovedTabletIsFoundAgain() {
    table.apply(put("a", "f:x", 1, "1"));
    servers.move("t", "a", 2);
    assertThat(table.row("a")).containsExactly("a/f:x@1=1");
    servers.move("t", "a", 1);
    table.apply(put("a", "f:x", Cell.SERVER_TIME, "2"));
    servers.move("t", "a", 0);
    assertThat(stele.table("t").increment("a", "g", "n", 1)).isEqualTo(1);
    assertThat(servers.cluster.lookups()).isEqualTo(4);
  }

  @Test
  void aTabletWithoutAServerIsWaitedFor() {
    table.apply(put("q", "f:x", 1, "1"));
    servers.cluster.move("t", bytes("a"), "");
    CompletableFuture<Long> write =
        stele.rows().apply("t", batch(put("a", "f:x", 1, "1")), Tables.ANY_TXN, true);
    CompletableFuture<List<RowOutcome>> rows =
        stele.rows().applyRows("t", List.of(batch(put("b", "f:x", 1, "1"))));
    int before = servers.cluster.lookups();
    await().until(() -> servers.cluster.lookups() > before + 3);
    assertThat(write).isNotDone();
    assertThat(table.row("q")).hasSize(1); // others go on
    servers.move("t", "a", 1);
    assertThat(answer(write)).isPositive();
    assertThat(answer(rows).getFirst().failure()).isEmpty();
  }

  @Test
  void whatNoServerHasUntilTheTimeIsOverIsNotServed() {
    servers.cluster.move("t", bytes("a"), "");
    Tables impatient = servers.client(0, Duration.ofSeconds(1)).rows();
    TableFixture hurried = new TableFixture(impatient, "t");
    CellBatch row = batch(put("a", "f:x", 1, "1"));
    // The time may also be over while a server is asked: then it fails in another way.
    for (ThrowingRunnable refused :
        List.<ThrowingRunnable>of(
            () ->
                assertThatThrownBy(() -> hurried.apply(put("a", "f:x", 1, "1")))
                    .isInstanceOf(NotServingException.class)
                    .hasMessageContaining("no server has the tablet of row a"),
            () -> assertThatThrownBy(hurried::all).isInstanceOf(NotServingException.class),
            () ->
                assertThatThrownBy(() -> hurried.read(ReadPredicate.ALL))
                    .isInstanceOf(NotServingException.class),
            () ->
                assertThat(answer(impatient.applyRows("t", List.of(row))).getFirst().failure())
                    .containsInstanceOf(NotServingException.class))) {
      await().atMost(Duration.ofSeconds(30)).untilAsserted(refused);
    }
  }

  /** Moves one tablet after the other until it is told to stop. */
  private Thread moveAllTheTime(AtomicInteger moves) {
    return Thread.ofVirtual()
        .start(
            () -> {
              while (!stop.get()) {
                String row = List.of("c", "k", "u").get(moves.get() % 3);
                servers.move("t", row, moves.incrementAndGet() / 2 % 3);
                await().pollDelay(Duration.ofMillis(4)).until(() -> true);
              }
            });
  }

  @Test
  void nothingIsLostOrDoneTwiceWhileTabletsMove() throws Exception {
    AtomicInteger moves = new AtomicInteger();
    Thread mover = moveAllTheTime(moves);
    Table client = stele.table("t");
    List<CompletableFuture<Void>> workers = new ArrayList<>();
    int before = moves.get();
    do { // once, unless the mover is slow
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        for (int i = 0; i < 4; i++) {
          int worker = workers.size();
          workers.add(CompletableFuture.runAsync(() -> work(client, worker), threads));
        }
      }
    } while (moves.get() <= before + 5);
    workers.forEach(TableFixture::answer);
    stop.set(true);
    mover.join();
    for (char row = 'a'; row <= 'z'; row++) {
      assertThat(client.increment("" + row, "g", "n", 0)).isEqualTo(workers.size());
    }
    assertThat(table.all().stream().filter(cell -> cell.contains("/f:w")))
        .hasSize(workers.size() * 26);
  }

  /** Increments, which must not be done twice, and rows in batches. */
  private static void work(Table client, int worker) {
    List<RowMutation> rows = new ArrayList<>();
    for (char row = 'a'; row <= 'z'; row++) {
      client.increment("" + row, "g", "n", 1);
      rows.add(RowMutation.of("" + row).put("f", "w" + worker, "1"));
    }
    assertThat(client.mutateAll(rows))
        .allSatisfy(outcome -> assertThat(outcome.failure()).isEmpty());
  }

  @Test
  void scansSeeEveryRowOnceWhileTabletsMove() throws Exception {
    List<CellBatch> rows = new ArrayList<>();
    for (int i = 0; i < 2_600; i++) {
      String row = (char) ('a' + i / 100) + "%02d".formatted(i % 100);
      rows.add(batch(put(row, "f:x", 1, "x".repeat(50)), put(row, "g:y", 1, "y")));
    }
    answer(stele.rows().applyRows("t", rows));
    AtomicInteger moves = new AtomicInteger();
    Thread mover = moveAllTheTime(moves);
    int before = moves.get();
    for (int i = 0; i < 5 || moves.get() <= before + 5; i++) {
      List<Row> seen = new ArrayList<>();
      try (RowScan scan = stele.table("t").scan(ReadPredicate.ALL)) {
        for (Optional<Row> row = scan.next(); row.isPresent(); row = scan.next()) {
          seen.add(row.get());
        }
      }
      assertThat(seen).hasSize(2_600);
      assertThat(seen).extracting(Row::key).isSorted().doesNotHaveDuplicates();
      assertThat(seen).allSatisfy(row -> assertThat(row.cells()).hasSize(2));
    }
    stop.set(true);
    mover.join();
  }

  @Test
  void aScanWhoseRowsMoveGoesOnWhereTheyAre() {
    List<CellBatch> rows = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      rows.add(batch(put("a%04d".formatted(i), "f:x", 1, "x".repeat(1000))));
    }
    answer(stele.rows().applyRows("t", rows));
    table.apply(put("h", "f:x", 1, "next"));
    try (TableScan scan = stele.rows().scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT)) {
      List<String> seen = new ArrayList<>(TableFixture.texts(scan.next(20_000)));
      servers.move("t", "a", 2);
      answer(stele.rows().apply("t", batch(put("a2999", "f:x", 2, "new")), Tables.ANY_TXN, true));
      seen.addAll(TableFixture.rest(scan, 1 << 20));
      // The row in which it was may come twice, and nothing else does.
      assertThat(seen.stream().distinct()).hasSize(3_002);
      assertThat(seen).extracting(cell -> cell.substring(0, cell.indexOf('/'))).isSorted();
      assertThat(seen).hasSizeLessThanOrEqualTo(3_003).contains("a2999/f:x@2=new");
    }
  }

  @Test
  void theOnlyServerThatTheClientWasToldOfMayDie() {
    table.apply(put("a", "f:x", 1, "1"));
    table.apply(put("h", "f:x", 1, "1"));
    servers.servers.getFirst().close();
    servers.cluster.moveAll(servers.address(0), servers.address(2));
    assertThat(table.row("a")).containsExactly("a/f:x@1=1");
    table.apply(put("a", "f:x", Cell.SERVER_TIME, "2"));
    assertThat(table.all()).hasSize(3);
    assertThat(stele.tables().list(false)).containsExactly("t");
  }

  /** The server of both tablets does the part that it still has, and says so. */
  @Test
  void rowsAreCountedThoughATabletHasLeft() {
    servers.move("t", "h", 0);
    table.apply(put("a", "f:x", 1, "1"));
    table.apply(put("h", "f:x", 1, "1"));
    servers.move("t", "h", 2);
    assertThat(stele.rows().deleteRows("t", RowRange.ALL)).isEqualTo(2);
    assertThat(table.all()).isEmpty();
  }

  @Test
  void aTableIsEmptiedThoughATabletMovesBehindItsBack() {
    table.apply(put("a", "f:x", 1, "1"));
    table.apply(put("h", "f:x", 1, "1"));
    servers
        .at(1)
        .onCall(
            operation -> {
              if (operation.equals("deleteRows")) {
                servers.move("t", "h", 0); // whose turn is over
              }
            });
    stele.rows().truncate("t");
    assertThat(table.all()).isEmpty();
  }

  @Test
  void aFencedServersReadsGoElsewhereAndItsWritesAreInDoubt() {
    table.apply(put("a", "f:x", 1, "1"));
    servers
        .at(0)
        .onCall(
            operation -> {
              servers.move("t", "a", 1);
              throw new FencedException("this server has lost its session");
            });
    assertThat(table.row("a")).containsExactly("a/f:x@1=1");
    servers.move("t", "a", 0);
    assertThat(table.all()).hasSize(1);
    servers.move("t", "a", 0);
    table.apply(put("a", "f:x", 2, "2")); // may be done twice
    servers.move("t", "a", 0);
    CellBatch repeatable = batch(put("a", "f:x", 3, "3"));
    CellBatch other = batch(put("b", "f:x", Cell.SERVER_TIME, "4"));
    List<RowOutcome> outcomes = answer(stele.rows().applyRows("t", List.of(repeatable, other)));
    assertThat(outcomes.get(0).failure()).isEmpty();
    assertThat(outcomes.get(1).failure()).isPresent();
    servers.move("t", "a", 0);
    assertThatThrownBy(() -> table.apply(put("a", "f:x", Cell.SERVER_TIME, "5")))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("lost its session");
    servers.move("t", "a", 0);
    assertThat(stele.table("t").increment("a", "g", "n", 1)).as("is made once").isEqualTo(1);
  }

  @Test
  void aServerThatHangsIsLeft() {
    TcpProxy proxy = servers.addBehindProxy();
    Stele client =
        servers.client(servers.address(1), Duration.ofSeconds(3), Duration.ofMillis(200));
    TableFixture hurried = new TableFixture(client.rows(), "t");
    servers.cluster.move("t", bytes("a"), proxy.address());
    hurried.apply(put("a", "f:x", 1, "1"));
    proxy.mute();
    CompletableFuture<Long> repeatable =
        client.rows().apply("t", batch(put("a", "f:x", 2, "2")), Tables.ANY_TXN, true);
    CellBatch once = batch(put("a", "f:y", Cell.SERVER_TIME, "3"));
    CompletableFuture<Long> other = client.rows().apply("t", once, Tables.ANY_TXN, true);
    int before = servers.cluster.lookups();
    await().until(() -> servers.cluster.lookups() > before); // it is suspected
    servers.cluster.moveAll(proxy.address(), servers.address(2));
    assertThat(answer(repeatable)).isPositive();
    assertThat(hurried.row("a")).contains("a/f:x@2=2", "a/f:x@1=1");
    assertThat(hurried.all()).isNotEmpty();
    assertThatThrownBy(() -> answer(other)).isInstanceOf(OutcomeUnknownException.class);
  }

  @Test
  void changesThatDiedWithTheirServerAreInDoubtOnceAndThenForgotten() throws Exception {
    TcpProxy proxy = servers.addBehindProxy();
    servers.cluster.move("t", bytes("a"), proxy.address());
    Stele client = servers.client(servers.address(1), Duration.ofSeconds(2), LONG);
    for (String row : List.of("a", "h")) {
      CellBatch cells = batch(put(row, "f:x", 1, "1"));
      answer(client.rows().apply("t", cells, Tables.ANY_TXN, false));
    }
    proxy.close();
    proxy.cut();
    assertThatThrownBy(() -> answer(client.rows().sync(1)))
        .isInstanceOf(OutcomeUnknownException.class);
    assertThat(answer(client.rows().sync(1))).isPositive();
  }
}
