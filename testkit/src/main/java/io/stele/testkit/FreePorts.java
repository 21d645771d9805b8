package io.stele.testkit;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports of this machine for servers of tests. They lie below those that the system picks for
 * connections, so that none of these takes one before a server listens, or while it restarts.
 */
public final class FreePorts {
  private static final int FIRST = 12_000;
  private static final int COUNT = 20_000;

  // Processes that run side by side begin at different ones.
  private static final AtomicInteger NEXT =
      new AtomicInteger((int) (ProcessHandle.current().pid() * 1_009 % COUNT));

  private FreePorts() {}

  /** One that nobody listens on, and that this process was not given before. */
  public static int next() {
    for (int looked = 0; looked < COUNT; looked++) {
      int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
      try (ServerSocket socket = new ServerSocket(port)) {
        return socket.getLocalPort();
      } catch (IOException e) {
        // Somebody has it.
      }
    }
    throw new IllegalStateException("no port from " + FIRST + " on is free");
  }
}
