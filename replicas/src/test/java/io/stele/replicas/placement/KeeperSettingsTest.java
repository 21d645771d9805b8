package io.stele.replicas.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class KeeperSettingsTest {
  @Test
  void defaults() {
    KeeperSettings defaults = KeeperSettings.DEFAULT;
    assertThat(defaults.every()).isEqualTo(Duration.ofSeconds(5));
    assertThat(defaults.deadAfter()).isEqualTo(Duration.ofMinutes(10));
    assertThat(defaults.metadataDeadAfter()).isEqualTo(Duration.ofSeconds(30));
    assertThat(defaults.metadataServers()).isEqualTo(3);
    assertThat(defaults.moves()).isEqualTo(1);
  }

  @Test
  void valuesAreChecked() {
    assertThatThrownBy(() -> KeeperSettings.DEFAULT.withEvery(Duration.ZERO))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("keeper: every PT0S: must be positive");
    assertThatThrownBy(
            () -> KeeperSettings.DEFAULT.withDeadAfter(Duration.ofSeconds(-1), Duration.ZERO))
        .isInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(
            () ->
                new KeeperSettings(
                    Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(1), 0, 1))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("0 metadata servers");
    assertThatThrownBy(() -> KeeperSettings.DEFAULT.withMoves(-1))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("keeper: -1 moves: must not be negative");
  }
}
