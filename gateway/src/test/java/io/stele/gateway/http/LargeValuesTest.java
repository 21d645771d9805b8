package io.stele.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.datasets.serve.LargeValue;
import io.stele.datasets.serve.OpenedLookup;
import io.stele.datasets.serve.PeerAnswer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Values of another node that are too large to be put together in memory. */
class LargeValuesTest {
  private static final int SMALL_BUFFER = 64 << 10;
  private static final int LARGE = 24 << 20;

  /** What sockets and the server may hold of a value, with what the kernel adds to both. */
  private static final long MOST_UNDER_WAY = 10 << 20;

  private final FakeDatasets datasets = new FakeDatasets();
  private final HttpPeers peers = new HttpPeers(Duration.ofSeconds(20), Optional.empty());
  private final Semaphore mayEnd = new Semaphore(0); // values stop one byte before their end
  private final AtomicLong sent = new AtomicLong();
  private final CountDownLatch cutOff = new CountDownLatch(1);
  private volatile int length = LARGE;
  private ServerSocket holder;
  private DatasetServer server;

  @BeforeEach
  void listen() throws IOException {
    holder = new ServerSocket();
    holder.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    Thread.ofVirtual().start(this::accept);
    server = DatasetServer.listen("127.0.0.1", 0, "application/octet-stream", Optional.empty());
    server.serve(datasets);
    datasets.opening = this::open;
  }

  @AfterEach
  void stop() throws IOException {
    holder.close();
    server.close();
    peers.close();
  }

  private OpenedLookup open(Bytes key) {
    String address = "127.0.0.1:" + holder.getLocalPort();
    PeerAnswer answer = peers.get(address, "scores", "v1", 5, List.of(key)).join().getFirst();
    return answer instanceof PeerAnswer.Large(LargeValue value)
        ? new OpenedLookup.Large(value, FakeDatasets.origin(address))
        : FakeDatasets.found(((PeerAnswer.Found) answer).value(), address);
  }

  private void accept() {
    while (true) {
      try {
        Socket socket = holder.accept();
        Thread.ofVirtual().start(() -> send(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  /** Sends a value, as far as somebody takes it. */
  private void send(Socket socket) {
    try (socket) {
      socket.setSendBufferSize(SMALL_BUFFER);
      HttpPeersTest.readHead(socket.getInputStream());
      String head =
          "HTTP/1.1 200 OK\r\nX-Sequins-Version: v1\r\nContent-Length: " + length + "\r\n\r\n";
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      byte[] piece = new byte[16 << 10];
      for (int left = length - 1; left > 0; ) {
        int count = Math.min(piece.length, left);
        socket.getOutputStream().write(piece, 0, count);
        sent.addAndGet(count);
        left -= count;
      }
      mayEnd.acquireUninterruptibly();
      socket.getOutputStream().write('!');
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    } catch (SocketException e) {
      cutOff.countDown();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A client that takes as little as it can. */
  private Socket client(String method) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(SMALL_BUFFER);
    socket.setSoTimeout(10_000);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
    socket
        .getOutputStream()
        .write((method + " /scores/large HTTP/1.1\r\nHost: here\r\n\r\n").getBytes());
    return socket;
  }

  @Test
  void clientsReceiveAValueBeforeItsEndIsKnown() throws IOException {
    length = 100_000;
    try (Socket client = client("GET")) {
      HttpPeersTest.readHead(client.getInputStream());
      assertThat(client.getInputStream().readNBytes(length - 1)).containsOnly(0);
      mayEnd.release();
      assertThat(client.getInputStream().read()).isEqualTo('!');
    }
  }

  @Test
  void ofManyLargeValuesAndSlowClientsNoneIsHeldInMemory() throws IOException {
    int clients = 3;
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < clients; i++) {
        sockets.add(client("GET"));
      }
      mayEnd.release(clients);
      for (Socket socket : sockets) {
        HttpPeersTest.readHead(socket.getInputStream());
      }
      byte[] piece = new byte[1 << 20];
      for (long taken = 0; taken < (long) clients * LARGE; ) {
        assertThat(sent.get() - taken)
            .as("bytes under way after %d were taken", taken)
            .isLessThan(clients * MOST_UNDER_WAY);
        for (Socket socket : sockets) {
          taken += socket.getInputStream().readNBytes(piece, 0, piece.length);
        }
      }
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  @Test
  void aClientThatLeavesEndsTheRequestToTheOtherNode() throws Exception {
    try (Socket client = client("GET")) {
      HttpPeersTest.readHead(client.getInputStream());
    }
    assertThat(cutOff.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void headOfALargeValueReadsNothingOfIt() throws Exception {
    try (Socket client = client("HEAD")) {
      InputStream in = client.getInputStream();
      assertThat(HttpPeersTest.readHead(in)).contains("Content-Length: " + LARGE);
      assertThat(cutOff.await(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aValueThatBreaksOffIsNotPassedOffAsWhole() throws IOException {
    length = 200_000;
    try (Socket client = client("GET")) {
      InputStream in = client.getInputStream();
      HttpPeersTest.readHead(in);
      in.readNBytes(100_000);
      peers.close();
      assertThat(rest(in)).isLessThan(100_000);
    }
    mayEnd.release();
  }

  /** How many bytes come until the connection ends, in order or not. */
  private static int rest(InputStream in) throws IOException {
    int count = 0;
    try {
      while (in.read() >= 0) {
        count++;
      }
    } catch (SocketException e) {
      // A reset: that is an end, too.
    }
    return count;
  }
}
