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
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Acks;
import io.stele.base.table.Replicas;
import io.stele.base.table.Tables;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.MetadataChange;
import io.stele.replicas.metadata.Partition;
import io.stele.replicas.metadata.RandomNames;
import io.stele.replicas.push.Duty;
import io.stele.replicas.push.LocalReplica;
import io.stele.replicas.push.Push;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** How replicas come, split, join and go. */
@Execution(ExecutionMode.CONCURRENT)
class ReplicaLifecycleTest {
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

  private Partition only() {
    return cluster.metadata("t").partitions().getFirst();
  }

  private void change(MetadataChange.Operation operation) {
    a().machinery().change(cluster.metadata("t").table(), cluster.metadata("t"), operation);
  }

  private boolean isOnDisk(String name, Assignment assignment) {
    return cluster.replicaDirectories(name).stream()
        .anyMatch(each -> each.endsWith(assignment.id()));
  }

  private String newId() {
    return RandomNames.next(a().machinery().random());
  }

  /** Waits until a new member serves so many rows: it may be the last to hear that it is one. */
  private void awaitRows(String name, int rows) {
    await()
        .ignoreExceptionsInstanceOf(NotServingException.class)
        .untilAsserted(() -> assertThat(scan(cluster.server(name), "t")).hasSize(rows));
  }

  private void fill(Tables tables, int rows) {
    List<CompletableFuture<Long>> writes = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      writes.add(tables.apply("t", put("row%03d".formatted(i), "v" + i), Tables.ANY_TXN, true));
    }
    writes.forEach(ReplicaCluster::result);
  }

  // ---- sequence maps

  @Test
  void losingTheSequenceMapOnlyCausesResends() throws IOException {
    cluster.start("a", "b", "c").create("t", 3);
    fill(a().at(ALL), 50);
    Map<String, Long> before = new TreeMap<>();
    for (String name : List.of("b", "c")) {
      before.put(name, cluster.replica(name, "t").store().sequence());
    }
    cluster.crash("a");
    for (FileInfo table : cluster.disk("a").list(FilePath.of("tables"))) {
      for (FileInfo replica : cluster.disk("a").list(table.path())) {
        cluster.disk("a").delete(replica.path().resolve("SEQUENCES"));
      }
    }
    cluster.network.forgetCalls();
    cluster.start("a");
    cluster.awaitReplicas("t");
    await()
        .untilAsserted(
            () -> {
              Push.Progress progress = cluster.replica("a", "t").progress();
              assertThat(progress.confirmed())
                  .hasSize(2)
                  .allSatisfy(each -> assertThat(each.sequence()).isEqualTo(progress.sequence()));
            });
    assertThat(cluster.network.calls())
        .as("it was sent again")
        .anyMatch(each -> each.is("push") && each.from().equals(address("a")));
    before.forEach(
        (name, sequence) ->
            assertThat(cluster.replica(name, "t").store().sequence())
                .as("nothing was written again at " + name)
                .isEqualTo(sequence));
    cluster.awaitEqual("t");
  }

  @Test
  void whatIsConfirmedIsRememberedAcrossRestarts() {
    cluster.start("a", "b", "c").create("t", 3);
    fill(a().at(ALL), 50);
    await()
        .until(
            () -> {
              Push.Progress progress = cluster.replica("a", "t").progress();
              return progress.confirmed().stream()
                  .allMatch(each -> each.sequence() == progress.sequence());
            });
    a().close();
    cluster.network.down(address("a"));
    cluster.events.clear();
    cluster.start("a");
    cluster.awaitReplicas("t");
    await()
        .untilAsserted(
            () ->
                assertThat(cluster.events)
                    .filteredOn(each -> each.startsWith("a: ") && each.contains("sent"))
                    .hasSize(2)
                    .allMatch(each -> each.contains("sent 0 cells")));
  }

  // ---- coming and going

  @Test
  void aServerThatHadThePartitionBeforeIsSentEverythingAgain() {
    cluster.start("a", "b", "c").create("t", 3);
    cluster.coordination.lead("nobody"); // or the place would be filled at once
    ReplicaServer member = cluster.server(cluster.nameOf(only().members().getFirst().server()));
    fill(member.at(ALL), 40);
    Assignment leaving = only().members().getLast();
    String name = cluster.nameOf(leaving.server());
    change(new MetadataChange.Leave(only().id(), List.of(leaving.id())));
    await().until(() -> !isOnDisk(name, leaving));
    Assignment again = new Assignment(leaving.server(), newId());
    change(new MetadataChange.Join(only().id(), again, Optional.empty()));
    await().until(() -> only().members().contains(again));
    awaitRows(name, 40);
    assertThat(cluster.replicaDirectories(name)).containsExactly(only().id() + "." + again.id());
    cluster.awaitEqual("t");
  }

  @Test
  void aPushToAnotherAssignmentIsRefused() {
    cluster.start("a", "b").create("t", 2);
    LocalReplica at = cluster.replica("b", "t");
    Push push =
        new Push(
            cluster.metadata("t").table(),
            only().id(),
            new Assignment(cluster.id("b"), "another"),
            cluster.replica("a", "t").name().assignment(),
            1,
            1,
            false,
            List.of(put("r", 1, "v")),
            List.of(),
            0);
    assertThatThrownBy(() -> result(cluster.server("b").replicaPeer().push(push)))
        .isInstanceOf(NotServingException.class)
        .hasMessageContaining("another")
        .hasMessageContaining("is not at server " + cluster.id("b"));
    assertThat(at.store().sequence()).isEqualTo(cluster.replica("a", "t").store().sequence());
  }

  @Test
  void aJoinIsFinalizedOnlyWhenTheCopyIsComplete() {
    cluster.start("a", "b", "c");
    cluster.create("t", 3);
    fill(a().at(ALL), 60);
    cluster.start("d");
    cluster.network.isolate(address("d"));
    Assignment joining = new Assignment(cluster.id("d"), newId());
    Optional<String> replaced =
        only().members().stream()
            .filter(each -> !each.server().equals(cluster.id("a")))
            .map(Assignment::id)
            .findFirst();
    change(new MetadataChange.Join(only().id(), joining, replaced));
    cluster.network.on(call -> call.is("push") && call.to().equals(address("d"))).refuse(100_000);
    cluster.network.heal(address("d"), address("a"));
    write(a(), "t", "meanwhile", "v"); // those that join do not count, nor hold it up
    assertThat(only().members()).hasSize(3);
    assertThat(only().joining()).hasSize(1);
    assertThat(a().status("t").partitions().getFirst().replicas())
        .anyMatch(each -> each.role().equals("joining"));
    for (int round = 0; round < 10; round++) {
      a().runUpkeep();
      assertThat(only().joining()).as("d has nothing yet").hasSize(1);
    }
    cluster.network.heal();
    await().until(() -> only().members().contains(joining));
    awaitRows("d", 61);
    cluster.awaitEqual("t");
  }

  private List<String> copiesTo(String server) {
    return cluster.events.stream()
        .filter(each -> each.contains(" cells to " + cluster.id(server)))
        .toList();
  }

  /** In the place of the last member. */
  private void join(Assignment joining) {
    Optional<String> replaced = Optional.of(only().members().getLast().id());
    change(new MetadataChange.Join(only().id(), joining, replaced));
  }

  @Test
  void oneMemberCopiesEverythingToAServerThatJoins() {
    cluster.start("a", "b", "c").create("t", 3);
    fill(a().at(ALL), 60);
    cluster.awaitSettled("t");
    cluster.start("d");
    Assignment joining = new Assignment(cluster.id("d"), newId());
    join(joining);
    await().until(() -> only().members().contains(joining));
    cluster.awaitSettled("t");
    await().until(() -> !copiesTo("d").isEmpty()); // is told after it is settled
    assertThat(copiesTo("d")).hasSize(1).allMatch(each -> each.contains("60 cells"));
    awaitRows("d", 60);
  }

  @Test
  void aFeederThatCannotSendIsNotWaitedForWhenItIsGone() {
    cluster.start("a", "b", "c").create("t", 3);
    fill(a().at(ALL), 60);
    cluster.awaitSettled("t");
    cluster.start("d");
    String feeder = cluster.nameOf(only().members().getFirst().server());
    cluster.network.cut(address(feeder), address("d"));
    Assignment joining = new Assignment(cluster.id("d"), newId());
    join(joining);
    await().until(() -> !cluster.replicaDirectories("d").isEmpty());
    assertThat(only().joining()).hasSize(1);
    cluster.crash(feeder);
    await().until(() -> only().members().contains(joining));
    awaitRows("d", 60);
  }

  @Test
  void theLastCopyIsKeptUntilAllOthersHaveIt() {
    cluster.start("a", "b");
    cluster.create("t", 1);
    String had = cluster.nameOf(only().members().getFirst().server());
    String gets = had.equals("a") ? "b" : "a";
    fill(cluster.server(had), 30);
    cluster.network.on(call -> call.is("push")).refuse(Integer.MAX_VALUE);
    Assignment next = new Assignment(cluster.id(gets), newId());
    Partition before = only();
    change(
        new MetadataChange.Join(before.id(), next, Optional.of(before.members().getFirst().id())));
    change(new MetadataChange.FinalizeJoin(before.id(), next.id())); // too early, by force
    await()
        .until(
            () ->
                cluster.server(had).machinery().host().replicas().stream()
                    .allMatch(each -> each.duty().role().text().equals("leaving")));
    for (int round = 0; round < 10; round++) {
      cluster.server(had).runUpkeep();
    }
    assertThat(cluster.replicaDirectories(had)).as("nobody else has it").hasSize(1);
    cluster.network.heal();
    await().until(() -> cluster.replicaDirectories(had).isEmpty());
    awaitRows(gets, 30);
  }

  @Test
  void aLeavingReplicaWaitsForAllTargetsNotForAMajority() {
    cluster.start("a", "b", "c").create("t", 3);
    Assignment leaving = only().members().getFirst();
    String name = cluster.nameOf(leaving.server());
    String cut = cluster.nameOf(only().members().getLast().server());
    ReplicaServer server = cluster.server(name);
    write(server.at(ALL), "t", "r0", "v");
    cluster.network.on(call -> call.is("push") && call.to().equals(address(cut))).refuse(10_000);
    write(server, "t", "r1", "v"); // a majority has it
    change(new MetadataChange.Leave(only().id(), List.of(leaving.id())));
    LocalReplica left =
        server.machinery().host().replicas().stream()
            .filter(each -> each.name().assignment().equals(leaving))
            .findFirst()
            .orElseThrow();
    await().until(() -> left.duty().role() == Duty.Role.LEAVING);
    for (int round = 0; round < 10; round++) {
      server.runUpkeep();
    }
    assertThat(isOnDisk(name, leaving)).as("one of the targets lacks it").isTrue();
    cluster.network.heal();
    await().until(() -> !isOnDisk(name, leaving));
    assertThat(get(cluster.server(cut), "t", "r1")).isEqualTo(Optional.of("v"));
  }

  @Test
  void aDeadServerIsReplacedAndAWipedOneIsAnother() {
    cluster.settings =
        cluster.settings.withKeeper(
            cluster
                .settings
                .keeper()
                .withDeadAfter(Duration.ofMillis(100), Duration.ofMillis(100)));
    cluster.start("a", "b", "c", "d");
    cluster.create("t", 3);
    String dead =
        only().members().stream()
            .map(each -> cluster.nameOf(each.server()))
            .filter(each -> !each.equals("a")) // which leads
            .findFirst()
            .orElseThrow();
    ReplicaServer member =
        cluster.server(
            only().members().stream()
                .map(each -> cluster.nameOf(each.server()))
                .filter(each -> !each.equals(dead))
                .findFirst()
                .orElseThrow());
    fill(member.at(ALL), 40);
    String id = cluster.id(dead);
    cluster.wipe(dead);
    await()
        .until(
            () ->
                only().joining().isEmpty()
                    && only().members().size() == 3
                    && only().members().stream().noneMatch(each -> each.server().equals(id)));
    cluster.start(dead);
    assertThat(cluster.id(dead)).isNotEqualTo(id);
    cluster.awaitEqual("t");
    assertThat(scan(member, "t")).hasSize(40);
  }

  /** Writes at all servers until it is closed, and notes what was acknowledged. */
  private final class Writers implements AutoCloseable {
    private final AtomicBoolean stop = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();

    private Writers(Map<String, String> acknowledged) {
      for (String name : cluster.servers.keySet()) {
        threads.add(Thread.ofPlatform().start(() -> run(name, acknowledged)));
      }
    }

    private void run(String name, Map<String, String> acknowledged) {
      for (int i = 0; !stop.get(); i++) {
        String row = "row%03d%s%d".formatted(i % 100, name, i);
        try {
          write(cluster.server(name), "t", row, name + i);
          acknowledged.put(row, name + i);
        } catch (SteleException e) {
          Thread.yield(); // not acknowledged, then
        }
      }
    }

    @Override
    public void close() throws InterruptedException {
      stop.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }

  // ---- splits

  @Test
  void aSplitUnderWritesLosesNothing() throws Exception {
    cluster.start("a", "b", "c").create("t", 3);
    fill(a().at(ALL), 100);
    Map<String, String> acknowledged = new ConcurrentSkipListMap<>();
    try (Writers writers = new Writers(acknowledged)) {
      Bytes at = a().split("t", Bytes.EMPTY, Bytes.EMPTY);
      assertThat(at.toUtf8()).isBetween("row010", "row090");
      await().until(() -> cluster.metadata("t").partitions().size() == 2);
      int during = acknowledged.size();
      await().until(() -> acknowledged.size() > during + 50);
      a().split("t", Bytes.utf8("row000"), Bytes.EMPTY);
      await().until(() -> cluster.metadata("t").partitions().size() == 3);
    }
    assertThat(acknowledged).hasSizeGreaterThan(50);
    cluster.awaitReplicas("t");
    cluster.awaitEqual("t");
    await() // until then a server may not have heard of the last split, and read the old replica
        .untilAsserted(
            () ->
                cluster.servers.forEach(
                    (name, _) -> assertThat(cluster.replicaDirectories(name)).hasSize(3)));
    for (ReplicaServer server : cluster.servers.values()) {
      Map<String, String> found = scan(server, "t");
      assertThat(found).hasSizeGreaterThanOrEqualTo(100 + acknowledged.size());
      assertThat(found).containsAllEntriesOf(acknowledged);
    }
  }

  @Test
  void aMinorityOfOneHalfBlocksTheSplit() {
    List<String> members = List.of("a", "b", "c");
    List<String> others = List.of("d", "e");
    cluster.start("a", "b", "c").create("t", 3);
    cluster.start("d", "e");
    ReplicaServer server = a();
    fill(server.at(ALL), 40);
    // The upper half: at one member, and at two servers that cannot be reached.
    others.forEach(each -> cluster.network.isolate(address(each)));
    List<Assignment> upper =
        List.of(
            new Assignment(cluster.id(members.getFirst()), newId()),
            new Assignment(cluster.id(others.get(0)), newId()),
            new Assignment(cluster.id(others.get(1)), newId()));
    List<Assignment> lower =
        members.stream().map(each -> new Assignment(cluster.id(each), newId())).toList();
    Partition whole = only();
    server
        .machinery()
        .change(
            cluster.metadata("t").table(),
            cluster.metadata("t"),
            new MetadataChange.BeginSplit(
                whole.id(),
                new Partition.Split(
                    Bytes.utf8("row019"),
                    new Partition.Half(newId(), lower),
                    new Partition.Half(newId(), upper))));
    await()
        .until(
            () ->
                server.status("t").partitions().getFirst().replicas().stream()
                        .filter(each -> each.role().endsWith("half") && each.problem().isEmpty())
                        .filter(each -> each.sequence() > 0)
                        .count()
                    == 4);
    for (int round = 0; round < 10; round++) {
      cluster.servers.values().forEach(ReplicaServer::runUpkeep);
    }
    assertThat(only().split()).as("one of three of the upper half have it").isPresent();
    write(server.at(ONE), "t", "row001", "one is enough");
    cluster.network.heal();
    await().until(() -> cluster.metadata("t").partitions().size() == 2);
    cluster.awaitReplicas("t");
    cluster.awaitEqual("t");
    await()
        .untilAsserted(
            () ->
                cluster.servers.forEach(
                    (name, _) ->
                        assertThat(cluster.replicaDirectories(name))
                            .hasSize(name.equals(members.getFirst()) ? 2 : 1)));
  }

  @Test
  void aLateReplicaPushesWhatItHasAndThenDropsIt() {
    cluster.start("a", "b", "c").create("t", 3);
    fill(a().at(ALL), 40);
    cluster.network.isolate(address("c"));
    write(cluster.server("c").at(ONE), "t", "row999", "only at c");
    cluster.crash("c"); // has it durably
    a().split("t", Bytes.EMPTY, Bytes.utf8("row019"));
    await().until(() -> cluster.metadata("t").partitions().size() == 2);
    assertThat(get(a(), "t", "row999")).isEmpty();
    cluster.network.heal();
    cluster.start("c");
    await().until(() -> get(a(), "t", "row999").equals(Optional.of("only at c")));
    await().until(() -> cluster.replicaDirectories("c").size() == 2);
    cluster.awaitEqual("t");
  }

  @Test
  void ofSimultaneousSplitsOneWins() {
    cluster.start("a", "b", "c").create("t", 3);
    fill(a().at(ALL), 40);
    String table = cluster.metadata("t").table();
    String partition = only().id();
    List<CompletableFuture<Bytes>> splits = new ArrayList<>();
    cluster.servers.forEach(
        (name, server) ->
            splits.add(server.replicaPeer().split(table, partition, Bytes.utf8("row02" + name))));
    int won = 0;
    for (CompletableFuture<Bytes> split : splits) {
      try {
        result(split);
        won++;
      } catch (ConflictException | NotServingException e) {
        // Another was faster.
      }
    }
    assertThat(won).isEqualTo(1);
    await().until(() -> cluster.metadata("t").partitions().size() == 2);
    cluster.awaitReplicas("t");
    cluster.awaitEqual("t");
    assertThat(scan(a(), "t")).hasSize(40);
  }

  @Test
  void finalizingTwiceDoesNoHarm() {
    cluster.start("a", "b", "c").create("t", 3);
    fill(a().at(ALL), 40);
    Partition whole = only();
    a().split("t", Bytes.EMPTY, Bytes.utf8("row019"));
    await().until(() -> cluster.metadata("t").partitions().size() == 2);
    Metadata after = cluster.metadata("t");
    List<String> halves = after.partitions().stream().map(Partition::id).toList();
    assertThat(halves).doesNotContain(whole.id());
    assertThatThrownBy(
            () ->
                change(
                    new MetadataChange.FinalizeSplit(
                        whole.id(), halves.getFirst(), halves.getLast())))
        .isInstanceOf(ConflictException.class);
    assertThat(cluster.metadata("t")).isEqualTo(after);
    assertThat(scan(a(), "t")).hasSize(40);
  }

  @Test
  void aPartitionThatHasGrownIsSplitByItself() {
    cluster.start("a", "b", "c");
    TableSchema small =
        TableSchema.ofFamilies("f").withReplication(Replication.of(3).withSplitBytes(20_000));
    a().create("t", small, List.of());
    cluster.awaitReplicas("t");
    String value = "x".repeat(500);
    for (int i = 0; i < 100; i++) {
      write(a(), "t", "row%03d".formatted(i), value);
    }
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> cluster.metadata("t").partitions().size() >= 3);
    cluster.awaitReplicas("t");
    assertThat(scan(a(), "t")).hasSize(100);
    Replicas.Metadata text = a().metadata("t");
    assertThat(text.text()).anyMatch(line -> line.startsWith("  member "));
    assertThat(text.servers()).hasSize(3);
  }

  @Test
  void aPartitionOfOneRowCannotBeSplit() {
    cluster.start("a");
    cluster.create("t", 1);
    assertThatThrownBy(() -> a().split("t", Bytes.EMPTY, Bytes.EMPTY))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("has no row in its middle to split at");
  }
}
