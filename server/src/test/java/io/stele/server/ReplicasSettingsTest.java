package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.ByteSize;
import io.stele.replicas.serve.ReplicaSettings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplicasSettingsTest {
  private static ReplicasSettings with(String... flags) {
    return ServerSchema.SCHEMA
        .reader()
        .flags(List.of(flags))
        .merge()
        .bind(ReplicasSettings.class, "replicas");
  }

  @Test
  void theDefaultsAreThoseOfAServerInASmallHeap() {
    assertThat(with()).isEqualTo(ReplicasSettings.DEFAULTS);
    ReplicaSettings server = with().server();
    assertThat(server.keeper()).isEqualTo(ReplicaSettings.DEFAULT.keeper());
    assertThat(server.metadata()).isEqualTo(ReplicaSettings.DEFAULT.metadata());
    assertThat(server.writeTimeout()).isEqualTo(ReplicaSettings.DEFAULT.writeTimeout());
    assertThat(server.memoryBytes()).isLessThanOrEqualTo(Runtime.getRuntime().maxMemory() / 8);
  }

  @Test
  void everyKeyMaps() {
    ReplicasSettings settings =
        with(
            "replicas.session=1s",
            "replicas.dead-after=2s",
            "replicas.moves=12",
            "replicas.rack=room-3",
            "replicas.cache=3MiB",
            "replicas.memory=4MiB",
            "replicas.recent=5MiB",
            "replicas.push=6KiB",
            "replicas.relay-after=7s",
            "replicas.write-timeout=8s",
            "replicas.peer-timeout=9s",
            "replicas.poll=10s",
            "replicas.scrub-every=13h",
            "replicas.scrub-rate=14KiB",
            "replicas.upkeep=11s");
    assertThat(settings.session()).isEqualTo(Duration.ofSeconds(1));
    assertThat(settings.rack()).contains("room-3");
    assertThat(settings.cache()).isEqualTo(ByteSize.ofMiB(3));
    ReplicaSettings server = settings.server();
    assertThat(server.keeper().deadAfter()).isEqualTo(Duration.ofSeconds(2));
    assertThat(server.keeper().metadataDeadAfter()).isEqualTo(Duration.ofSeconds(2));
    assertThat(server.keeper().moves()).isEqualTo(12);
    assertThat(server.keeper().every()).isLessThan(Duration.ofSeconds(1));
    assertThat(server.memoryBytes()).isEqualTo(4 << 20);
    assertThat(server.push().ringBytes()).isEqualTo(5 << 20);
    assertThat(server.push().pushBytes()).isEqualTo(6 << 10);
    assertThat(server.push().relayAfter()).isEqualTo(Duration.ofSeconds(7));
    assertThat(server.writeTimeout()).isEqualTo(Duration.ofSeconds(8));
    assertThat(server.peerTimeout()).isEqualTo(Duration.ofSeconds(9));
    assertThat(server.metadata().poll()).isEqualTo(Duration.ofSeconds(10));
    assertThat(server.scrub().every()).isEqualTo(Duration.ofHours(13));
    assertThat(server.scrub().bytesPerSecond()).isEqualTo(14 << 10);
    assertThat(server.upkeep()).isEqualTo(Duration.ofSeconds(11));
  }

  @Test
  void whatCannotBeIsNamed() {
    assertThatThrownBy(() -> with("replicas.session=10ms"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("replicas.session is 10ms: must be at least 200ms");
    assertThatThrownBy(() -> with("replicas.push=2GiB"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("replicas.push is 2GiB: must be less than 2GiB");
    assertThatThrownBy(() -> with("replicas.rack=a/b"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("replicas.rack is 'a/b': must be 1 to 64 letters, digits");
    assertThatThrownBy(() -> with("replicas.moves=-1"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("replicas.moves is -1: must not be negative");
    assertThatThrownBy(() -> with("replicas.dead=1s"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("replicas.dead");
  }
}
