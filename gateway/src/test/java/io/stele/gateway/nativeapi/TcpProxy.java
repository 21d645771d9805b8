package io.stele.gateway.nativeapi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A connection that a test can cut, or keep from answering. */
final class TcpProxy implements AutoCloseable {
  private final ServerSocket socket;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile int target;
  private volatile boolean mute; // of connections there are

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

  /** From now on nothing that the server says arrives. */
  void mute(boolean value) {
    mute = value;
  }

  /** Ends all connections without a word. */
  void cut() {
    mute = false;
    for (Socket each : open) {
      closeQuietly(each);
    }
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        Socket client = socket.accept();
        open.add(client);
        connect(client);
      } catch (IOException e) {
        // The next one, unless it is closed.
      }
    }
  }

  private void connect(Socket client) {
    try {
      Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
      open.add(server);
      Thread.ofVirtual().start(() -> copy(client, server, false));
      Thread.ofVirtual().start(() -> copy(server, client, true));
    } catch (IOException e) {
      closeQuietly(client); // as if nobody listened
    }
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
      closeQuietly(from);
      closeQuietly(to);
    }
  }

  private void closeQuietly(Socket each) {
    open.remove(each);
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
