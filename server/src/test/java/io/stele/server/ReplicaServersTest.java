package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.event.Events;
import io.stele.base.node.NodeReport.Disk;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.settings.Settings;
import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Acks;
import io.stele.base.table.Consistency.Reads;
import io.stele.base.table.Replicas.PartitionStatus;
import io.stele.base.table.Replicas.ReplicaStatus;
import io.stele.client.Stele;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Servers of replicated tables, whole, in one process. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class ReplicaServersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(40);
  private static final TableSchema THREE =
      TableSchema.ofFamilies("f").withReplication(Replication.of(3));
  private static final TableSchema ONE =
      TableSchema.ofFamilies("f").withReplication(Replication.of(1));
  private static final Consistency SAFEST = new Consistency(Acks.ALL, Reads.MAJORITY);

  @TempDir Path folder;

  private final List<Server> servers = new ArrayList<>();

  @AfterEach
  void stop() {
    servers.reversed().forEach(Server::close); // the one with the metastore last
  }

  private Server start(String name, String... flags) throws IOException {
    List<String> all =
        new ArrayList<>(
            List.of("server.data=" + folder.resolve(name), "server.port=0", "server.raft-port=0"));
    all.addAll(List.of(flags));
    Settings settings = ServerSchema.SCHEMA.reader().flags(all).merge();
    Server server = Server.start(settings, new Events((_, _) -> {}));
    servers.add(server);
    return server;
  }

  private static String address(Server server) {
    return server.addresses().nativeAddress();
  }

  private static Optional<Bytes> value(Stele stele, String table, String row) {
    return stele.table(table).at(SAFEST).get(row).flatMap(found -> found.value("f", "x"));
  }

  @Test
  void aServerByItselfHasOneReplica() throws IOException {
    Server server = start("a");
    try (Stele stele = Stele.connect(address(server))) {
      assertThatThrownBy(() -> stele.tables().create("t", THREE, List.of()))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("3 replicas")
          .hasMessageContaining("1 is live");
      stele.tables().create("t", ONE, List.of());
      stele.table("t").put("r", "f", "x", "1");
      assertThat(value(stele, "t", "r")).contains(Bytes.utf8("1"));
      assertThatThrownBy(() -> stele.table("t").increment("r", "f", "n", 1))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("is a replicated table");

      stele.tables().create("tablets", TableSchema.ofFamilies("f"), List.of());
      stele.table("tablets").put("r", "f", "x", "2");
      assertThat(stele.table("tablets").increment("r", "f", "n", 1)).isEqualTo(1);
      assertThat(stele.tables().list(false)).containsExactly("t", "tablets");
      assertThatThrownBy(() -> stele.tables().create("tablets", ONE, List.of()))
          .isInstanceOf(ConflictException.class);
      assertThatThrownBy(() -> stele.replicas().status("tablets"))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("is a tablet table");
    }
    assertThat(server.inspect().roles()).contains("replicas");
    assertThat(server.inspect().disks()).extracting(Disk::use).contains("replicas");
  }

  @Test
  void whatWasWrittenIsThereForTheNextOneEmbeddedOrNot() throws IOException {
    Path data = folder.resolve("a");
    try (Stele stele = Stele.open(data)) {
      stele.tables().create("t", ONE, List.of());
      stele.table("t").put("r", "f", "x", "1");
      assertThat(stele.replicas().status("t").partitions()).hasSize(1);
      assertThatThrownBy(() -> stele.tables().create("u", THREE, List.of()))
          .isInstanceOf(InvalidRequestException.class);
    }
    try (Stele stele = Stele.connect(address(start("a")))) {
      assertThat(value(stele, "t", "r")).contains(Bytes.utf8("1"));
      stele.table("t").put("s", "f", "x", "2");
    }
    servers.removeLast().close();
    try (Stele stele = Stele.open(data)) {
      assertThat(value(stele, "t", "s")).contains(Bytes.utf8("2"));
    }
  }

  @Test
  void threeServersHaveAReplicaEachAndTwoGoOnWithoutTheThird() throws IOException {
    Server first = start("a", "server.roles=metastore,replicas");
    String[] flags = {"server.roles=replicas", "server.metastore=" + address(first)};
    Server second = start("b", flags);
    Server third = start("c", flags);
    try (Stele stele = Stele.connect(address(second));
        Stele other = Stele.connect(address(first))) {
      await()
          .atMost(PATIENCE)
          .ignoreExceptions()
          .until(
              () -> {
                stele.tables().create("t", THREE, List.of());
                return true;
              });
      stele.table("t").at(SAFEST).put("r", "f", "x", "1");
      assertThat(value(other, "t", "r")).contains(Bytes.utf8("1"));
      PartitionStatus partition = stele.replicas().status("t").partitions().getFirst();
      assertThat(partition.replicas())
          .extracting(ReplicaStatus::address)
          .containsExactlyInAnyOrder(address(first), address(second), address(third));

      third.close();
      stele.table("t").put("s", "f", "x", "2");
      assertThat(value(other, "t", "s")).contains(Bytes.utf8("2"));

      servers.remove(third);
      Server back = start("c", flags);
      await()
          .atMost(PATIENCE)
          .ignoreExceptions()
          .untilAsserted(() -> assertThat(stele.replicas().verify("t", RowRange.ALL)).isEmpty());
      try (Stele atThird = Stele.connect(address(back))) {
        assertThat(value(atThird, "t", "s")).contains(Bytes.utf8("2"));
      }
    }
  }
}
