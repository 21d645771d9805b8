package io.stele.it.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.error.ConflictException;
import io.stele.base.error.SteleException;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Replicas;
import io.stele.client.Stele;
import io.stele.it.process.FaultRun;
import io.stele.it.process.SteleCluster;
import io.stele.testkit.process.Network;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * The replicas of tables in a cluster: when all of them are where they should be.
 *
 * @param cluster all of whose servers keep replicas
 */
record ReplicaTables(SteleCluster cluster) implements FaultRun.Recovery {
  static final int REPLICAS = 3; // of each partition

  /** Without which a server counts as dead. */
  static final Duration SESSION = Duration.ofSeconds(3);

  /** A server that was dead for so long is replaced. */
  static final Duration DEAD_AFTER = Duration.ofSeconds(3);

  private static final String SERVING = "serving";
  private static final String JOINING = "joining";

  /**
   * Starts a cluster; returns when all servers count as live.
   *
   * @param members how many servers are members of the metastore too
   */
  static ReplicaTables start(String name, int servers, int members, Network network) {
    SteleCluster cluster =
        SteleCluster.named(name)
            .with(members, "metastore,replicas")
            .with(servers - members, "replicas")
            .on(network)
            .set(
                "replicas.session=" + SESSION.toMillis() + "ms",
                "replicas.dead-after=" + DEAD_AFTER.toMillis() + "ms",
                "replicas.peer-timeout=2s",
                "replicas.write-timeout=5s",
                "replicas.poll=1s",
                "replicas.upkeep=300ms")
            .start();
    ReplicaTables tables = new ReplicaTables(cluster);
    try {
      tables.awaitLive();
      return tables;
    } catch (RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
  }

  /** A client that asks a server first, and the others if it does not answer. */
  Stele client(int first, Duration timeout) {
    return cluster.client(first, SteleCluster.patience(timeout));
  }

  private Stele hasty() {
    return client(0, Duration.ofSeconds(5));
  }

  private ConditionFactory awaiting(String what) {
    return Awaitility.await(what + "; logs in " + cluster.logs())
        .atMost(SteleCluster.RECOVERY)
        .pollInterval(Duration.ofMillis(100))
        .ignoreExceptionsMatching(problem -> problem instanceof SteleException);
  }

  /** Waits until all servers count as live, by creating a table that needs them all. */
  private void awaitLive() {
    try (Stele client = hasty()) {
      TableSchema schema =
          TableSchema.ofFamilies("f").withReplication(Replication.of(cluster.size()));
      awaiting(cluster.size() + " live servers")
          .until(
              () -> {
                try {
                  client.tables().create("everywhere", schema, List.of());
                } catch (ConflictException e) {
                  // By an attempt whose answer was lost.
                }
                return true;
              });
      client.tables().drop("everywhere");
    }
  }

  /**
   * Waits until every partition has all its replicas on servers that answer, and none is being
   * copied: a server may be wiped now without taking the last copy.
   */
  @Override
  public void await() {
    awaitEach(ReplicaTables::isWhole);
  }

  /** Replicas are the only thing that a wiped server has lost. */
  @Override
  public String wiped() {
    return "replicas";
  }

  /**
   * Waits until in addition nothing is being split and every server has sent every other what it
   * has; to be called while nobody writes.
   */
  void awaitSettled() {
    awaitEach(partition -> isWhole(partition) && isSettled(partition));
  }

  private static boolean isWhole(Replicas.PartitionStatus partition) {
    List<Replicas.ReplicaStatus> replicas = partition.replicas();
    return replicas.stream().filter(each -> each.role().equals(SERVING)).count() == REPLICAS
        && replicas.stream().noneMatch(each -> each.role().equals(JOINING))
        && replicas.stream()
            .allMatch(each -> each.problem().isEmpty() && !each.address().isEmpty());
  }

  private static boolean isSettled(Replicas.PartitionStatus partition) {
    return partition.splitAt().isEmpty()
        && partition.replicas().size() == REPLICAS
        && partition.replicas().stream()
            .flatMap(each -> each.behind().stream())
            .allMatch(to -> to.confirmed() >= to.sequence());
  }

  private void awaitEach(Predicate<Replicas.PartitionStatus> wanted) {
    try (Stele client = hasty()) {
      awaiting("all replicas to be where they should be")
          .untilAsserted(
              () -> {
                for (String table : Load.TABLES) {
                  assertThat(client.replicas().status(table).partitions())
                      .as("partitions of " + table)
                      .allMatch(wanted);
                }
              });
    }
  }
}
