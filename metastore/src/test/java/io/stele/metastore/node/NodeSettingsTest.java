package io.stele.metastore.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.ByteSize;
import io.stele.base.settings.KnownSetting;
import io.stele.base.settings.Settings;
import io.stele.base.settings.SettingsSchema;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class NodeSettingsTest {
  private final SettingsSchema schema =
      SettingsSchema.builder().section("metastore", NodeSettings.DEFAULT).build();

  @Test
  void theDefaultsAreTheseAndEachIsExplained() {
    Map<String, String> defaults = new TreeMap<>();
    for (KnownSetting setting : schema.known()) {
      defaults.put(setting.key(), setting.defaultValue());
      assertThat(setting.about()).as(setting.key()).isNotEmpty();
    }
    assertThat(defaults)
        .isEqualTo(
            new TreeMap<>(
                Map.ofEntries(
                    Map.entry("metastore.tick", "100ms"),
                    Map.entry("metastore.shortest-session", "500ms"),
                    Map.entry("metastore.longest-session", "1d"),
                    Map.entry("metastore.lease", "500ms"),
                    Map.entry("metastore.history", "1h"),
                    Map.entry("metastore.history-revisions", "0"),
                    Map.entry("metastore.reclaim", "1000"),
                    Map.entry("metastore.entries-in-flight", "1"),
                    Map.entry("metastore.solo-entries-in-flight", "2"),
                    Map.entry("metastore.entry-commands", "4096"),
                    Map.entry("metastore.entry-bytes", "1MiB"),
                    Map.entry("metastore.queued-commands", "65536"),
                    Map.entry("metastore.queued-bytes", "64MiB"),
                    Map.entry("metastore.fingerprints", "1h"),
                    Map.entry("metastore.transactions.life", "10s"),
                    Map.entry("metastore.transactions.read-ranges", "10"),
                    Map.entry("metastore.transactions.writes", "100"),
                    Map.entry("metastore.transactions.bytes", "1MiB"),
                    Map.entry("metastore.transactions.open", "10000"),
                    Map.entry("metastore.watch.recent", "16MiB"),
                    Map.entry("metastore.watch.chunk", "256KiB"),
                    Map.entry("metastore.watch.threads", "2"),
                    Map.entry("metastore.watch.watches", "100000"),
                    Map.entry("metastore.limits.quota", "16GiB"),
                    Map.entry("metastore.limits.sessions", "100000"),
                    Map.entry("metastore.limits.leases", "1000000"))));
  }

  @Test
  void everyKeyMaps() {
    Settings settings =
        schema
            .reader()
            .flags(
                List.of(
                    "metastore.tick=50ms",
                    "metastore.history=0s",
                    "metastore.history-revisions=1000",
                    "metastore.fingerprints=5m",
                    "metastore.entries-in-flight=8",
                    "metastore.transactions.life=3s",
                    "metastore.watch.watches=7",
                    "metastore.limits.quota=8GiB",
                    "metastore.limits.sessions=8",
                    "metastore.limits.leases=9"))
            .merge();
    NodeSettings node = settings.bind(NodeSettings.class, "metastore");
    assertThat(node.tick()).isEqualTo(Duration.ofMillis(50));
    assertThat(node.history()).isZero();
    assertThat(node.historyRevisions()).isEqualTo(1_000);
    assertThat(node.fingerprints()).isEqualTo(Duration.ofMinutes(5));
    assertThat(node.entriesInFlight()).isEqualTo(8);
    assertThat(node.transactions().life()).isEqualTo(Duration.ofSeconds(3));
    assertThat(node.watch().watches()).isEqualTo(7);
    assertThat(node.limits()).isEqualTo(new NodeLimits(ByteSize.ofGiB(8), 8, 9));
  }

  @Test
  void whatMakesNoSenseIsRefusedByName() {
    assertThatThrownBy(() -> NodeSettings.DEFAULT.withQueue(0, 1))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("queued commands of 0");
    assertThatThrownBy(() -> NodeSettings.DEFAULT.withHistory(Duration.ofSeconds(-1)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("history");
  }
}
