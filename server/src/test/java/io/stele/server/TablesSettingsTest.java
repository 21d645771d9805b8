package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.ByteSize;
import io.stele.tables.TabletServerSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TablesSettingsTest {
  private static TablesSettings with(String... flags) {
    return ServerSchema.SCHEMA
        .reader()
        .flags(List.of(flags))
        .merge()
        .bind(TablesSettings.class, "tables");
  }

  @Test
  void theDefaultsAreThoseOfATabletServerAsFarAsTheHeapAllows() {
    TablesSettings settings = with();
    assertThat(settings).isEqualTo(TablesSettings.DEFAULTS);
    TabletServerSettings known = TabletServerSettings.DEFAULT;
    assertThat(
            settings
                .server()
                .withWrites(
                    settings
                        .server()
                        .writes()
                        .withMemory(
                            known.writes().memoryBytes(), known.writes().memFragmentBytes())))
        .isEqualTo(known);
    assertThat(settings.memory().bytes() + settings.cache().bytes())
        .isLessThanOrEqualTo(Runtime.getRuntime().maxMemory() / 2);
    assertThat(settings.memFragment().bytes()).isLessThanOrEqualTo(settings.memory().bytes());
  }

  @Test
  void everyKeyMaps() {
    TablesSettings settings =
        with(
            "tables.files=memory:",
            "tables.shared=true",
            "tables.logs=memory:/logs",
            "tables.session=7s",
            "tables.cache=1MiB",
            "tables.memory=2MiB",
            "tables.mem-fragment=1MiB",
            "tables.log=3MiB",
            "tables.log-file=4MiB",
            "tables.lazy-sync=5s",
            "tables.disk-reserve=16MiB",
            "tables.throttle=6s",
            "tables.defer=7s",
            "tables.split-at=8MiB",
            "tables.join-below=1MiB",
            "tables.join-age=9s",
            "tables.automatic=false",
            "tables.scans=10",
            "tables.scan-idle=11s",
            "tables.tablet-idle=12s",
            "tables.upkeep=13s",
            "tables.replay=14MiB",
            "tables.trash=15h");
    assertThat(settings.files()).isEqualTo(Optional.of("memory:"));
    assertThat(settings.shared()).isTrue();
    assertThat(settings.logs()).isEqualTo(Optional.of("memory:/logs"));
    assertThat(settings.session()).isEqualTo(Duration.ofSeconds(7));
    assertThat(settings.cache()).isEqualTo(new ByteSize(1 << 20));
    TabletServerSettings server = settings.server();
    assertThat(server.writes().memoryBytes()).isEqualTo(2 << 20);
    assertThat(server.writes().memFragmentBytes()).isEqualTo(1 << 20);
    assertThat(server.writes().logBytes()).isEqualTo(3 << 20);
    assertThat(server.writes().log().fileBytes()).isEqualTo(4 << 20);
    assertThat(server.writes().log().lazySync()).isEqualTo(Duration.ofSeconds(5));
    assertThat(server.writes().diskReserve()).isEqualTo(16 << 20);
    assertThat(server.writes().throttleLimit()).isEqualTo(Duration.ofSeconds(6));
    assertThat(server.writes().deferLimit()).isEqualTo(Duration.ofSeconds(7));
    assertThat(server.compaction().splitBytes()).isEqualTo(8 << 20);
    assertThat(server.compaction().joinBytes()).isEqualTo(1 << 20);
    assertThat(server.compaction().joinAge()).isEqualTo(Duration.ofSeconds(9));
    assertThat(server.compaction().automatic()).isFalse();
    assertThat(server.scans()).isEqualTo(10);
    assertThat(server.scanIdle()).isEqualTo(Duration.ofSeconds(11));
    assertThat(server.tabletIdle()).isEqualTo(Duration.ofSeconds(12));
    assertThat(server.upkeep()).isEqualTo(Duration.ofSeconds(13));
    assertThat(server.replayBytes()).isEqualTo(14 << 20);
    assertThat(server.trash()).isEqualTo(Duration.ofHours(15));
  }

  @Test
  void fixedTablesAreNamedWithTheirFiles() {
    assertThat(with("tables.fixed=old=old/state, a=b=c").server().fixed())
        .isEqualTo(Map.of("old", "old/state", "a", "b=c"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          tables.shared=true                 | tables.shared is true and tables.files is not set: must name the place
          tables.logs=/logs                  | tables.logs is /logs and tables.shared is false: logs have a place of their own only in a cluster
          tables.fixed=old                   | tables.fixed has "old": must be NAME=FILE
          tables.fixed=a=b, a=c              | tables.fixed names table "a" twice
          tables.session=100ms               | tables.session is 100ms: must be at least 200ms
          """)
  void whatCannotBeIsNamed(String flag, String message) {
    assertThatThrownBy(() -> with(flag))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining(message);
  }
}
