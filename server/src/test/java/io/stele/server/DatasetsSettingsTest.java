package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.ByteSize;
import io.stele.base.settings.Settings;
import io.stele.datasets.serve.DatasetSettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatasetsSettingsTest {
  private static Settings settings(String... flags) {
    return ServerSchema.SCHEMA.reader().flags(List.of(flags)).merge();
  }

  private static DatasetsSettings with(String... flags) {
    return settings(flags).bind(DatasetsSettings.class, "datasets");
  }

  @Test
  void theDefaultsAreOfAServerAlone() {
    DatasetsSettings settings = with();
    assertThat(settings).isEqualTo(DatasetsSettings.DEFAULTS);
    assertThat(settings.node().replication()).isEqualTo(1);
    assertThat(settings.node().timeToConverge()).isZero();
    assertThat(with("datasets.cluster=c", "datasets.source=/in").node())
        .isEqualTo(DatasetSettings.DEFAULT);
  }

  @Test
  void everyKeyMaps() {
    DatasetsSettings settings =
        with(
            "datasets.source=/in",
            "datasets.port=1234",
            "datasets.content-type=text/plain",
            "datasets.cluster=c1",
            "datasets.session=3s",
            "datasets.require-success=true",
            "datasets.refresh-every=4s",
            "datasets.replication=5",
            "datasets.min-replication=2",
            "datasets.time-to-converge=6s",
            "datasets.proxy-timeout=700ms",
            "datasets.proxy-stage-timeout=80ms",
            "datasets.keep-old=9s",
            "datasets.parallel-loads=10",
            "datasets.load-rate=11MiB",
            "datasets.repair=true",
            "datasets.repair-after=12s");
    assertThat(settings.source()).contains("/in");
    assertThat(settings.port()).contains(1234);
    assertThat(settings.contentType()).isEqualTo("text/plain");
    assertThat(settings.cluster()).contains("c1");
    assertThat(settings.session()).isEqualTo(Duration.ofSeconds(3));
    assertThat(settings.node())
        .isEqualTo(
            new DatasetSettings(
                true,
                Duration.ofSeconds(4),
                5,
                2,
                Duration.ofSeconds(6),
                Duration.ofMillis(700),
                Duration.ofMillis(80),
                Duration.ofSeconds(9),
                10,
                new ByteSize(11 << 20),
                true,
                Duration.ofSeconds(12)));
  }

  @ParameterizedTest
  @CsvSource({
    "'', '', 9599",
    "server.port=0, '', 0",
    "server.port=8000, '', 0",
    "server.port=0, datasets.port=77, 77",
    "'', datasets.port=0, 0"
  })
  void portIsFixedWhereThatOfTheServerIs(String server, String datasets, int port) {
    Settings settings =
        settings(
            List.of(server, datasets).stream()
                .filter(flag -> !flag.isEmpty())
                .toArray(String[]::new));
    assertThat(
            settings
                .bind(DatasetsSettings.class, "datasets")
                .chosenPort(settings.bind(ServerSettings.class, "server")))
        .isEqualTo(port);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          datasets.port=70000                | datasets.port is 70000: must be from 1 to 65535, or 0 for a free one
          datasets.port=x                    | datasets.port = x (flag --set): expected a whole number such as 8, or nothing
          datasets.cluster=c                 | datasets.cluster is c and datasets.source is not set: must name the place
          datasets.cluster=a/b               | datasets.cluster is 'a/b': must be 1 to 64 letters, digits, _ or -
          datasets.session=1ms               | datasets.session is 1ms: must be at least 200ms
          datasets.content-type=             | datasets.content-type is '': must be a type such as
          datasets.replication=0             | replication 0: must be at least 1
          datasets.min-replication=3         | min-replication 3 would never be reached: must not be above replication, 2
          datasets.proxy-timeout=0s          | must be positive
          """)
  void whatCannotBeIsNamed(String flag, String message) {
    assertThatThrownBy(() -> with(flag))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining(message);
  }

  @Test
  void datasetsOfNoClusterNeedNoMetastore() {
    ServerSettings settings =
        settings("server.roles=datasets").bind(ServerSettings.class, "server");
    assertThat(settings.metastore()).isEmpty();
    assertThat(settings.name()).isEqualTo(Optional.empty());
    assertThatThrownBy(() -> settings("server.roles=datasets,tables"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("server.metastore must name the servers that have it");
  }
}
