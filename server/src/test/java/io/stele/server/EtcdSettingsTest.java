package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.event.Events;
import io.stele.base.settings.ByteSize;
import io.stele.base.time.Clock;
import io.stele.base.tls.ClientCertificates;
import io.stele.base.tls.Identities;
import io.stele.base.tls.Identity;
import io.stele.base.tls.Tls;
import io.stele.base.tls.TlsFiles;
import io.stele.gateway.etcd.EtcdOptions;
import io.stele.gateway.security.PortSecurity;
import io.stele.testkit.tls.TestCertificates;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EtcdSettingsTest {
  private static EtcdSettings settings(String... flags) {
    return ServerSchema.SCHEMA
        .reader()
        .flags(List.of(flags))
        .merge()
        .bind(EtcdSettings.class, "etcd");
  }

  @Test
  void defaults() {
    assertThat(settings()).isEqualTo(EtcdSettings.DEFAULTS);
    assertThat(settings().enabled()).isTrue();
    assertThat(settings().port()).isEqualTo(2379);
    assertThat(security(settings(), Optional.empty())).isEmpty();
  }

  @Test
  void everyKeyIsRead() {
    EtcdSettings settings =
        settings(
            "etcd.enabled=false",
            "etcd.port=7",
            "etcd.certificate=c.pem",
            "etcd.key=k.pem",
            "etcd.client-authority=a.pem",
            "etcd.watch-progress-interval=5s",
            "etcd.max-request-bytes=1MiB",
            "etcd.max-txn-ops=200",
            "etcd.origins=https://a,https://b",
            "etcd.hosts=etcd.example,other.example",
            "etcd.request-timeout=1s",
            "etcd.keepalive-min-time=2s",
            "etcd.keepalive-interval=3s",
            "etcd.keepalive-timeout=4s",
            "etcd.handshake-timeout=6s",
            "etcd.idle-timeout=7s");

    assertThat(settings.enabled()).isFalse();
    assertThat(settings.port()).isEqualTo(7);
    assertThat(settings.options())
        .isEqualTo(
            new EtcdOptions(
                Duration.ofSeconds(5),
                ByteSize.ofMiB(1),
                200,
                List.of("https://a", "https://b"),
                List.of("etcd.example", "other.example"),
                Duration.ofSeconds(1),
                Duration.ofSeconds(2),
                Duration.ofSeconds(3),
                Duration.ofSeconds(4),
                Duration.ofSeconds(6),
                Duration.ofSeconds(7)));
    assertThat(settings.certificate()).contains("c.pem");
    assertThat(settings.key()).contains("k.pem");
    assertThat(settings.clientAuthority()).contains("a.pem");
  }

  private static Optional<PortSecurity> security(
      EtcdSettings settings, Optional<ServerSecurity> server) {
    return settings.security(server, Clock.system(), new Events((_, _) -> {}));
  }

  @Test
  void thePortIsSecuredByItsOwnFilesOrByThoseOfAllPorts(@TempDir Path folder) {
    TestCertificates certificates = new TestCertificates(folder);
    ServerSecurity server =
        new ServerSecurity(
            Tls.open(certificates.node("db1")), Identities.DEFAULT, ClientCertificates.OPTIONAL);
    assertThat(security(settings(), Optional.of(server))).contains(server.ports());

    TlsFiles own = certificates.node("etcd");
    String certificate = "etcd.certificate=" + own.certificate().orElseThrow();
    String key = "etcd.key=" + own.key().orElseThrow();
    PortSecurity open = security(settings(certificate, key), Optional.of(server)).orElseThrow();
    assertThat(open.clients()).isEqualTo(ClientCertificates.NONE);
    assertThat(open.tls().self(Identities.DEFAULT)).isEqualTo(new Identity.Node("etcd"));
    assertThat(
            security(
                    settings(
                        certificate, key, "etcd.client-authority=" + own.authority().orElseThrow()),
                    Optional.empty())
                .orElseThrow()
                .clients())
        .isEqualTo(ClientCertificates.REQUIRED);
  }

  @Test
  void halfOfTlsIsRefused() {
    assertThatThrownBy(() -> settings("etcd.certificate=c.pem"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("set both for TLS, or neither");
    assertThatThrownBy(() -> settings("etcd.client-authority=a.pem"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("set etcd.certificate and etcd.key too");
    assertThatThrownBy(() -> settings("etcd.port=70000"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("70000");
  }
}
