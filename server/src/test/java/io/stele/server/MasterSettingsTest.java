package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.tables.master.MasterSettings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class MasterSettingsTest {
  private static MasterSettings with(String... flags) {
    return ServerSchema.SCHEMA
        .reader()
        .flags(List.of(flags))
        .merge()
        .bind(MasterSettings.class, "master");
  }

  @Test
  void theDefaultsAreThoseOfAMaster() {
    assertThat(with()).isEqualTo(MasterSettings.DEFAULT);
  }

  @Test
  void everyKeyMaps() {
    MasterSettings settings =
        with(
            "master.round=1s",
            "master.answer=2s",
            "master.moves=3",
            "master.balance=false",
            "master.balance-every=4s",
            "master.collect-every=5s");
    assertThat(settings.round()).isEqualTo(Duration.ofSeconds(1));
    assertThat(settings.answer()).isEqualTo(Duration.ofSeconds(2));
    assertThat(settings.moves()).isEqualTo(3);
    assertThat(settings.balance()).isFalse();
    assertThat(settings.balanceEvery()).isEqualTo(Duration.ofSeconds(4));
    assertThat(settings.collectEvery()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void whatCannotBeIsNamed() {
    assertThatThrownBy(() -> with("master.moves=0"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("0 moves at a time: must be positive");
  }
}
