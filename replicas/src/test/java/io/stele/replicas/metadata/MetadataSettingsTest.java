package io.stele.replicas.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class MetadataSettingsTest {
  @Test
  void defaults() {
    MetadataSettings defaults = MetadataSettings.DEFAULT;
    assertThat(defaults.poll()).isEqualTo(Duration.ofSeconds(3));
    assertThat(defaults.abandonedAfter()).isEqualTo(Duration.ofMinutes(1));
    assertThat(defaults.tries()).isEqualTo(20);
    assertThat(defaults.retryPause()).isEqualTo(Duration.ofMillis(250));
  }

  @Test
  void timesArePositive() {
    assertThatThrownBy(() -> MetadataSettings.DEFAULT.withPoll(Duration.ZERO))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("metadata: poll PT0S: must be positive");
    assertThatThrownBy(() -> MetadataSettings.DEFAULT.withAbandonedAfter(Duration.ofSeconds(-1)))
        .isInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(() -> MetadataSettings.DEFAULT.withTries(0, Duration.ofSeconds(1)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("0 tries");
  }
}
