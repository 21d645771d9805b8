package io.stele.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.cli.ExitCode;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code stele server} as operators meet it: how it starts, stops, and refuses to start. */
@Timeout(180)
class ServerProcessIT {

  private static final Path ROOT = Path.of(System.getProperty("stele.root")).toAbsolutePath();

  /** How the JVM ends after SIGTERM, once everything is stopped. */
  private static final int TERMINATED = 143;

  @TempDir Path folder;

  private Launcher.Result stele(Map<String, String> environment, String... arguments)
      throws Exception {
    Map<String, String> all = new HashMap<>(Map.of("STELE_BUILD", "never"));
    all.putAll(environment);
    return new Launcher(ROOT.resolve("stele"), folder, all).run(arguments);
  }

  private Launcher.Result server(String... arguments) throws Exception {
    String[] all = new String[arguments.length + 1];
    all[0] = "server";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return stele(Map.of(), all);
  }

  @Test
  void withoutConfigurationItServesAndStopsWhenToldTo() throws Exception {
    Path data = folder.resolve("data");
    String kept;
    try (ServerProcess server = ServerProcess.start(data)) {
      String address = server.address();
      kept = address;
      assertThat(address).startsWith("127.0.0.1:");
      assertThat(server.addresses()).content().contains("\"raft\": \"127.0.0.1:");
      await("what it prints last")
          .untilAsserted(
              () -> assertThat(server.said()).contains("native " + address + "\n", "\nready\n"));
      assertThat(Commands.of(server).metastore("put", "/a", "1").exitCode()).isZero();

      assertThat(server.stop()).isEqualTo(TERMINATED);

      assertThat(server.addresses()).doesNotExist();
    }
    try (ServerProcess again = ServerProcess.start(data)) {
      assertThat(again.address()).as("picked ports are kept").isEqualTo(kept);
      assertThat(Commands.of(again).metastore("get", "/a").answer()).isEqualTo("1");
    }
  }

  @Test
  void whatWasAcknowledgedSurvivesKill9() throws Exception {
    Path data = folder.resolve("data");
    String revision = "";
    try (ServerProcess server = ServerProcess.start(data)) {
      Commands commands = Commands.of(server);
      for (int i = 0; i < 20; i++) {
        revision = commands.metastore("put", "/keys/" + i, "value " + i).answer();
      }
      server.kill();
      assertThat(server.addresses()).as("nobody was left to remove it").exists();
      Files.delete(server.addresses()); // the next start is ready when it is there again
    }
    try (ServerProcess again = ServerProcess.start(data)) {
      Commands commands = Commands.of(again);
      for (int i = 0; i < 20; i++) {
        assertThat(commands.metastore("get", "/keys/" + i).answer()).isEqualTo("value " + i);
      }
      assertThat(Long.parseLong(commands.metastore("put", "/keys/0", "new").answer()))
          .as("revisions go on")
          .isGreaterThan(Long.parseLong(revision));
    }
  }

  @Test
  void aSecondServerOnTheSameDirectoryIsRefused() throws Exception {
    Path data = folder.resolve("data");
    try (ServerProcess first = ServerProcess.start(data);
        ServerProcess second = ServerProcess.launch(data)) {
      assertThat(second.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
      assertThat(second.said())
          .contains("stele server: directory " + data.toRealPath() + " is in use by process ")
          .contains(Long.toString(first.pid()));
      assertThat(Commands.of(first).metastore("put", "/a", "1").exitCode())
          .as("the first one is not disturbed")
          .isZero();
    }
  }

  @Test
  void aPortThatIsTakenIsNamed() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());

      Launcher.Result result = server("--data", "d", "--port", port, "--raft-port", "0");

      assertThat(result.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
      assertThat(result.err())
          .contains("stele server: port " + port + " of 127.0.0.1 is in use by another program");
      assertThat(folder.resolve("d/addresses.json")).doesNotExist();
    }
  }

  @Test
  void aDirectoryThatIsNoneIsNamed() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "x");

    Launcher.Result result = server("--data", file.toString(), "--ports", "auto");

    assertThat(result.exitCode()).isNotZero();
    assertThat(result.err()).contains("stele server: ", file.toString());
  }

  @Test
  void wrongSettingsAreAllNamed() throws Exception {
    Launcher.Result role = server("--roles", "metastor");
    assertThat(role.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(role.err())
        .contains(
            "unknown role 'metastor'; known: metastore, tables, master, replicas, datasets. Did you"
                + " mean 'metastore'?");

    Path config = Files.writeString(folder.resolve("c"), "server.prot = 1\nserver.port = x\n");
    Launcher.Result file = server("--config", config.toString());
    assertThat(file.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(file.err())
        .contains("unknown setting server.prot (" + config + ":1): did you mean server.port?")
        .contains("server.port = x (" + config + ":2): expected a whole number such as 8");

    Launcher.Result variable = stele(Map.of("STELE_SERVER_PROT", "1"), "server");
    assertThat(variable.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(variable.err())
        .contains("unknown variable STELE_SERVER_PROT: did you mean STELE_SERVER_PORT?");
    assertThat(folder.resolve("stele-data")).as("nothing was made").doesNotExist();
  }
}
