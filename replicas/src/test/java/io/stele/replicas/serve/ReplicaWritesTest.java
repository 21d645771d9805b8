package io.stele.replicas.serve;

import static io.stele.replicas.serve.ReplicaCluster.FAMILY;
import static io.stele.replicas.serve.ReplicaCluster.QUALIFIER;
import static io.stele.replicas.serve.ReplicaCluster.address;
import static io.stele.replicas.serve.ReplicaCluster.cells;
import static io.stele.replicas.serve.ReplicaCluster.get;
import static io.stele.replicas.serve.ReplicaCluster.put;
import static io.stele.replicas.serve.ReplicaCluster.result;
import static io.stele.replicas.serve.ReplicaCluster.scan;
import static io.stele.replicas.serve.ReplicaCluster.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Acks;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.Tables;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Writes and reads through any replica, and how many must have them. */
class ReplicaWritesTest {
  private static final Consistency ONE = Consistency.DEFAULT.withAcks(Acks.ONE);
  private static final Consistency ALL = Consistency.DEFAULT.withAcks(Acks.ALL);

  private final ReplicaCluster cluster = new ReplicaCluster();

  @AfterEach
  void stop() {
    cluster.close();
  }

  private ReplicaServer a() {
    return cluster.server("a");
  }

  @Test
  void anyReplicaTakesWritesAndReads() {
    cluster.start("a", "b", "c").create("t", 3);
    for (String name : cluster.servers.keySet()) {
      write(cluster.server(name), "t", "row-" + name, "by " + name);
    }
    Map<String, String> all = Map.of("row-a", "by a", "row-b", "by b", "row-c", "by c");
    for (ReplicaServer server : cluster.servers.values()) {
      await()
          .pollInterval(Duration.ofMillis(5))
          .untilAsserted(() -> assertThat(scan(server, "t")).isEqualTo(all));
      assertThat(get(server, "t", "row-b")).isEqualTo(Optional.of("by b"));
    }
    cluster.awaitEqual("t");
  }

  @Test
  void aWriteGoesToEachReplicaOnce() {
    // A change that is slow to arrive must not be relayed: it would arrive twice.
    cluster.settings =
        cluster.settings.withPush(cluster.settings.push().withRelayAfter(Duration.ofSeconds(2)));
    cluster.start("a", "b", "c").create("t", 3);
    write(a().at(ALL), "t", "first", "connects all");
    settled();
    cluster.network.forgetCalls();
    for (int i = 0; i < 20; i++) {
      write(a().at(ALL), "t", "row" + i, "value");
      write(cluster.server("b").at(ALL), "t", "row" + i, "other");
    }
    settled();
    long cells = cluster.network.calls().stream().filter(each -> each.is("push")).count();
    // Twenty changes of two servers for two others, and a few pushes that tell who has what.
    assertThat(cells).isBetween(40L, 110L);
    assertThat(cluster.replica("c", "t").store().sequence())
        .as("changes that came to c, and none of them twice")
        .isEqualTo(cluster.replica("a", "t").store().sequence());
  }

  private void settled() {
    cluster.awaitSettled("t");
  }

  @Test
  void waitingChangesAreSentTogether() {
    cluster.start("a", "b").create("t", 2);
    write(a().at(ALL), "t", "first", "connects");
    settled();
    cluster.network.cut(address("a"), address("b"));
    List<CompletableFuture<Long>> writes = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      writes.add(a().at(ALL).apply("t", put("row" + i, "value"), Tables.ANY_TXN, true));
    }
    cluster.network.forgetCalls();
    cluster.network.heal();
    writes.forEach(ReplicaCluster::result);
    assertThat(cluster.network.count("push")).isLessThan(20);
  }

  private static void join(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private long confirmedByTheOther() {
    return cluster.replica("a", "t").progress().confirmed().getFirst().sequence();
  }

  @Test
  void aWriteDoesNotWaitForTheAnswerToTheOneBefore() {
    cluster.start("a", "b").create("t", 2);
    write(a().at(ALL), "t", "first", "connects");
    settled();
    long before = confirmedByTheOther();
    CountDownLatch held = new CountDownLatch(1);
    cluster
        .network
        .on(call -> call.is("push") && call.to().equals(address("b")))
        .runAfter(() -> join(held));
    CompletableFuture<Long> slow = a().at(ALL).apply("t", put("slow", "v"), Tables.ANY_TXN, true);
    await().until(() -> get(cluster.server("b"), "t", "slow").isPresent());
    write(a().at(ALL), "t", "quick", "v");
    assertThat(slow).isNotDone();
    assertThat(confirmedByTheOther()).as("without a hole").isEqualTo(before);
    held.countDown();
    result(slow);
    settled();
  }

  @Test
  void whatIsInFlightBehindAFailureIsSentAgain() {
    cluster.start("a", "b").create("t", 2);
    write(a().at(ALL), "t", "first", "connects");
    settled();
    long before = confirmedByTheOther();
    CountDownLatch reached = new CountDownLatch(1);
    CountDownLatch held = new CountDownLatch(1);
    cluster
        .network
        .on(call -> call.is("push") && call.to().equals(address("b")))
        .runBefore(
            () -> {
              reached.countDown();
              join(held);
              throw new UnavailableException("lost on its way");
            });
    CompletableFuture<Long> lost = a().at(ALL).apply("t", put("lost", "v"), Tables.ANY_TXN, true);
    join(reached);
    write(a().at(ALL), "t", "quick", "v");
    assertThat(get(cluster.server("b"), "t", "lost")).isEmpty();
    assertThat(confirmedByTheOther()).as("without a hole").isEqualTo(before);
    held.countDown();
    result(lost);
    assertThat(get(cluster.server("b"), "t", "lost")).isPresent();
    settled();
  }

  @Test
  void levelsNeedAsManyReplicasAsTheySay() {
    cluster.settings = cluster.settings.withTimeouts(Duration.ofSeconds(2), Duration.ofSeconds(2));
    cluster.start("a", "b", "c").create("t", 3);
    write(a().at(ALL), "t", "r0", "v");
    cluster.network.isolate(address("c")); // live, as far as its session says
    write(a(), "t", "r1", "v");
    assertThatThrownBy(() -> write(a().at(ALL), "t", "r2", "v"))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("stored on 2 of 3 replicas, ALL was asked for");
    cluster.network.isolate(address("b"));
    write(a().at(ONE), "t", "r3", "v");
    assertThatThrownBy(() -> write(a(), "t", "r4", "v"))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("stored on 1 of 3 replicas, MAJORITY was asked for");
    cluster.network.heal();
    cluster.awaitEqual("t");
    assertThat(scan(cluster.server("c"), "t").keySet())
        .as("what was promised to reach all does")
        .containsExactly("r0", "r1", "r2", "r3", "r4");
  }

  @Test
  void tooFewLiveReplicasAreKnownBeforeAnythingIsWritten() {
    cluster.start("a", "b", "c").create("t", 3);
    crashAndAwait("c");
    write(a(), "t", "r1", "v");
    assertThatThrownBy(() -> write(a().at(ALL), "t", "r2", "v"))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("2 of the 3 replicas")
        .hasMessageContaining("ALL needs 3");
    crashAndAwait("b");
    assertThatThrownBy(() -> write(a(), "t", "r3", "v"))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("1 of the 3 replicas");
    write(a().at(ONE), "t", "r4", "v");
    assertThat(scan(a(), "t").keySet()).containsExactly("r1", "r4");
  }

  /** Crashes a server, and waits until a has heard of it. */
  private void crashAndAwait(String name) {
    String id = cluster.id(name);
    cluster.crash(name);
    await().until(() -> !a().machinery().isLive(id));
  }

  @Test
  void aServerWithoutTheReplicaNamesOneThatHasIt() {
    cluster.start("a", "b", "c", "d").create("t", 3);
    String without =
        cluster.servers.keySet().stream()
            .filter(
                name ->
                    cluster.metadata("t").partitions().getFirst().members().stream()
                        .noneMatch(each -> each.server().equals(cluster.id(name))))
            .findFirst()
            .orElseThrow();
    ReplicaServer other = cluster.server(without);
    assertThatThrownBy(() -> write(other, "t", "r", "v"))
        .isInstanceOfSatisfying(
            NotServingException.class, e -> assertThat(e.hint().orElseThrow()).startsWith("host-"));
    assertThatThrownBy(() -> get(other, "t", "r")).isInstanceOf(NotServingException.class);
    String address = other.locate("t", Bytes.utf8("r"), 1).getFirst().address();
    ReplicaServer located = cluster.server(address.substring("host-".length()));
    write(located, "t", "r", "v");
    assertThat(get(located, "t", "r")).isEqualTo(Optional.of("v"));
  }

  @Test
  void whatTheCoordinatorCouldNotSendAnyMoreIsRelayed() {
    cluster.start("a", "b", "c").create("t", 3);
    write(a().at(ALL), "t", "r0", "v");
    cluster.network.cut(address("a"), address("c"));
    write(a(), "t", "r1", "v"); // a and b have it
    cluster.crash("a");
    await()
        .untilAsserted(
            () -> assertThat(get(cluster.server("c"), "t", "r1")).isEqualTo(Optional.of("v")));
  }

  @Test
  void acknowledgedWritesSurviveCrashesOfAll() {
    cluster.start("a", "b", "c").create("t", 3);
    for (int i = 0; i < 50; i++) {
      write(cluster.server("abc".charAt(i % 3) + ""), "t", "row" + i, "v" + i);
    }
    for (String name : List.of("a", "b", "c")) {
      cluster.crash(name);
    }
    cluster.start("a", "b", "c");
    cluster.awaitReplicas("t");
    cluster.awaitEqual("t");
    assertThat(scan(cluster.server("b"), "t")).hasSize(50);
  }

  @Test
  void erasuresHideWhatCameBeforeThemAndNotTheirOwnBatch() {
    cluster.start("a", "b", "c").create("t", 3);
    Bytes row = Bytes.utf8("r");
    write(a(), "t", "r", "old");
    result(
        a().apply(
                "t",
                new CellBatchBuilder()
                    .add(Cell.eraseRow(row))
                    .put(row, FAMILY, Bytes.utf8("new"), Cell.SERVER_TIME, Bytes.utf8("new"))
                    .build(),
                Tables.ANY_TXN,
                true));
    cluster.awaitEqual("t");
    for (ReplicaServer server : cluster.servers.values()) {
      assertThat(
              cells(
                      result(
                          server.read(
                              "t",
                              ReadPredicate.rows(RowRange.row(row)),
                              ScanOptions.DEFAULT,
                              1000)))
                  .stream()
                  .map(cell -> cell.value().toUtf8()))
          .containsExactly("new");
    }
    write(a(), "t", "r", "later");
    assertThat(get(a(), "t", "r")).isEqualTo(Optional.of("new")); // the first column
    assertThat(a().deleteRows("t", RowRange.ALL)).isEqualTo(1);
    assertThat(scan(a(), "t")).isEmpty();
    cluster.awaitEqual("t");
    assertThat(scan(cluster.server("c"), "t")).isEmpty();
  }

  @Test
  void rowsOfABatchAreAppliedEachOnItsOwn() {
    cluster.start("a");
    cluster.create("t", 1);
    List<RowOutcome> outcomes =
        result(
            a().applyRows(
                    "t",
                    List.of(
                        put("r1", "v"),
                        new CellBatchBuilder()
                            .put(Bytes.utf8("r2"), Bytes.utf8("g"), QUALIFIER, 1, Bytes.EMPTY)
                            .build(),
                        put("r3", "v"))));
    assertThat(outcomes.get(0).failure()).isEmpty();
    assertThat(outcomes.get(1).failure().orElseThrow())
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("family \"g\" of row \"r2\"")
        .hasMessageContaining("only the families \"f\"");
    assertThat(outcomes.get(2).failure()).isEmpty();
    assertThat(scan(a(), "t").keySet()).containsExactly("r1", "r3");
  }

  @Test
  void singleVersionsAreNotErasedWhereHistoryIsPurged() {
    cluster.start("a");
    GroupSchema one = GroupSchema.of("default", "f").withPurge(PurgePolicy.parse("max-history=1"));
    a().create("t", TableSchema.of(one).withReplication(Replication.of(1)), List.of());
    CellBatch erase =
        new CellBatchBuilder()
            .add(Cell.eraseCell(Bytes.utf8("r"), Bytes.utf8("f"), QUALIFIER, 1))
            .build();
    assertThatThrownBy(() -> result(a().apply("t", erase, Tables.ANY_TXN, true)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("single versions of column");
  }

  @Test
  void whatTheKindDoesNotOfferIsSaid() {
    cluster.start("a");
    cluster.create("t", 1);
    CellBatch change = put("r", "v");
    assertThatThrownBy(() -> result(a().apply("t", change, 7, true)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("\"t\" is a replicated table, which has no row transactions");
    assertThatThrownBy(
            () ->
                result(
                    a().checkAndMutate(
                            "t",
                            new CheckAndMutate(
                                Bytes.utf8("r"),
                                ReadPredicate.ALL,
                                Optional.empty(),
                                Optional.of(change),
                                Optional.empty()))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("replicated table, which has no conditional changes");
    assertThatThrownBy(() -> result(a().readModifyWrite("t", Bytes.utf8("r"), List.of())))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("no read-modify-write");
    assertThatThrownBy(() -> a().truncate("t"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("no truncation");
    assertThatThrownBy(() -> a().join("t", Bytes.EMPTY))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("no joining of partitions");
    assertThatThrownBy(() -> a().verifyMeta("t")).isInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(() -> a().loadFixedTable("t", "file"))
        .isInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(() -> a().truncate("nothing")).isInstanceOf(NotFoundException.class);
    assertThat(scan(a(), "t")).isEmpty();
  }

  @Test
  void tablesThatCannotBeMadeAreRefused() {
    cluster.start("a", "b");
    assertThatThrownBy(() -> a().create("t", ReplicaCluster.schema(3), List.of()))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("3 replicas need as many servers: 2 are live");
    assertThatThrownBy(() -> a().create("t", TableSchema.ofFamilies("f"), List.of()))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("without replication");
    TableSchema groups =
        TableSchema.of(GroupSchema.of("one", "f"), GroupSchema.of("two", "g"))
            .withReplication(Replication.of(1));
    assertThatThrownBy(() -> a().create("t", groups, List.of()))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("replicated tables keep all families in one group");
    a().create("t", ReplicaCluster.schema(2), List.of(Bytes.utf8("m")));
    assertThatThrownBy(() -> cluster.server("b").create("t", ReplicaCluster.schema(1), List.of()))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("\"t\" exists already");
    cluster.coordination.takeName("tablets");
    assertThatThrownBy(() -> a().create("tablets", ReplicaCluster.schema(1), List.of()))
        .isInstanceOf(ConflictException.class);
    assertThat(a().tablets("t")).hasSize(2);
  }

  @Test
  void aBatchOfSeveralPartitionsIsRefusedAndAScanCrossesThem() {
    cluster.start("a", "b");
    a().create("t", ReplicaCluster.schema(2), List.of(Bytes.utf8("h"), Bytes.utf8("p")));
    cluster.awaitReplicas("t");
    CellBatch both =
        new CellBatchBuilder()
            .put(Bytes.utf8("a"), FAMILY, QUALIFIER, 1, Bytes.EMPTY)
            .put(Bytes.utf8("z"), FAMILY, QUALIFIER, 1, Bytes.EMPTY)
            .build();
    assertThatThrownBy(() -> result(a().apply("t", both, Tables.ANY_TXN, true)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("are in different partitions");
    for (String row : List.of("a", "h", "i", "p", "q", "z")) {
      write(a(), "t", row, "v");
    }
    assertThat(scan(a(), "t").keySet()).containsExactly("a", "h", "i", "p", "q", "z");
    var some =
        result(a().read("t", ReadPredicate.ALL, ScanOptions.DEFAULT.withMaxRows(4), 1 << 20));
    List<Cell> first = new ArrayList<>(cells(some));
    assertThat(first.stream().map(cell -> cell.row().toUtf8())).startsWith("a", "h");
    try (var scan = a().scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT.withMaxRows(4))) {
      List<String> rows = new ArrayList<>();
      boolean more = true;
      while (more) {
        var page = scan.next(1);
        cells(page).forEach(cell -> rows.add(cell.row().toUtf8()));
        more = page.more();
      }
      assertThat(rows).containsExactly("a", "h", "i", "p");
    }
    assertThat(a().sampleRows("t").getLast().row()).isEqualTo(Bytes.EMPTY);
  }

  @Test
  void writesAndReadsGoOnWithoutTheCoordinationService() {
    cluster.start("a", "b", "c").create("t", 3);
    cluster.servers.keySet().forEach(name -> cluster.coordination.away(cluster.id(name)));
    for (String name : cluster.servers.keySet()) {
      write(cluster.server(name).at(ALL), "t", "row-" + name, "v");
      assertThat(get(cluster.server(name), "t", "row-" + name)).isEqualTo(Optional.of("v"));
      assertThat(cluster.server(name).locate("t", Bytes.EMPTY, 1).getFirst().address())
          .isEqualTo(address(name));
    }
    assertThat(scan(a(), "t")).hasSize(3);
  }

  @Test
  void aTableIsAlteredAndDropped() {
    cluster.start("a", "b", "c").create("t", 3);
    write(a().at(ALL), "t", "r", "v");
    TableSchema wider =
        TableSchema.ofFamilies("f", "g").withReplication(Replication.of(3).withSplitBytes(0));
    a().alter("t", wider);
    assertThat(cluster.server("b").schema("t")).isEqualTo(wider);
    CellBatch other =
        new CellBatchBuilder()
            .put(Bytes.utf8("r"), Bytes.utf8("g"), QUALIFIER, 1, Bytes.utf8("w"))
            .build();
    result(cluster.server("b").at(ALL).apply("t", other, Tables.ANY_TXN, true));
    cluster.servers.forEach(
        (name, server) -> assertThat(scan(server, "t")).as(name).containsEntry("r", "w"));
    assertThatThrownBy(() -> a().alter("t", wider.withReplication(Replication.of(4))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("has 3 replicas: 4 need as many servers, and 3 are live");
    cluster.server("c").flush("t");
    cluster.server("c").compact("t");
    assertThat(a().list(false)).containsExactly("t");
    cluster.server("c").drop("t");
    assertThat(a().list(false)).isEmpty();
    await() // a look at all tables that began before may still end after it
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> get(a(), "t", "r")).isInstanceOf(NotFoundException.class));
    await()
        .untilAsserted(
            () ->
                cluster.servers.forEach(
                    (name, _) -> assertThat(cluster.replicaDirectories(name)).as(name).isEmpty()));
  }
}
