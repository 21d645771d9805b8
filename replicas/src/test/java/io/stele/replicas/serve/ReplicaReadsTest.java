package io.stele.replicas.serve;

import static io.stele.replicas.serve.ReplicaCluster.address;
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
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.StoreCall;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Acks;
import io.stele.base.table.Consistency.Reads;
import io.stele.base.table.Replicas.Difference;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.MetadataChange;
import io.stele.replicas.metadata.Partition;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Reads from one replica and from a majority, and replicas compared and brought together. */
@Execution(ExecutionMode.CONCURRENT)
class ReplicaReadsTest {
  private static final Consistency ALL = Consistency.DEFAULT.withAcks(Acks.ALL);
  private static final Consistency MAJORITY = Consistency.DEFAULT.withReads(Reads.MAJORITY);

  private final ReplicaCluster cluster = new ReplicaCluster();

  @AfterEach
  void stop() {
    cluster.close();
  }

  private ReplicaServer a() {
    return cluster.server("a");
  }

  /** Puts cells into one replica alone, behind the back of all others. */
  private void plant(String name, String row, long time, String value) {
    cluster.replica(name, "t").store().apply(put(row, time, value)).join();
  }

  @Test
  void aMajorityReadSeesWhatTheReplicaHereLacksAndMendsIt() {
    cluster.start("a", "b", "c").create("t", 3);
    write(a().at(ALL), "t", "r0", "v");
    cluster.network.on(call -> call.is("push") && call.to().equals(address("c"))).refuse(10_000);
    write(a(), "t", "r1", "new"); // a and b have it
    assertThat(get(cluster.server("c"), "t", "r1")).isEmpty();
    assertThat(get(cluster.server("c").at(MAJORITY), "t", "r1")).isEqualTo(Optional.of("new"));
    await()
        .untilAsserted(
            () -> assertThat(get(cluster.server("c"), "t", "r1")).isEqualTo(Optional.of("new")));
    write(a(), "t", "r2", "newer");
    assertThat(scan(cluster.server("c").at(MAJORITY), "t").keySet())
        .containsExactly("r0", "r1", "r2");
  }

  @Test
  void aMajorityReadSeesErasuresThatTheReplicaHereLacks() {
    cluster.start("a", "b", "c").create("t", 3);
    write(a().at(ALL), "t", "r1", "v");
    cluster.network.on(call -> call.is("push") && call.to().equals(address("c"))).refuse(10_000);
    result(
        a().apply(
                "t",
                new CellBatchBuilder().add(Cell.eraseRow(Bytes.utf8("r1"))).build(),
                Tables.ANY_TXN,
                true));
    assertThat(get(cluster.server("c"), "t", "r1")).isEqualTo(Optional.of("v"));
    assertThat(get(cluster.server("c").at(MAJORITY), "t", "r1")).isEmpty();
    await().untilAsserted(() -> assertThat(get(cluster.server("c"), "t", "r1")).isEmpty());
  }

  @Test
  void aMajorityReadNeedsAMajority() {
    cluster.start("a", "b", "c").create("t", 3);
    write(a().at(ALL), "t", "r1", "v");
    cluster.network.isolate(address("a"));
    assertThat(get(a(), "t", "r1")).isEqualTo(Optional.of("v"));
    assertThatThrownBy(() -> get(a().at(MAJORITY), "t", "r1"))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("1 of the 3 replicas")
        .hasMessageContaining("a majority is 2");
  }

  @Test
  void aReplicaThatIsStoppedHoldsUpNoMajorityRead() throws Exception {
    cluster.settings = cluster.settings.withTimeouts(Duration.ofSeconds(5), Duration.ofMinutes(1));
    cluster.start("a", "b", "c").create("t", 3);
    write(a().at(ALL), "t", "r1", "v");
    CountDownLatch goesOn = new CountDownLatch(1);
    cluster
        .network
        .on(call -> call.to().equals(address("c")) && call.is("stored"))
        .runBefore(() -> awaitQuietly(goesOn));
    cluster.network.on(call -> call.is("push") && call.to().equals(address("c"))).refuse(10_000);
    write(a(), "t", "r1", "newer");
    try {
      assertThat(
              CompletableFuture.supplyAsync(() -> get(a().at(MAJORITY), "t", "r1"))
                  .get(20, TimeUnit.SECONDS))
          .contains("newer");
      assertThat(get(cluster.server("c"), "t", "r1")).contains("v");
    } finally {
      goesOn.countDown();
    }
    await() // it answers late, and is sent what it lacks
        .untilAsserted(() -> assertThat(get(cluster.server("c"), "t", "r1")).contains("newer"));
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void whileAServerReplacesAMemberReadsAndWritesNeedAMajorityOfThoseThatWillBe() {
    cluster.settings = cluster.settings.withTimeouts(Duration.ofSeconds(2), Duration.ofSeconds(2));
    cluster.start("a", "b", "c").create("t", 3);
    cluster.start("d");
    write(a().at(ALL), "t", "r1", "v");
    Partition partition = cluster.metadata("t").partitions().getFirst();
    String replaced =
        partition.members().stream()
            .filter(each -> each.server().equals(cluster.id("c")))
            .findFirst()
            .orElseThrow()
            .id();
    cluster.network.on(call -> call.is("progress")).refuse(100_000); // nobody finalizes the join
    a().machinery()
        .change(
            cluster.metadata("t").table(),
            cluster.metadata("t"),
            new MetadataChange.Join(
                partition.id(), new Assignment(cluster.id("d"), "new-d"), Optional.of(replaced)));
    await()
        .until(
            () ->
                !cluster.replica("a", "t").metadata().partitions().getFirst().joining().isEmpty());
    cluster.awaitReplicas("t");
    await().until(() -> cluster.server("d").machinery().host().replica(partition.id()).isPresent());
    // From here on a and c reach each other, and neither b nor d.
    for (String one : List.of("a", "c")) {
      for (String other : List.of("b", "d")) {
        cluster.network.cut(address(one), address(other));
      }
    }
    assertThatThrownBy(() -> write(a(), "t", "r1", "lost"))
        .as("a and c have it, and the members will be a, b and d")
        .isInstanceOf(OutcomeUnknownException.class);
    assertThatThrownBy(() -> get(a().at(MAJORITY), "t", "r1"))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("1 of the 3 replicas");
    cluster.network.heal(address("a"), address("b"));
    write(a(), "t", "r1", "kept");
    assertThat(get(a().at(MAJORITY), "t", "r1")).contains("kept");
  }

  @Test
  void aRangeDeletionFindsRowsThatTheReplicaHereLacks() {
    cluster.start("a", "b", "c").create("t", 3);
    cluster.network.on(call -> call.is("push") && call.to().equals(address("c"))).refuse(100_000);
    for (int i = 0; i < 10; i++) {
      write(a(), "t", "r" + i, "v"); // a and b have it
    }
    assertThat(scan(cluster.server("c"), "t")).isEmpty();
    assertThat(cluster.server("c").deleteRows("t", RowRange.ALL)).isEqualTo(10);
    assertThat(scan(a().at(MAJORITY), "t")).isEmpty();
  }

  @Test
  void aReplicaWhoseLogFailedIsNotServed() {
    cluster.start("a", "b", "c").create("t", 3);
    write(a().at(ALL), "t", "r1", "v");
    cluster.disk("c").failFrom(StoreCall.SYNC, 1, () -> new IOException("no space left on device"));
    await()
        .ignoreExceptions()
        .until(
            () -> {
              write(a(), "t", "r2", "newer"); // reaches c in time, where the log fails
              return cluster.replica("c", "t").store().failure().isPresent();
            });
    assertThatThrownBy(() -> get(cluster.server("c"), "t", "r1"))
        .isInstanceOf(NotServingException.class)
        .hasMessageContaining("no space left on device");
    assertThatThrownBy(() -> scan(cluster.server("c"), "t"))
        .isInstanceOf(NotServingException.class);
    assertThatThrownBy(() -> write(cluster.server("c").at(ALL), "t", "r3", "v"))
        .isInstanceOf(NotServingException.class);
    assertThat(get(a().at(MAJORITY), "t", "r2")).contains("newer");
    assertThat(a().status("t").partitions().getFirst().replicas())
        .anyMatch(each -> each.problem().contains("no space left on device"));
    cluster.disk("c").clearFailures();
  }

  @Test
  void aMajorityReadThroughAServerThatMissedASplitSeesWhatTheHalvesHave() {
    cluster.start("a", "b", "c").create("t", 3);
    for (int i = 0; i < 20; i++) {
      write(a().at(ALL), "t", "row%02d".formatted(i), "v");
    }
    // c hears of nothing for a while: no METADATA, no pushes; only its own questions go through.
    cluster.coordination.away(cluster.id("c"));
    cluster.network.on(call -> call.to().equals(address("c"))).refuse(100_000);
    cluster
        .network
        .on(call -> !call.from().equals(address("c")) && call.is("progress")) // no finalizing
        .refuse(100_000);
    a().split("t", Bytes.EMPTY, Bytes.utf8("row09"));
    await()
        .until(
            () -> cluster.replica("b", "t").metadata().partitions().getFirst().split().isPresent());
    assertThatThrownBy(() -> get(cluster.server("c").at(MAJORITY), "t", "row05"))
        .as("others know of a split that it does not know of, and which may be done")
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("coordination service");
    write(a(), "t", "row05", "after the split");
    cluster.network.heal();
    cluster.coordination.back(cluster.id("c"));
    await()
        .ignoreExceptions()
        .untilAsserted(
            () ->
                assertThat(get(cluster.server("c").at(MAJORITY), "t", "row05"))
                    .isEqualTo(Optional.of("after the split")));
  }

  @Test
  void scansPageRowsOfAllPartitionsAndGoOnAfterASplit() {
    cluster.start("a", "b").create("t", 2);
    for (int i = 0; i < 30; i++) {
      write(a().at(ALL), "t", "row%02d".formatted(i), "v" + i);
    }
    for (Tables tables : List.of(a(), a().at(MAJORITY))) {
      int before = cluster.metadata("t").partitions().size();
      try (TableScan scan = tables.scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT)) {
        CellPage page = scan.next(100);
        int rows = ReplicaCluster.cells(page).size();
        a().split("t", Bytes.utf8("row20"), Bytes.EMPTY);
        await().until(() -> cluster.metadata("t").partitions().size() == before + 1);
        await()
            .until(() -> cluster.replicaDirectories("a").size() == before + 1); // the old is gone
        while (page.more()) {
          page = scan.next(100);
          rows += ReplicaCluster.cells(page).size();
        }
        assertThat(rows).isEqualTo(30);
      }
    }
    assertThatThrownBy(() -> a().scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT.withAtTxn(5)))
        .isInstanceOf(NotFoundException.class);
  }

  @Test
  void verifyFindsWhatDiffersAndRepairMendsIt() {
    cluster.start("a", "b", "c").create("t", 3);
    for (int i = 0; i < 200; i++) {
      write(a(), "t", "row%03d".formatted(i), "v" + i);
    }
    cluster.awaitEqual("t");
    assertThat(a().verify("t", RowRange.ALL)).isEmpty();
    plant("b", "row100", 5, "planted");
    plant("c", "new", 5, "planted too");
    List<Difference> found = cluster.server("c").verify("t", RowRange.ALL);
    assertThat(found).extracting(each -> each.row().toUtf8()).containsExactly("new", "row100");
    assertThat(found.getFirst().found())
        .hasSize(3)
        .contains(cluster.id("a") + ": nothing", cluster.id("c") + ": f:q@5=planted too");
    assertThat(a().verify("t", RowRange.row(Bytes.utf8("row100")))).hasSize(1);
    assertThat(a().verify("t", RowRange.row(Bytes.utf8("row101")))).isEmpty();
    assertThat(a().repair("t", RowRange.ALL)).isEqualTo(4); // two cells for two replicas each
    assertThat(a().verify("t", RowRange.ALL)).isEmpty();
    cluster.checkEqual("t");
    assertThat(a().repair("t", RowRange.ALL)).isZero();
  }

  @Test
  void verifyFromAServerWithoutAReplicaAndWithOneThatDoesNotAnswer() {
    cluster.start("a", "b", "c").create("t", 3);
    for (int i = 0; i < 50; i++) {
      write(a().at(ALL), "t", "row%03d".formatted(i), "v" + i);
    }
    ReplicaServer other = cluster.start("d");
    plant("b", "row010", 5, "planted");
    await().untilAsserted(() -> assertThat(other.verify("t", RowRange.ALL)).hasSize(1));
    cluster.network.isolate(address("c"));
    List<Difference> found = other.verify("t", RowRange.ALL);
    assertThat(found)
        .anySatisfy(
            each ->
                assertThat(each.found().getFirst())
                    .startsWith(cluster.id("c") + ": ")
                    .contains("nobody at host-c"));
  }

  @Test
  void idleScansLetGoAndGoOnWhenAsked() {
    cluster.settings = cluster.settings.withScanIdle(Duration.ofMillis(1));
    cluster.start("a");
    cluster.create("t", 1);
    for (int i = 0; i < 10; i++) {
      write(a(), "t", "row" + i, "v");
    }
    try (TableScan scan = a().scan("t", ReadPredicate.ALL, ScanOptions.DEFAULT)) {
      int rows = ReplicaCluster.cells(scan.next(60)).size();
      boolean more = true;
      while (more) {
        a().runUpkeep();
        CellPage page = scan.next(60);
        rows += ReplicaCluster.cells(page).size();
        more = page.more();
      }
      assertThat(rows).isEqualTo(10);
    }
  }
}
