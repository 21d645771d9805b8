package io.stele.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointsTest {

  @Test
  void whatIsGivenWinsOverTheEnvironmentAndThatOverTheDefault() {
    Map<String, String> c = Map.of("STELE_ENDPOINTS", "c:3");
    assertThat(Endpoints.choose("a:1, b:2", c, Endpoints.LOCAL)).containsExactly("a:1", "b:2");
    assertThat(Endpoints.choose(null, c, Endpoints.LOCAL)).containsExactly("c:3");
    assertThat(Endpoints.choose(null, Map.of(), Endpoints.LOCAL)).containsExactly("127.0.0.1:7835");
    assertThat(Endpoints.choose("[::1]:7835", Map.of(), Endpoints.LOCAL))
        .containsExactly("[::1]:7835");
  }

  @Test
  void theOldVariableCountsWhereTheNewOneIsNotSet() {
    Map<String, String> old = Map.of("STELE_METASTORE", "d:4");
    assertThat(Endpoints.choose(null, old, Endpoints.LOCAL)).containsExactly("d:4");
    assertThat(
            Endpoints.choose(
                null, Map.of("STELE_METASTORE", "d:4", "STELE_ENDPOINTS", "c:3"), Endpoints.LOCAL))
        .containsExactly("c:3");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "a:", ":1", "a:0", "a:65536", "a:x", "a:1,,b:2", "a:-1"})
  void whatIsNoAddressIsNamedWithWhereItCameFrom(String text) {
    assertThatThrownBy(() -> Endpoints.choose(text, Map.of(), Endpoints.LOCAL))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageMatching("--endpoints: '.*' is no address; must be HOST:PORT, such as .*");
    assertThatThrownBy(
            () -> Endpoints.choose(null, Map.of("STELE_ENDPOINTS", text), Endpoints.LOCAL))
        .hasMessageMatching("STELE_ENDPOINTS: '.*' is no address; must be HOST:PORT, such as .*");
  }
}
