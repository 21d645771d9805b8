package io.stele.replicas.serve;

import static io.stele.replicas.serve.ReplicaCluster.get;
import static io.stele.replicas.serve.ReplicaCluster.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Reads;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.Partition;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Replicas that move between live servers. */
class BalanceTest {
  private static final Consistency MAJORITY = Consistency.DEFAULT.withReads(Reads.MAJORITY);
  private static final int PARTITIONS = 6;

  private final ReplicaCluster cluster = new ReplicaCluster();
  private final Map<String, String> written = new TreeMap<>();

  @AfterEach
  void stop() {
    cluster.close();
  }

  /** A server that has a row. */
  private ReplicaServer member(String row) {
    String address = cluster.server("a").locate("t", Bytes.utf8(row), 1).getFirst().address();
    return cluster.server(address.replace("host-", ""));
  }

  /** A table of several partitions, by splits of one. */
  private void createAndSplit() {
    cluster.create("t", 3);
    for (int i = 0; i < 60; i++) {
      String row = "%02d".formatted(i);
      write(member(row).at(MAJORITY), "t", row, "v" + i);
      written.put(row, "v" + i);
    }
    for (int i = 1; i < PARTITIONS; i++) {
      Bytes at = Bytes.utf8("%02d".formatted(10 * i));
      await()
          .ignoreExceptions() // a partition that is being moved, and not known to be at its end
          .until(() -> !cluster.server("a").split("t", at, at).isEmpty());
      int partitions = i + 1;
      await().until(() -> atRest() && cluster.metadata("t").partitions().size() == partitions);
    }
  }

  private boolean atRest() {
    return cluster.metadata("t").partitions().stream()
        .allMatch(each -> each.split().isEmpty() && each.joining().isEmpty());
  }

  /** How many replicas each server has. */
  private Map<String, Long> counts() {
    return cluster.metadata("t").partitions().stream()
        .flatMap(each -> each.members().stream())
        .collect(
            Collectors.groupingBy(
                each -> cluster.nameOf(each.server()), TreeMap::new, Collectors.counting()));
  }

  /** Looks at METADATA while it changes: no partition ever has fewer members, or moves twice. */
  private boolean isSpread(int servers, long most) {
    Metadata metadata = cluster.metadata("t");
    for (Partition partition : metadata.partitions()) {
      assertThat(partition.members().stream().map(Assignment::server).distinct()).hasSize(3);
    }
    assertThat(metadata.partitions().stream().mapToInt(each -> each.joining().size()).sum())
        .as("moves at a time")
        .isLessThanOrEqualTo(1);
    Map<String, Long> counts = counts();
    return counts.size() == servers
        && counts.values().stream().allMatch(each -> each <= most)
        && atRest();
  }

  @Test
  void aTableSpreadsOverAllServersAndOverThoseThatCome() {
    cluster.settings =
        cluster.settings.withKeeper(
            cluster.settings.keeper().withMoves(1).withEvery(Duration.ofMillis(50)));
    cluster.start("a", "b", "c", "d", "e");
    createAndSplit();
    await().atMost(Duration.ofSeconds(60)).until(() -> isSpread(5, 4)); // of 18 replicas
    cluster.start("f");
    await() // at rest, it may also be between two moves
        .atMost(Duration.ofSeconds(60))
        .until(() -> isSpread(6, 4) && counts().get("f") >= 2);
    cluster.awaitReplicas("t");
    cluster.awaitEqual("t");
    await() // replicas may still move
        .ignoreExceptionsInstanceOf(SteleException.class)
        .untilAsserted(
            () ->
                written.forEach(
                    (row, value) ->
                        assertThat(get(member(row).at(MAJORITY), "t", row)).contains(value)));
    await("what was moved away is gone")
        .until(
            () ->
                cluster.servers.keySet().stream()
                        .mapToInt(each -> cluster.replicaDirectories(each).size())
                        .sum()
                    == 3 * PARTITIONS);
    assertThat(cluster.events).anyMatch(each -> each.contains("to balance them"));
  }

  @Test
  void nothingMovesWhereThatIsTurnedOff() {
    cluster.start("a", "b", "c", "d", "e");
    createAndSplit();
    assertThat(counts()).hasSize(3);
    assertThat(cluster.events).noneMatch(each -> each.contains("to balance them"));
  }
}
