package io.stele.certs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.event.Event;
import io.stele.base.time.Clock;
import io.stele.base.tls.ClientCertificates;
import io.stele.base.tls.Identities;
import io.stele.base.tls.Identity;
import io.stele.base.tls.Tls;
import io.stele.base.tls.TlsChannel;
import io.stele.base.tls.TlsEvent;
import io.stele.base.tls.TlsFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Certificates in use: on connections, and when their files change. */
@Timeout(60)
class TlsTest {
  private static final Duration YEAR = Duration.ofDays(365);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir private Path folder;

  private final AtomicLong passed = new AtomicLong(); // nanoseconds by the clock below
  private final List<Event> told = new ArrayList<>();

  private final Clock clock =
      new Clock() {
        @Override
        public long micros() {
          return Clock.system().micros() + passed.get() / 1_000;
        }

        @Override
        public long nanos() {
          return passed.get();
        }
      };

  private CertificateDirectory certificates;
  private TlsFiles node;
  private TlsFiles ann;

  @BeforeEach
  void makeAuthority() throws IOException {
    certificates = new CertificateDirectory(folder, Clock.system());
    certificates.init("ours");
    node = certificates.node("db1", List.of("db1"), YEAR).files();
    ann = certificates.client("ann", YEAR).files();
  }

  private Tls open(TlsFiles files) {
    return Tls.open(files, clock, told::add);
  }

  private static X509Certificate certificate(Tls tls) {
    String alias = tls.keys().orElseThrow().chooseEngineServerAlias("EC", null, null);
    return tls.keys().orElseThrow().getCertificateChain(alias)[0];
  }

  /** Replaced as others replace files: by another one under the same name. */
  private void replace(TlsFiles target, TlsFiles source) throws IOException {
    Files.move(
        source.key().orElseThrow(),
        target.key().orElseThrow(),
        StandardCopyOption.REPLACE_EXISTING);
    Files.move(
        source.certificate().orElseThrow(),
        target.certificate().orElseThrow(),
        StandardCopyOption.REPLACE_EXISTING);
  }

  // ---- files

  @Test
  void filesThatChangedAreReadAgainAfterASecond() throws Exception {
    Tls tls = open(node);
    X509Certificate before = certificate(tls);
    replace(node, certificates.node("db2", List.of("db2"), YEAR).files());
    assertThat(certificate(tls)).as("not looked at yet").isEqualTo(before);

    passed.addAndGet(TimeUnit.SECONDS.toNanos(1));

    assertThat(Identities.DEFAULT.of(certificate(tls))).isEqualTo(new Identity.Node("db2"));
    assertThat(told).hasSize(1).first().isInstanceOf(TlsEvent.Reloaded.class);
  }

  /** A handshake that has begun with one certificate gets that one's key. */
  @Test
  void aHandshakeUsesOnePairThroughout() throws Exception {
    Tls tls = open(node);
    String alias = tls.keys().orElseThrow().chooseEngineServerAlias("EC", null, null);
    var key = tls.keys().orElseThrow().getPrivateKey(alias);
    replace(node, certificates.node("db2", List.of("db2"), YEAR).files());
    passed.addAndGet(TimeUnit.SECONDS.toNanos(1));
    X509Certificate now = certificate(tls);

    assertThat(tls.keys().orElseThrow().getPrivateKey(alias)).isEqualTo(key);
    assertThat(tls.keys().orElseThrow().getCertificateChain(alias)[0]).isNotEqualTo(now);
  }

  @Test
  void filesThatCannotBeUsedLeaveTheOldOnesInUse() throws Exception {
    Tls tls = open(node);
    X509Certificate before = certificate(tls);
    Files.copy(
        certificates.client("bob", YEAR).files().key().orElseThrow(),
        node.key().orElseThrow(),
        StandardCopyOption.REPLACE_EXISTING);
    passed.addAndGet(TimeUnit.SECONDS.toNanos(1));

    assertThat(certificate(tls)).isEqualTo(before);
    assertThat(told)
        .singleElement()
        .isInstanceOfSatisfying(
            TlsEvent.NotReloaded.class,
            event -> assertThat(event.text()).contains("is not that of the certificate"));
    Files.delete(node.certificate().orElseThrow());
    passed.addAndGet(TimeUnit.SECONDS.toNanos(5));
    assertThat(certificate(tls)).as("a file is gone").isEqualTo(before);
    assertThat(told).hasSize(2);
    assertThat(certificate(tls)).isEqualTo(before);
    assertThat(told).as("told once").hasSize(2);
  }

  @Test
  void whatCannotBeUsedAtTheStartIsNamed() throws Exception {
    Path none = folder.resolve("none.pem");
    assertThatThrownBy(() -> open(TlsFiles.of(none)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("certificates " + none + ": must be a file in PEM");
    Path empty = Files.writeString(folder.resolve("empty.pem"), "");
    assertThatThrownBy(() -> open(TlsFiles.of(empty))).hasMessageContaining("at least one");
    assertThatThrownBy(() -> open(new TlsFiles(node.certificate(), ann.key(), node.authority())))
        .hasMessageContaining("is not that of the certificate");
    assertThatThrownBy(() -> new TlsFiles(node.certificate(), Optional.empty(), Optional.empty()))
        .hasMessageContaining("key not set");
    passed.addAndGet(TimeUnit.DAYS.toNanos(366));
    assertThatThrownBy(() -> open(node)).hasMessageContaining("expired at");
  }

  @Test
  void amongNodesAClientsCertificateIsRefused() throws Exception {
    var trust = open(node).amongNodes(Identities.DEFAULT).trust();
    X509Certificate[] user = {certificates.client("eve", YEAR).certificate()};
    X509Certificate[] peer = {certificates.node("db2", List.of("db2"), YEAR).certificate()};

    trust.checkClientTrusted(peer, "EC");
    assertThatThrownBy(() -> trust.checkClientTrusted(user, "EC"))
        .isInstanceOf(CertificateException.class)
        .hasMessageContaining("is not a node's");
    open(node).trust().checkClientTrusted(user, "EC");
  }

  // ---- connections

  /** Both ends of a connection over loopback. */
  private record Pair(TlsChannel client, TlsChannel server) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      client.close();
      server.close();
    }
  }

  private Pair connect(Tls client, String host, Tls server, ClientCertificates clients)
      throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      SocketChannel out = SocketChannel.open(listener.getLocalAddress());
      SocketChannel in = listener.accept();
      TlsChannel accepted = TlsChannel.server(in, server.context(), clients);
      CompletableFuture<Void> other =
          CompletableFuture.runAsync(() -> handshake(accepted), Thread::startVirtualThread);
      TlsChannel connected = TlsChannel.client(out, client.context(), host);
      try {
        connected.handshake(PATIENCE, Clock.system());
        other.join();
      } catch (IOException | RuntimeException e) {
        out.close();
        in.close();
        throw e;
      }
      return new Pair(connected, accepted);
    }
  }

  private static void handshake(TlsChannel channel) {
    try {
      channel.handshake(PATIENCE, Clock.system());
    } catch (IOException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  private static String read(TlsChannel from, int bytes) throws IOException {
    ByteBuffer read = ByteBuffer.allocate(bytes);
    while (read.hasRemaining() && from.read(read) >= 0) {
      // More is to come.
    }
    return new String(read.array(), 0, read.position(), StandardCharsets.UTF_8);
  }

  private static void write(TlsChannel to, String text) throws IOException {
    to.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void bothSidesKnowEachOtherAndSpeak() throws Exception {
    try (Pair pair = connect(open(ann), "127.0.0.1", open(node), ClientCertificates.REQUIRED)) {
      assertThat(Identities.DEFAULT.of(pair.server().session()))
          .isEqualTo(new Identity.User("ann"));
      assertThat(Identities.DEFAULT.of(pair.client().session()))
          .isEqualTo(new Identity.Node("db1"));
      write(pair.client(), "hello");
      assertThat(read(pair.server(), 5)).isEqualTo("hello");
      String large = "v".repeat(100_000);
      CompletableFuture<Void> sent =
          CompletableFuture.runAsync(
              () -> {
                try {
                  write(pair.server(), large);
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              },
              Thread::startVirtualThread);
      assertThat(read(pair.client(), large.length())).isEqualTo(large);
      sent.join();
    }
  }

  /** Tickets for later sessions come after the handshake, and nobody asked for them. */
  @Test
  void anIdleConnectionHasNothingToRead() throws Exception {
    try (Pair pair = connect(open(ann), "localhost", open(node), ClientCertificates.REQUIRED)) {
      ByteBuffer some = ByteBuffer.allocate(10);
      write(pair.server(), "a");
      assertThat(read(pair.client(), 1)).isEqualTo("a");
      assertThat(pair.client().poll(some)).isZero();
      write(pair.client(), "b");
      assertThat(read(pair.server(), 1)).isEqualTo("b");
      pair.server().endOutput();
      assertThat(pair.client().read(some)).isEqualTo(-1);
    }
  }

  @Test
  void aClientWithoutACertificateIsAnonymousOrRefused() throws Exception {
    Tls anonymous = open(TlsFiles.of(node.authority().orElseThrow()));
    try (Pair pair = connect(anonymous, "127.0.0.1", open(node), ClientCertificates.OPTIONAL)) {
      assertThat(Identities.DEFAULT.of(pair.server().session()))
          .isEqualTo(new Identity.Anonymous());
    }
    assertThatThrownBy(
            () -> connect(anonymous, "127.0.0.1", open(node), ClientCertificates.REQUIRED))
        .hasMessageContaining("Empty client certificate chain");
  }

  @Test
  void aServerMustBeTheOneThatWasCalledAndOfTheAuthority() throws Exception {
    assertThatThrownBy(() -> connect(open(ann), "db2", open(node), ClientCertificates.NONE))
        .isInstanceOf(SSLException.class)
        .hasMessageContaining("No subject alternative DNS name matching db2 found");
    Path elsewhere = folder.resolve("other");
    CertificateDirectory others = new CertificateDirectory(elsewhere, Clock.system());
    others.init("others");
    Tls stranger = open(others.node("db1", List.of("db1"), YEAR).files());
    assertThatThrownBy(() -> connect(open(ann), "127.0.0.1", stranger, ClientCertificates.NONE))
        .isInstanceOf(SSLException.class)
        .hasMessageContaining("unable to find valid certification path");
  }

  /** A client's certificate is of no use to somebody who would pass for a server. */
  @Test
  void aClientsCertificateIsNoServers() {
    assertThatThrownBy(() -> connect(open(ann), "127.0.0.1", open(ann), ClientCertificates.NONE))
        .isInstanceOf(SSLException.class);
  }

  @Test
  void whoSaysNothingIsGivenUp() throws Exception {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      try (SocketChannel _ = SocketChannel.open(listener.getLocalAddress());
          SocketChannel in = listener.accept()) {
        TlsChannel silent =
            TlsChannel.server(in, open(node).context(), ClientCertificates.REQUIRED);
        assertThatThrownBy(() -> silent.handshake(Duration.ofMillis(50), Clock.system()))
            .isInstanceOf(java.net.SocketTimeoutException.class);
      }
    }
  }
}
