package io.stele.bench.driver;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * How a start is probed, the same way on all sides: until the port that a client turns to first
 * takes connections, and then by a client of its own for each attempt, with this pause between.
 */
public final class Probe {
  public static final long PAUSE_MILLIS = 5;

  /** For a single attempt. */
  public static final int ATTEMPT_MILLIS = 1_000;

  private Probe() {}

  /** Whether a port of this machine takes connections. */
  public static boolean listens(String address) {
    int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), ATTEMPT_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
