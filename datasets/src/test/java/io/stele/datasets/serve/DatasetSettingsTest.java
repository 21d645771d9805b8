package io.stele.datasets.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.ByteSize;
import io.stele.base.settings.SettingsSchema;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DatasetSettingsTest {
  private static DatasetSettings with(int replication, int min, Duration timeout, Duration stage) {
    return new DatasetSettings(
        false,
        Duration.ZERO,
        replication,
        min,
        Duration.ZERO,
        timeout,
        stage,
        Duration.ZERO,
        1,
        new ByteSize(0),
        false,
        Duration.ZERO);
  }

  @Test
  void defaults() {
    assertThat(DatasetSettings.DEFAULT)
        .isEqualTo(
            new DatasetSettings(
                false,
                Duration.ofSeconds(10),
                2,
                1,
                Duration.ofSeconds(10),
                Duration.ofMillis(100),
                Duration.ZERO,
                Duration.ofMinutes(10),
                4,
                new ByteSize(0),
                true,
                Duration.ofMinutes(5)));
  }

  @Test
  void everyKeyMapsAndIsExplained() {
    SettingsSchema schema =
        SettingsSchema.builder().section("datasets", DatasetSettings.DEFAULT).build();
    assertThat(schema.known()).allMatch(setting -> !setting.about().isEmpty());
    DatasetSettings settings =
        schema
            .reader()
            .flags(
                List.of(
                    "datasets.require-success=true",
                    "datasets.refresh-every=1m",
                    "datasets.replication=5",
                    "datasets.min-replication=3",
                    "datasets.time-to-converge=2s",
                    "datasets.proxy-timeout=1s",
                    "datasets.proxy-stage-timeout=30ms",
                    "datasets.keep-old=1h",
                    "datasets.parallel-loads=9",
                    "datasets.load-rate=10MiB",
                    "datasets.repair=true",
                    "datasets.repair-after=30s"))
            .merge()
            .bind(DatasetSettings.class, "datasets");
    assertThat(settings)
        .isEqualTo(
            new DatasetSettings(
                true,
                Duration.ofMinutes(1),
                5,
                3,
                Duration.ofSeconds(2),
                Duration.ofSeconds(1),
                Duration.ofMillis(30),
                Duration.ofHours(1),
                9,
                ByteSize.ofMiB(10),
                true,
                Duration.ofSeconds(30)));
  }

  @Test
  void aStageIsTheTimeOutByTheReplicationUnlessItIsSet() {
    assertThat(with(4, 1, Duration.ofMillis(100), Duration.ZERO).stage())
        .isEqualTo(Duration.ofMillis(25));
    assertThat(with(4, 1, Duration.ofMillis(100), Duration.ofMillis(7)).stage())
        .isEqualTo(Duration.ofMillis(7));
  }

  @Test
  void whatCannotWorkIsRefused() {
    assertThatThrownBy(() -> with(0, 1, Duration.ofMillis(1), Duration.ZERO))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("replication 0");
    assertThatThrownBy(() -> with(2, 3, Duration.ofMillis(1), Duration.ZERO))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("min-replication 3")
        .hasMessageContaining("2");
    assertThatThrownBy(() -> with(2, 1, Duration.ZERO, Duration.ZERO))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("proxy-timeout");
    assertThatThrownBy(() -> with(2, 1, Duration.ofMillis(1), Duration.ofMillis(-1)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("proxy-stage-timeout");
  }
}
