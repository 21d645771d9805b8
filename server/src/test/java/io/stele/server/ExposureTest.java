package io.stele.server;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.Settings;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is not secured stays on this machine, unless somebody wants it otherwise. */
class ExposureTest {
  private static Settings settings(String flags) throws IOException {
    return ServerSchema.SCHEMA.reader().flags(List.of(flags.split(" "))).merge();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "server.listen=127.0.0.1",
        "server.listen=::1",
        "server.listen=localhost",
        "server.listen=127.8.0.1",
        "server.listen=0.0.0.0 server.advertise=db1 server.insecure=true",
        "server.listen=10.0.0.1 tls.certificate=c tls.key=k tls.authority=a",
        "admin.listen=10.0.0.1 admin.enabled=false",
        "server.roles=datasets metastore.raft.listen-host=10.0.0.1"
      })
  void mayStart(String flags) {
    assertThatCode(() -> Exposure.check(settings(flags))).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "server.listen=10.0.0.1",
        "server.listen=0.0.0.0 server.advertise=127.0.0.1",
        "server.listen=:: server.advertise=db1",
        "admin.listen=0.0.0.0",
        "metastore.raft.listen-host=0.0.0.0"
      })
  void mayNot(String flags) {
    assertThatThrownBy(() -> Exposure.check(settings(flags)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("which other machines can reach, and tls.certificate is not set")
        .hasMessageContaining("stele cluster certs")
        .hasMessageContaining("--insecure (server.insecure=true)");
  }

  @Test
  void itIsRefusedWhenAServerStarts() {
    assertThatThrownBy(() -> Assembly.check(settings("server.listen=10.0.0.1")))
        .hasMessageContaining("server.listen is 10.0.0.1, which other machines can reach");
  }
}
