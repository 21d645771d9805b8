package io.stele.replicas.serve;

import static io.stele.replicas.serve.ReplicaCluster.get;
import static io.stele.replicas.serve.ReplicaCluster.result;
import static io.stele.replicas.serve.ReplicaCluster.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.NotServingException;
import io.stele.base.file.FilePath;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Acks;
import io.stele.base.table.Consistency.Reads;
import io.stele.base.table.Tables;
import io.stele.replicas.placement.KeeperSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Servers that are away for longer than erasures are kept. */
@Execution(ExecutionMode.CONCURRENT)
class LongAwayTest {
  private static final Consistency ALL = Consistency.DEFAULT.withAcks(Acks.ALL);
  private static final Consistency MAJORITY = Consistency.DEFAULT.withReads(Reads.MAJORITY);
  private static final long DAYS_11 = Duration.ofDays(11).toMillis(); // erasures are kept for 10

  private final ReplicaCluster cluster = new ReplicaCluster();

  @AfterEach
  void stop() {
    cluster.close();
  }

  /** Waits until a server has noted that it was in contact. */
  private void awaitSeen(String name) {
    FilePath tables = FilePath.of("tables").resolve(cluster.coordination.config("t").id());
    await()
        .until(
            () -> {
              FilePath directory = cluster.disk(name).list(tables).getFirst().path();
              return cluster.disk(name).stat(directory.resolve("SEEN")).isPresent();
            });
  }

  private void erase(String server, String row) {
    Tables tables = cluster.server(server);
    var erasure = new CellBatchBuilder().add(Cell.eraseRow(Bytes.utf8(row))).build();
    result(tables.apply("t", erasure, Tables.ANY_TXN, true));
  }

  private void advance(String... names) {
    for (String name : names) {
      cluster.aheadMillis.merge(name, DAYS_11, Long::sum);
    }
  }

  /** Merges all files, which forgets the erasures that may be forgotten. */
  private void compact(String... names) {
    for (String name : names) {
      cluster.replica(name, "t").store().compact();
    }
  }

  private boolean hasErasures(String name) {
    try (var changes = cluster.replica(name, "t").store().changesSince(0, RowRange.ALL)) {
      return changes.next(1 << 20).isPresent();
    }
  }

  @Test
  void membersKeepErasuresForAMemberThatIsAway() {
    cluster.start("a", "b", "c").create("t", 3);
    write(cluster.server("a").at(ALL), "t", "r", "v");
    awaitSeen("c");
    cluster.stop("c");
    erase("a", "r");
    compact("a", "b");
    advance("a", "b", "c");
    compact("a", "b");
    cluster.start("c");
    await().until(() -> get(cluster.server("c"), "t", "r").isEmpty());
    assertThat(get(cluster.server("a").at(MAJORITY), "t", "r")).isEmpty();
    cluster.awaitEqual("t");
    advance("a", "b", "c");
    await()
        .untilAsserted(
            () -> {
              compact("a", "b");
              assertThat(hasErasures("a") || hasErasures("b")).as("erasures").isFalse();
            });
  }

  @Test
  void aReplicaThatWasReplacedDoesNotBringBackWhatWasDeleted() throws IOException {
    cluster.settings =
        cluster.settings.withKeeper(
            KeeperSettings.DEFAULT
                .withEvery(Duration.ofMillis(20))
                .withDeadAfter(Duration.ofMillis(100), Duration.ofMillis(100)));
    cluster.start("a", "b", "c", "d").create("t", 3);
    List<String> members = members();
    String spare =
        Stream.of("a", "b", "c", "d").filter(each -> !members.contains(each)).findFirst().get();
    String away = members.stream().filter(each -> !each.equals("a")).findFirst().get();
    write(cluster.server(members.getFirst()).at(ALL), "t", "r", "v");
    awaitSeen(away);
    cluster.stop(away);
    await().until(() -> members().contains(spare));
    cluster.awaitReplicas("t");
    List<String> now = members();
    await() // the server may not have heard yet that it is a member
        .ignoreExceptionsInstanceOf(NotServingException.class)
        .until(() -> erased(now.getFirst()));
    cluster.awaitEqual("t");
    compact(now.toArray(String[]::new));
    advance("a", "b", "c", "d");
    await()
        .untilAsserted(
            () -> {
              compact(now.toArray(String[]::new));
              assertThat(now).noneMatch(this::hasErasures);
            });
    cluster.start(away);
    await().until(() -> cluster.replicaDirectories(away).isEmpty());
    for (String each : now) {
      assertThat(get(cluster.server(each), "t", "r")).as("at %s", each).isEmpty();
    }
    assertThat(cluster.disk(away).list(FilePath.of("set-aside"))).hasSize(1);
    assertThat(cluster.events).anyMatch(each -> each.contains("had no contact with the cluster"));
  }

  private boolean erased(String server) {
    erase(server, "r");
    return true;
  }

  private List<String> members() {
    return cluster.metadata("t").partitions().getFirst().members().stream()
        .map(each -> each.server())
        .filter(each -> cluster.servers.values().stream().anyMatch(s -> s.id().equals(each)))
        .map(cluster::nameOf)
        .toList();
  }

  @Test
  void aClusterThatWasOffForLongGoesOnWithWhatItHas() {
    cluster.start("a", "b", "c").create("t", 3);
    write(cluster.server("a").at(ALL), "t", "r", "v");
    for (String name : List.of("a", "b", "c")) {
      awaitSeen(name);
    }
    for (String name : List.of("a", "b", "c")) {
      cluster.stop(name);
    }
    advance("a", "b", "c");
    cluster.start("a", "b", "c").awaitReplicas("t");
    for (String name : List.of("a", "b", "c")) {
      assertThat(get(cluster.server(name), "t", "r")).as("at %s", name).contains("v");
    }
  }

  @Test
  void aReplicaThatMayHaveBeenReplacedWaitsForTheMetastore() {
    cluster.start("a", "b", "c").create("t", 3);
    write(cluster.server("a").at(ALL), "t", "r", "v");
    awaitSeen("c");
    cluster.stop("c");
    advance("a", "b", "c");
    cluster.coordination.everybodyAway(true);
    cluster.start("c");
    assertThatThrownBy(() -> get(cluster.server("c"), "t", "r"))
        .isInstanceOf(NotServingException.class);
    cluster.coordination.everybodyAway(false);
    await()
        .ignoreExceptionsInstanceOf(NotServingException.class)
        .until(() -> get(cluster.server("c"), "t", "r").equals(Optional.of("v")));
  }

  @Test
  void theOnlyCopyIsServedAtOnce() {
    cluster.start("a");
    cluster.create("t", 1);
    write(cluster.server("a"), "t", "r", "v");
    awaitSeen("a");
    cluster.stop("a");
    advance("a");
    cluster.coordination.everybodyAway(true);
    cluster.start("a");
    assertThat(get(cluster.server("a"), "t", "r")).contains("v");
  }
}
