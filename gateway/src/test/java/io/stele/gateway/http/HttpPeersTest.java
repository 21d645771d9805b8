package io.stele.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.Lookup;
import io.stele.base.error.UnavailableException;
import io.stele.datasets.serve.LargeValue;
import io.stele.datasets.serve.PeerAnswer;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpPeersTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final FakeDatasets datasets = new FakeDatasets();
  private final HttpPeers peers = new HttpPeers(LONG, Optional.empty());
  private DatasetServer server;
  private String address;

  @BeforeEach
  void listen() {
    server = DatasetServer.listen("127.0.0.1", 0, "application/octet-stream", Optional.empty());
    server.serve(datasets);
    address = "127.0.0.1:" + server.port();
  }

  @AfterEach
  void stop() {
    peers.close();
    server.close();
  }

  private List<PeerAnswer> get(String version, Bytes... keys) throws Exception {
    return get(version, 5, keys);
  }

  private List<PeerAnswer> get(String version, int shards, Bytes... keys) throws Exception {
    return peers.get(address, "scores", version, shards, List.of(keys)).get(10, TimeUnit.SECONDS);
  }

  @Test
  void oneKey() throws Exception {
    datasets.put(Bytes.utf8("alice"), Bytes.utf8("12"));

    assertThat(get("v1", Bytes.utf8("alice")))
        .containsExactly(new PeerAnswer.Found(Bytes.utf8("12")));
    assertThat(get("v1", Bytes.utf8("nobody"))).containsExactly(new PeerAnswer.Missing());
    assertThat(get("v9", Bytes.utf8("alice")))
        .containsExactly(new PeerAnswer.NotHere("no scores v9 here"));
  }

  @Test
  void manyKeys() throws Exception {
    datasets.put(Bytes.utf8("alice"), Bytes.utf8("12"));
    datasets.elsewhere.put(Bytes.utf8("bob"), new Lookup.Missing(FakeDatasets.origin("")));

    assertThat(get("v1", Bytes.utf8("alice"), Bytes.utf8("x"), Bytes.utf8("bob")))
        .containsExactly(
            new PeerAnswer.Found(Bytes.utf8("12")),
            new PeerAnswer.Missing(),
            new PeerAnswer.NotHere("no scores v1 here"));
  }

  private List<PeerAnswer> getSmall(String version, Bytes... keys) throws Exception {
    return peers.getSmall(address, "scores", version, 5, List.of(keys)).get(10, TimeUnit.SECONDS);
  }

  @Test
  void ofSeveralLookupsLargeValuesAreLeftOut() throws Exception {
    datasets.put(Bytes.utf8("alice"), Bytes.utf8("12"));
    datasets.put(Bytes.utf8("large"), Bytes.wrap(new byte[LargeValue.THRESHOLD + 1]));
    datasets.put(Bytes.utf8("cold"), Bytes.utf8("7"));
    datasets.onDisk.put(Bytes.utf8("cold"), () -> {});
    datasets.elsewhere.put(Bytes.utf8("bob"), new Lookup.Missing(FakeDatasets.origin("")));
    PeerAnswer not = new PeerAnswer.NotHere("no scores v9 here");

    assertThat(
            getSmall(
                "v1",
                Bytes.utf8("cold"),
                Bytes.utf8("alice"),
                Bytes.utf8("large"),
                Bytes.utf8("x"),
                Bytes.utf8("bob")))
        .containsExactly(
            new PeerAnswer.Found(Bytes.utf8("7")),
            new PeerAnswer.Found(Bytes.utf8("12")),
            new PeerAnswer.TooLarge(),
            new PeerAnswer.Missing(),
            new PeerAnswer.NotHere("no scores v1 here"));
    assertThat(getSmall("v9", Bytes.utf8("alice"), Bytes.utf8("x"))).containsExactly(not, not);
    assertThat(datasets.gets)
        .hasSize(1)
        .allMatch(thread -> thread.getName().startsWith("stele-http-disk"));
  }

  @Test
  void ofSeveralLookupsThoseOnDiskAreReadSideBySide() throws Exception {
    CyclicBarrier all = new CyclicBarrier(4); // none is done before all have begun
    Bytes[] keys = new Bytes[4];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = Bytes.utf8("cold" + i);
      datasets.put(keys[i], Bytes.utf8("value"));
      datasets.onDisk.put(keys[i], () -> await(all));
    }

    assertThat(getSmall("v1", keys)).hasSize(4).allMatch(PeerAnswer.Found.class::isInstance);
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(10, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whatBreaksWhileSeveralLookupsAreReadFailsThem() {
    datasets.onDisk.put(
        Bytes.utf8("cold"),
        () -> {
          throw new IllegalStateException("a disk that breaks");
        });

    assertThatThrownBy(() -> getSmall("v1", Bytes.utf8("alice"), Bytes.utf8("cold")))
        .hasCauseInstanceOf(UnavailableException.class)
        .hasMessageContaining("status 500: a defect of the server");
  }

  @Test
  void theNumberOfShardsIsSentAlong() throws Exception {
    datasets.put(Bytes.utf8("alice"), Bytes.utf8("12"));
    PeerAnswer not = new PeerAnswer.NotHere("no scores v1 here");

    assertThat(get("v1", FakeDatasets.OTHER_SHARDS, Bytes.utf8("alice"))).containsExactly(not);
    assertThat(get("v1", FakeDatasets.OTHER_SHARDS, Bytes.utf8("alice"), Bytes.utf8("x")))
        .containsExactly(not, not);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a/b", "../..", ".", "?proxy=v2", "#", "%41", "a b", "+", "ü", "a;b", ""})
  void anyKeyArrivesAsItIs(String key) throws Exception {
    datasets.put(Bytes.utf8(key), Bytes.utf8("found"));

    assertThat(get("v1", Bytes.utf8(key)))
        .containsExactly(new PeerAnswer.Found(Bytes.utf8("found")));
  }

  @Test
  void keysOfAnyBytesArriveAsTheyAre() throws Exception {
    byte[] all = new byte[256];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    datasets.put(Bytes.wrap(all), Bytes.utf8("found"));

    assertThat(get("v1", Bytes.wrap(all)))
        .containsExactly(new PeerAnswer.Found(Bytes.utf8("found")));
  }

  @Test
  void statusOfAnotherNode() throws Exception {
    assertThat(peers.status(address).get(10, TimeUnit.SECONDS)).isEqualTo(datasets.ownStatus());
  }

  @Test
  void nodeThatIsGoneIsUnavailable() {
    server.close();

    assertThatThrownBy(() -> get("v1", Bytes.utf8("alice")))
        .hasCauseInstanceOf(UnavailableException.class)
        .hasMessageContaining(address);
  }

  @Test
  void nodeThatIsStartingIsUnavailable() {
    server.serveNothing();

    assertThatThrownBy(() -> get("v1", Bytes.utf8("alice")))
        .hasCauseInstanceOf(UnavailableException.class)
        .hasMessageContaining("503");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "200 OK\r\nX-Sequins-Version: v0\r\n",
        "200 OK\r\n",
        "404 Not Found\r\n",
        "404 Not Found\r\nX-Sequins-Version: v2\r\n"
      })
  void answerOfAnotherVersionIsNone(String head) throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread answering =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try (Socket socket = other.accept()) {
                      readHead(socket.getInputStream());
                      socket
                          .getOutputStream()
                          .write(
                              ("HTTP/1.1 " + head + "Content-Length: 1\r\n\r\nx")
                                  .getBytes(StandardCharsets.US_ASCII));
                    } catch (java.io.IOException e) {
                      throw new java.io.UncheckedIOException(e);
                    }
                  });
      CompletableFuture<List<PeerAnswer>> answer =
          peers.get(
              "127.0.0.1:" + other.getLocalPort(), "scores", "v1", 5, List.of(Bytes.utf8("alice")));

      assertThatThrownBy(() -> answer.get(10, TimeUnit.SECONDS))
          .hasCauseInstanceOf(UnavailableException.class)
          .hasMessageContaining("must be from 'v1'");
      answering.join();
    }
  }

  @Test
  void cancelledRequestEndsItsConnection() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<List<PeerAnswer>> answer =
          peers.get(
              "127.0.0.1:" + silent.getLocalPort(),
              "scores",
              "v1",
              5,
              List.of(Bytes.utf8("alice")));
      try (Socket socket = silent.accept()) {
        socket.setSoTimeout(10_000);
        readHead(socket.getInputStream());

        answer.cancel(true);

        assertThat(endOf(socket)).isTrue();
      }
    }
  }

  /** An orderly end, or a reset: either way the other side is gone. */
  private static boolean endOf(Socket socket) throws java.io.IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (java.net.SocketException e) {
      return true;
    }
  }

  static String readHead(InputStream in) throws java.io.IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int read = in.read();
      assertThat(read).as("the byte after %s", head).isNotNegative();
      head.append((char) read);
    }
    return head.toString();
  }
}
