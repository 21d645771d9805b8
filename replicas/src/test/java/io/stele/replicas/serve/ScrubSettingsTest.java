package io.stele.replicas.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ScrubSettingsTest {
  @Test
  void defaults() {
    assertThat(ScrubSettings.DEFAULT.every()).isEqualTo(Duration.ofDays(7));
    assertThat(ScrubSettings.DEFAULT.bytesPerSecond()).isEqualTo(8 << 20);
    assertThat(ScrubSettings.DEFAULT.isOn()).isTrue();
    assertThat(ScrubSettings.DEFAULT.nanos(16 << 20)).isEqualTo(2_000_000_000L);
  }

  @Test
  void valuesAreChecked() {
    assertThat(new ScrubSettings(Duration.ZERO, 1).isOn()).isFalse();
    assertThatThrownBy(() -> new ScrubSettings(Duration.ofSeconds(-1), 1))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("scrub every PT-1S: must not be negative");
    assertThatThrownBy(() -> new ScrubSettings(Duration.ZERO, 0))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("scrub of 0 bytes per second: must be positive");
  }
}
