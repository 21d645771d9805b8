package io.stele.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointsTest {

  @Test
  void whatIsGivenWinsOverTheEnvironmentAndThatOverTheDefault() {
    assertThat(Endpoints.choose("a:1, b:2", "c:3", Endpoints.LOCAL)).containsExactly("a:1", "b:2");
    assertThat(Endpoints.choose(null, "c:3", Endpoints.LOCAL)).containsExactly("c:3");
    assertThat(Endpoints.choose(null, null, Endpoints.LOCAL)).containsExactly("127.0.0.1:7835");
    assertThat(Endpoints.choose("[::1]:7835", null, Endpoints.LOCAL)).containsExactly("[::1]:7835");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "a:", ":1", "a:0", "a:65536", "a:x", "a:1,,b:2", "a:-1"})
  void whatIsNoAddressIsNamedWithWhereItCameFrom(String text) {
    assertThatThrownBy(() -> Endpoints.choose(text, null, Endpoints.LOCAL))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageMatching("--endpoints: '.*' is no address; must be HOST:PORT, such as .*");
    assertThatThrownBy(() -> Endpoints.choose(null, text, Endpoints.LOCAL))
        .hasMessageMatching("STELE_METASTORE: '.*' is no address; must be HOST:PORT, such as .*");
  }
}
