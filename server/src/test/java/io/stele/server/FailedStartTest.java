package io.stele.server;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.metastore.raft.DiscoverySettings;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** A server that cannot start gives its directory back whole. */
@Isolated("looks at all threads of the process, and takes the port of announcements")
class FailedStartTest {
  private static final String CLOCK = "stele-metastore-time";

  private static boolean isMetastoreAtWork() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals(CLOCK));
  }

  /** Its metastore is open by then, and would go on with its log in a directory that is free. */
  @Test
  void aMetastoreStopsIfItsServerCannotAnnounceItself(@TempDir Path data) throws IOException {
    String[] roles = {"server.roles=metastore", "etcd.enabled=false"};
    TestServer.start(data, roles).close();
    await("threads of this and other tests end").until(() -> !isMetastoreAtWork());
    try (DatagramSocket taken = new DatagramSocket(null)) {
      taken.setReuseAddress(false);
      taken.bind(new InetSocketAddress(DiscoverySettings.DEFAULT.multicastPort()));
      assertThatThrownBy(
              () -> TestServer.start(data, roles[0], roles[1], "server.multicast=true").close())
          .hasStackTraceContaining("" + DiscoverySettings.DEFAULT.multicastPort());
    }
    await("the metastore has stopped").until(() -> !isMetastoreAtWork());
    TestServer.start(data, roles).close();
  }
}
