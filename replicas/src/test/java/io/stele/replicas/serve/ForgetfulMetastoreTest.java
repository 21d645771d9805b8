package io.stele.replicas.serve;

import static io.stele.replicas.serve.ReplicaCluster.get;
import static io.stele.replicas.serve.ReplicaCluster.scan;
import static io.stele.replicas.serve.ReplicaCluster.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.UnavailableException;
import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Acks;
import io.stele.base.table.Consistency.Reads;
import io.stele.base.table.Tables;
import io.stele.replicas.metadata.TableConfig;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A coordination service that lost tables is no reason to delete anything. */
@Execution(ExecutionMode.CONCURRENT)
class ForgetfulMetastoreTest {
  private static final Consistency MAJORITY = Consistency.DEFAULT.withReads(Reads.MAJORITY);

  private final ReplicaCluster cluster = new ReplicaCluster();

  @BeforeEach
  void start() {
    cluster.start("a", "b", "c").create("t", 3);
    write(cluster.server("a").at(Consistency.DEFAULT.withAcks(Acks.ALL)), "t", "r1", "v1");
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  /** Every server looks at the service, and does all its upkeep. */
  private void settle() {
    for (ReplicaServer server : cluster.servers.values()) {
      try {
        server.machinery().metadata().round();
      } catch (UnavailableException e) {
        // It is not the service that the server belongs to.
      }
      server.runUpkeep();
    }
  }

  private void assertServed(List<String> values) {
    for (String name : List.of("a", "b", "c")) {
      assertThat(cluster.replicaDirectories(name)).as("replicas of %s", name).hasSize(1);
      Tables tables = cluster.server(name).at(MAJORITY);
      assertThat(scan(tables, "t").values()).as("at %s", name).containsExactlyElementsOf(values);
    }
  }

  private void awaitEvent(String text) {
    await().until(() -> cluster.events.stream().anyMatch(each -> each.contains(text)));
  }

  @Test
  void aServiceThatLostItsVolumeDeletesNothing() {
    cluster.coordination.loseEverything();
    settle();
    assertServed(List.of("v1"));
    write(cluster.server("b"), "t", "r2", "v2");
    assertServed(List.of("v1", "v2"));
    awaitEvent("the metastore is empty, this server belongs to cluster");
  }

  @Test
  void aBackupOfBeforeTheTableDeletesNothing() {
    cluster.coordination.forget("t");
    settle();
    assertServed(List.of("v1"));
    write(cluster.server("b"), "t", "r2", "v2");
    assertServed(List.of("v1", "v2"));
    awaitEvent("table \"t\"");
  }

  @Test
  void serversThatStartAfterItKeepWhatTheyHave() {
    cluster.coordination.loseEverything();
    for (String name : List.of("a", "b", "c")) {
      cluster.crash(name);
    }
    cluster.start("a", "b", "c");
    settle();
    assertServed(List.of("v1"));
    for (String name : List.of("a", "b", "c")) {
      assertThat(cluster.server(name).machinery().cache().table("t")).isPresent();
    }
  }

  @Test
  void whatServersKnowIsListedAgain() {
    TableConfig before = cluster.coordination.config("t");
    cluster.coordination.loseEverything();
    settle();
    assertThat(cluster.server("b").adopt(false))
        .anyMatch(line -> line.equals("table \"t\": listed again, with METADATA 1 of this server"));
    TableConfig after = cluster.coordination.config("t");
    assertThat(after.id()).isEqualTo(before.id());
    assertThat(after.metadataTxn()).isEqualTo(before.metadataTxn());
    settle();
    cluster.server("a").split("t", Bytes.EMPTY, Bytes.utf8("m")); // METADATA can change again
    await().until(() -> cluster.metadata("t").partitions().size() == 2);
    write(cluster.server("a"), "t", "r2", "v2");
    await() // c may not have heard of the split yet, and ask for a partition that is gone
        .ignoreExceptionsInstanceOf(UnavailableException.class)
        .untilAsserted(
            () -> assertThat(get(cluster.server("c").at(MAJORITY), "t", "r2")).contains("v2"));
  }

  @Test
  void newerMetadataTakesThePlaceOfWhatABackupHas() {
    TableConfig backup = cluster.coordination.config("t");
    cluster.server("a").split("t", Bytes.EMPTY, Bytes.utf8("m"));
    await().until(() -> cluster.metadata("t").partitions().size() == 2);
    long sequence = cluster.metadata("t").sequence();
    cluster.coordination.restore(backup);
    for (String name : List.of("a", "b", "c")) {
      cluster.crash(name);
    }
    cluster.start("a", "b", "c");
    settle();
    assertThat(cluster.server("a").adopt(false).getFirst())
        .isEqualTo("table \"t\": listed again, with METADATA " + sequence + " of this server");
    settle();
    assertThat(cluster.metadata("t").sequence()).isEqualTo(sequence);
    assertThat(cluster.server("b").adopt(false).getFirst())
        .isEqualTo("table \"t\": listed already, with METADATA " + sequence);
    assertThat(scan(cluster.server("c").at(MAJORITY), "t")).containsEntry("r1", "v1");
  }

  @Test
  void theServiceOfAnotherClusterIsNotFollowed() {
    cluster.coordination.cluster("another");
    assertThatThrownBy(() -> cluster.server("a").machinery().metadata().round())
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("the metastore is that of cluster another")
        .hasMessageContaining("adopt");
    assertThatThrownBy(() -> cluster.server("a").adopt(true))
        .as("it has tables of its own")
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("[t]");
    assertServed(List.of("v1"));
  }

  @Test
  void aTableThatIsDroppedIsDeletedEverywhereAlsoWhereItWasNotHeardOf() {
    cluster.crash("c");
    cluster.server("a").drop("t");
    await()
        .until(
            () ->
                cluster.replicaDirectories("a").isEmpty()
                    && cluster.replicaDirectories("b").isEmpty());
    cluster.start("c");
    await().until(() -> cluster.replicaDirectories("c").isEmpty());
    assertThatThrownBy(() -> get(cluster.server("c"), "t", "r1"))
        .isInstanceOf(NotFoundException.class);
  }

  @Test
  void aTableThatIsNotListedCanStillBeDropped() {
    cluster.coordination.forget("t");
    settle();
    cluster.server("b").drop("t");
    settle();
    for (String name : List.of("a", "b", "c")) {
      await().until(() -> cluster.replicaDirectories(name).isEmpty());
      assertThat(cluster.server(name).machinery().cache().table("t")).isEmpty();
    }
    assertThat(cluster.server("a").adopt(false)).isEmpty();
  }

  @Test
  void serversStartWithoutTheServiceFromWhatIsOnTheirDisks() {
    for (String name : List.of("a", "b", "c")) {
      cluster.crash(name);
    }
    cluster.coordination.everybodyAway(true);
    cluster.start("a", "b", "c");
    assertServed(List.of("v1"));
    write(cluster.server("b"), "t", "r2", "v2");
    assertServed(List.of("v1", "v2"));
    cluster.coordination.everybodyAway(false);
    settle();
    assertServed(List.of("v1", "v2"));
  }
}
