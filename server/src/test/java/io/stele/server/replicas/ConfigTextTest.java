package io.stele.server.replicas;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.schema.Compression;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.replicas.metadata.Coordination.LiveServer;
import io.stele.replicas.metadata.TableConfig;
import io.stele.replicas.metadata.TableConfigText;
import io.stele.testkit.golden.FormatFile;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Values of the metastore's keys in their first form; they are read for ever. */
class ConfigTextTest {
  @Test
  void aReplicatedTable() {
    TableConfig config =
        new TableConfig(
            "users/50%",
            "5f01",
            new TableSchema(
                    List.of(
                        GroupSchema.of("any", "*").withInMemory(true),
                        GroupSchema.of("main", "name", "größe")
                            .withPurge(PurgePolicy.parse("max-age=5 and max-history=3"))
                            .withCompression(Compression.ZSTD)
                            .withBlockSize(65_536)))
                .withReplication(new Replication(5, Duration.ofDays(10), 1L << 40)),
            "0c02",
            List.of("9a03", "4104"));
    String key = ReplicaKeys.table("users/50%");
    assertThat(key).isEqualTo("/stele/replicas/tables/users%2F50%25");
    byte[] stored =
        FormatFile.read("replicated-table-v1.json", TableConfigText.write(config).getBytes(UTF_8));
    assertThat(TableConfigText.read(key, ReplicaKeys.nameOf(key), new String(stored, UTF_8)))
        .isEqualTo(config);
  }

  @Test
  void aServer() {
    LiveServer server = new LiveServer("9a03", "10.0.0.7:7835", 70_368_744_177L, 107_374_182_400L);
    byte[] stored =
        FormatFile.read("replica-server-v1.json", ServerText.write(server).getBytes(UTF_8));
    assertThat(ServerText.server(ReplicaKeys.server("9a03"), new String(stored, UTF_8)))
        .isEqualTo(server);
  }

  @Test
  void aServerOnARack() {
    LiveServer server = new LiveServer("9a03", "10.0.0.7:7835", 7, 10, Optional.of("b"));
    byte[] stored =
        FormatFile.read("replica-server-v2.json", ServerText.write(server).getBytes(UTF_8));
    assertThat(ServerText.server(ReplicaKeys.server("9a03"), new String(stored, UTF_8)))
        .isEqualTo(server);
  }
}
