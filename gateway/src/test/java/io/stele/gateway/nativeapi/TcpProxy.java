package io.stele.gateway.nativeapi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Connections that a test can cut, or keep from answering. */
final class TcpProxy implements AutoCloseable {
  private final ServerSocket socket;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private volatile int target;
  private volatile boolean mute; // of connections to come

  TcpProxy(int target) {
    this.target = target;
    try {
      socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().start(this::accept);
  }

  String address() {
    return "127.0.0.1:" + socket.getLocalPort();
  }

  /** Leads new connections to another server. */
  void leadTo(int port) {
    target = port;
  }

  /** Until the next cut nothing that the server says arrives. */
  void mute() {
    mute = true;
    links.forEach(link -> link.mute = true);
  }

  /** Ends all connections without a word: those that are mute stay so, those to come are not. */
  void cut() {
    mute = false;
    links.forEach(Link::close);
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        connect(socket.accept());
      } catch (IOException e) {
        // The next one, unless it is closed.
      }
    }
  }

  private void connect(Socket client) {
    try {
      Link link = new Link(client, new Socket(InetAddress.getLoopbackAddress(), target));
      links.add(link);
      link.mute = mute; // read after it can be found, so that it misses no call of mute()
      if (socket.isClosed()) { // accept() may still hand out one connection after close()
        link.close();
        return;
      }
      Thread.ofVirtual().start(link::forwardRequests);
      Thread.ofVirtual().start(link::forwardAnswers);
    } catch (IOException e) {
      closeQuietly(client); // as if nobody listened
    }
  }

  /** One connection of a client, led on to the server. */
  private final class Link {
    private final Socket client;
    private final Socket server;
    private volatile boolean mute;

    Link(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    void forwardRequests() {
      copy(client, server, false);
    }

    void forwardAnswers() {
      copy(server, client, true);
    }

    private void copy(Socket from, Socket to, boolean answers) {
      byte[] buffer = new byte[16 << 10];
      try {
        for (int n = from.getInputStream().read(buffer);
            n >= 0;
            n = from.getInputStream().read(buffer)) {
          if (!answers || !mute) {
            to.getOutputStream().write(buffer, 0, n);
          }
        }
      } catch (IOException e) {
        // Cut.
      } finally {
        close();
      }
    }

    void close() {
      links.remove(this);
      closeQuietly(client);
      closeQuietly(server);
    }
  }

  private static void closeQuietly(Socket each) {
    try {
      each.close();
    } catch (IOException e) {
      // It is of no more use either way.
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
    cut();
  }
}
