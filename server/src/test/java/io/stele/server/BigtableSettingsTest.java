package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import java.util.List;
import org.junit.jupiter.api.Test;

class BigtableSettingsTest {
  private static BigtableSettings settings(String... flags) {
    return ServerSchema.SCHEMA
        .reader()
        .flags(List.of(flags))
        .merge()
        .bind(BigtableSettings.class, ServerSchema.BIGTABLE);
  }

  @Test
  void defaults() {
    assertThat(settings()).isEqualTo(new BigtableSettings(true, 8086));
  }

  @Test
  void everyKeyMaps() {
    assertThat(settings("bigtable.enabled=false", "bigtable.port=9000"))
        .isEqualTo(new BigtableSettings(false, 9000));
  }

  @Test
  void aPortThatCannotBeIsRefused() {
    assertThatThrownBy(() -> settings("bigtable.port=65536"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("bigtable.port is 65536");
  }
}
