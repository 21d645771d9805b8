package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.event.Events;
import io.stele.base.time.Clock;
import io.stele.base.tls.ClientCertificates;
import io.stele.base.tls.TlsFiles;
import io.stele.testkit.tls.TestCertificates;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TlsSettingsTest {
  @TempDir Path folder;

  private static TlsSettings settings(String... flags) throws IOException {
    return ServerSchema.SCHEMA
        .reader()
        .flags(List.of(flags))
        .merge()
        .bind(TlsSettings.class, ServerSchema.TLS);
  }

  private static TlsSettings settings(TlsFiles files, String... more) throws IOException {
    List<String> flags = new ArrayList<>(List.of(more));
    flags.add("tls.certificate=" + files.certificate().orElseThrow());
    flags.add("tls.key=" + files.key().orElseThrow());
    flags.add("tls.authority=" + files.authority().orElseThrow());
    return settings(flags.toArray(String[]::new));
  }

  private static Optional<ServerSecurity> open(TlsSettings settings) {
    return settings.open(Clock.system(), new Events((_, _) -> {}));
  }

  @Test
  void withoutACertificateThereIsNoTls() throws Exception {
    assertThat(settings()).isEqualTo(TlsSettings.DEFAULTS);
    assertThat(open(settings())).isEmpty();
  }

  @Test
  void everyKeyMaps() throws Exception {
    assertThat(
            settings(
                "tls.certificate=c",
                "tls.key=k",
                "tls.authority=a",
                "tls.clients=optional",
                "tls.node-organization=Example nodes"))
        .isEqualTo(
            new TlsSettings(
                Optional.of("c"),
                Optional.of("k"),
                Optional.of("a"),
                ClientCertificates.OPTIONAL,
                "Example nodes"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          tls.certificate=c         | tls.key is not set and tls.authority is not set: set all three
          tls.clients=none          | tls.clients is none: must be required or optional
          tls.node-organization=    | the organization of nodes is empty
          """)
  void whatCannotBeIsRefused(String flag, String message) {
    assertThatThrownBy(() -> settings(flag))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aServerNeedsACertificateOfANode() throws Exception {
    TestCertificates certificates = new TestCertificates(folder);
    TlsSettings user = settings(certificates.user("ann"));
    assertThatThrownBy(() -> open(user))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("is that of user ann: must be a node's")
        .hasMessageContaining("stele cluster certs node");
    assertThat(open(settings(certificates.node("db1")))).isPresent();
    TlsSettings others = settings(certificates.node("db1"), "tls.node-organization=others");
    assertThatThrownBy(() -> open(others)).hasMessageContaining("is that of user db1");
  }
}
