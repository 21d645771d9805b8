package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.KnownSetting;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerSettingsTest {

  private static ServerSettings with(String... flags) {
    return ServerSchema.SCHEMA
        .reader()
        .flags(List.of(flags))
        .merge()
        .bind(ServerSettings.class, "server");
  }

  @Test
  void theDefaultsAreASingleMemberOfThisMachine() {
    ServerSettings settings = with();

    assertThat(settings).isEqualTo(ServerSettings.DEFAULTS);
    assertThat(settings.roleSet())
        .containsExactly(Role.METASTORE, Role.TABLES, Role.MASTER, Role.REPLICAS, Role.DATASETS);
    assertThat(settings.listen()).isEqualTo("127.0.0.1");
    assertThat(settings.port()).isEqualTo(7835);
    assertThat(settings.raftPort()).isEqualTo(7836);
    assertThat(settings.rowsPort()).isEqualTo(7837);
    assertThat(settings.waitsForGroup()).isFalse();
    assertThat(settings.reachableHost()).isEqualTo("127.0.0.1");
  }

  @Test
  void everyKeyMaps() {
    assertThat(
            with(
                "server.roles=metastore",
                "server.data=/d",
                "server.listen=0.0.0.0",
                "server.port=1",
                "server.raft-port=2",
                "server.rows-port=3",
                "server.name=a",
                "server.advertise=db1",
                "server.seeds=b:1,c:2",
                "server.metastore=d:3",
                "server.await=true",
                "server.multicast=true",
                "server.force-new-cluster=true",
                "server.insecure=true"))
        .isEqualTo(
            new ServerSettings(
                List.of("metastore"),
                Path.of("/d"),
                "0.0.0.0",
                1,
                2,
                3,
                Optional.of("a"),
                Optional.of("db1"),
                List.of("b:1", "c:2"),
                List.of("d:3"),
                true,
                true,
                true,
                true));
    assertThat(
            ServerSchema.SCHEMA
                .reader()
                .environment(Map.of("STELE_SERVER_PORT", "9", "STELE_JAVA_OPTS", "-Xint"))
                .merge()
                .bind(ServerSettings.class, "server")
                .port())
        .isEqualTo(9);
  }

  @Test
  void everySettingSaysWhatItIs() {
    assertThat(ServerSchema.SCHEMA.known())
        .filteredOn(setting -> setting.about().isEmpty())
        .extracting(KnownSetting::key)
        .isEmpty();
  }

  @Test
  void whoKnowsOthersWaitsForThem() {
    assertThat(with("server.seeds=b:1").waitsForGroup()).isTrue();
    assertThat(with("server.await=true").waitsForGroup()).isTrue();
    assertThat(with("server.multicast=true").waitsForGroup()).isTrue();
  }

  @Test
  void aServerWithoutTheMetastoreNeedsNoPortForIt() {
    ServerSettings settings = with("server.roles=tables,master", "server.metastore=a:1,b:2");

    assertThat(settings.metastore()).containsExactly("a:1", "b:2");
    assertThat(settings.has(Role.METASTORE)).isFalse();
    assertThat(Addresses.of("h", "h", new Ports(7, 0, 0, 0, 0, 0)).byInterface())
        .containsOnlyKeys("native");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          server.roles=table            | unknown role 'table'; known: metastore, tables, master, replicas, datasets. Did you mean 'tables'?
          server.roles=tables,master    | roles are tables, master, without metastore: server.metastore must name the servers that have it, such as 10.0.0.7:7835
          server.metastore=a            | metastore 'a': must be HOST:PORT, such as 10.0.0.7:7835
          server.roles=                 | no role: must be one or more of metastore, tables, master, replicas, datasets
          server.roles=metastore,metastore | role metastore is there twice
          server.port=65536             | port is 65536: must be from 1 to 65535, or 0 for a free one
          server.raft-port=-1           | raft-port is -1: must be from 1 to 65535, or 0
          server.port=7836              | port and raft-port are both 7836: must be two ports
          server.listen=                | listen is empty: must be an address of this machine
          server.listen=0.0.0.0         | advertise must name the host by which they reach it
          server.name=a b               | name is 'a b': must be 1 to 64 letters, digits, _ or -
          server.seeds=a:1,b            | seed 'b': must be HOST:PORT, such as 10.0.0.7:7835
          server.seeds=a:99999          | seed 'a:99999': must be HOST:PORT
          """)
  void whatCannotBeIsNamed(String flag, String message) {
    assertThatThrownBy(() -> with(flag))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining(message);
  }
}
