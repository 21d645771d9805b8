package io.stele.replicas.serve;

import static io.stele.replicas.serve.ReplicaCluster.get;
import static io.stele.replicas.serve.ReplicaCluster.scan;
import static io.stele.replicas.serve.ReplicaCluster.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Writes and reads through any replica. */
class ReplicaWritesTest {
  private final ReplicaCluster cluster = new ReplicaCluster().start("a", "b", "c");

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  void anyReplicaTakesWritesAndReads() {
    cluster.create("t", 3);
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
}
