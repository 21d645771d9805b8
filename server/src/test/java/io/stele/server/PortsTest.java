package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.MemoryFileStore;
import io.stele.server.admin.AdminSettings;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("servers of other tests take the usual port, too")
class PortsTest {

  private static final BigtableSettings ANY_BIGTABLE = new BigtableSettings(true, 0);
  private static final EtcdSettings ANY =
      ServerSchema.SCHEMA
          .reader()
          .flags(List.of("etcd.port=0"))
          .merge()
          .bind(EtcdSettings.class, "etcd");

  private final FileStore directory = new MemoryFileStore();

  private static ServerSettings settings(String... flags) {
    return ServerSchema.SCHEMA
        .reader()
        .flags(List.of(flags))
        .merge()
        .bind(ServerSettings.class, "server");
  }

  private static Ports choose(ServerSettings settings, FileStore directory) throws IOException {
    return choose(settings, ANY, directory);
  }

  private static Ports choose(ServerSettings settings, EtcdSettings etcd, FileStore directory)
      throws IOException {
    try (Ports.Reserved reserved = new Ports.Reserved()) {
      return Ports.choose(
          settings,
          DatasetsSettings.DEFAULTS,
          etcd,
          ANY_BIGTABLE,
          AdminSettings.DEFAULTS,
          directory,
          reserved);
    }
  }

  private Ports any() throws IOException {
    return choose(settings("server.port=0", "server.raft-port=0"), directory);
  }

  private static ServerSocket listen(int port) throws IOException {
    return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
  }

  @Test
  void portsThatWerePickedAreKept() throws Exception {
    Ports first = any();

    assertThat(first.nativePort()).isPositive().isNotEqualTo(first.raftPort());
    assertThat(any()).isEqualTo(first);
  }

  @Test
  void nobodyElsePicksAPortBeforeItIsListenedOn() throws Exception {
    Set<Integer> picked = new HashSet<>();
    List<AutoCloseable> open = new ArrayList<>();
    try {
      for (int i = 0; i < 300; i++) {
        Ports.Reserved reserved = new Ports.Reserved();
        open.add(reserved);
        Ports ports =
            Ports.choose(
                settings("server.port=0", "server.raft-port=0"),
                DatasetsSettings.DEFAULTS,
                ANY,
                ANY_BIGTABLE,
                AdminSettings.DEFAULTS,
                new MemoryFileStore(),
                reserved);
        for (int port :
            List.of(
                ports.nativePort(),
                ports.raftPort(),
                ports.datasetsPort(),
                ports.etcdPort(),
                ports.bigtablePort(),
                ports.adminPort())) {
          assertThat(picked.add(port)).as("port %d is new", port).isTrue();
          if (i % 2 == 0) {
            open.add(listen(port)); // as long as it is reserved
          }
        }
      }
    } finally {
      for (AutoCloseable each : open.reversed()) {
        each.close();
      }
    }
  }

  @Test
  void aKeptPortThatIsTakenIsGivenUp() throws Exception {
    Ports first = any();
    try (ServerSocket _ = listen(first.nativePort())) {
      Ports next = any();

      assertThat(next.nativePort()).isNotEqualTo(first.nativePort());
      assertThat(next.raftPort()).isEqualTo(first.raftPort());
      assertThat(any()).isEqualTo(next);
    }
  }

  @Test
  void aPortThatIsSetIsTakenOrRefused() throws Exception {
    try (ServerSocket taken = listen(0)) {
      String port = "server.port=" + taken.getLocalPort();
      assertThatThrownBy(() -> choose(settings(port, "server.raft-port=0"), directory))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("is in use by another program: end it, or set another port");
    }
  }

  @Test
  void etcdsUsualPortIsLeftToWhoeverHasIt() throws Exception {
    try (ServerSocket _ = tryListen(EtcdSettings.USUAL_PORT)) {
      Ports ports =
          choose(settings("server.port=0", "server.raft-port=0"), EtcdSettings.DEFAULTS, directory);

      assertThat(ports.etcdPort()).isZero();
    }
  }

  @Test
  void aFileOfBeforeThereWasAPortForEtcdIsRead() throws Exception {
    Ports first = any();
    String line = "native=%d raft=%d\n".formatted(first.nativePort(), first.raftPort());
    directory.replace(FilePath.of("ports"), line.getBytes(StandardCharsets.US_ASCII));

    Ports next = any();

    assertThat(next.nativePort()).isEqualTo(first.nativePort());
    assertThat(next.raftPort()).isEqualTo(first.raftPort());
    assertThat(next.etcdPort()).isPositive();
    assertThat(next.bigtablePort()).isPositive();
    assertThat(next.adminPort()).isPositive();
  }

  @Test
  void theUsualPortOfBigtablesIsLeftToWhoeverHasIt() throws Exception {
    try (ServerSocket _ = tryListen(BigtableSettings.USUAL_PORT);
        Ports.Reserved reserved = new Ports.Reserved()) {
      Ports ports =
          Ports.choose(
              settings("server.port=0", "server.raft-port=0"),
              DatasetsSettings.DEFAULTS,
              ANY,
              BigtableSettings.DEFAULTS,
              AdminSettings.DEFAULTS,
              directory,
              reserved);

      assertThat(ports.bigtablePort()).isZero();
    }
  }

  @Test
  void anAdminPortThatIsTurnedOffIsNone() throws Exception {
    try (Ports.Reserved reserved = new Ports.Reserved()) {
      Ports ports =
          Ports.choose(
              settings("server.port=0", "server.raft-port=0"),
              DatasetsSettings.DEFAULTS,
              ANY,
              ANY_BIGTABLE,
              ServerSchema.SCHEMA
                  .reader()
                  .flags(List.of("admin.enabled=false"))
                  .merge()
                  .bind(AdminSettings.class, "admin"),
              directory,
              reserved);

      assertThat(ports.adminPort()).isZero();
    }
  }

  /** Whoever else has the port does as well. */
  private static ServerSocket tryListen(int port) throws IOException {
    try {
      return listen(port);
    } catch (BindException e) {
      return listen(0);
    }
  }

  @Test
  void anAddressOfAnotherMachineIsRefused() {
    assertThatThrownBy(() -> choose(settings("server.listen=192.0.2.1"), directory))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("listen is 192.0.2.1: must be an address of this machine");
  }

  @Test
  void aDamagedFileIsNamed() throws Exception {
    directory.replace(FilePath.of("ports"), "native=x".getBytes(StandardCharsets.US_ASCII));

    assertThatThrownBy(() -> any())
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("native=x");
  }
}
