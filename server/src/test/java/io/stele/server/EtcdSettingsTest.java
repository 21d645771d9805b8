package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.ByteSize;
import io.stele.gateway.etcd.EtcdOptions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

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
    assertThat(settings().tls()).isEmpty();
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
    assertThat(settings.tls().orElseThrow().certificate()).hasToString("c.pem");
    assertThat(settings.tls().orElseThrow().key()).hasToString("k.pem");
    assertThat(settings.tls().orElseThrow().clientAuthority().orElseThrow()).hasToString("a.pem");
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
