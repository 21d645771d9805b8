package io.stele.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.process.ChildProcess;
import io.stele.base.process.ServerAddresses;
import io.stele.base.process.ServerProcess;
import io.stele.cli.ExitCode;
import io.stele.it.process.Servers;
import io.stele.testkit.process.Program;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code stele server} as operators meet it: how it starts, stops, and refuses to start. */
@Timeout(180)
class ServerProcessIT {

  private static final Duration PATIENCE = Duration.ofSeconds(90);

  /** How the JVM ends after SIGTERM, once everything is stopped. */
  private static final int TERMINATED = 143;

  @TempDir Path folder;

  private Program.Result server(String... arguments) {
    return Servers.commands(folder, Map.of())
        .run(Stream.concat(Stream.of("server"), Stream.of(arguments)).toArray(String[]::new));
  }

  @Test
  void itServesStopsWhenAskedToAndKeepsWhatItAcknowledged() throws Exception {
    try (ServerProcess server = Servers.server(folder.resolve("data"))) {
      String address = server.start().of("native");
      assertThat(address).startsWith("127.0.0.1:");
      assertThat(server.addresses().of("raft")).startsWith("127.0.0.1:");
      await("what it prints last")
          .untilAsserted(
              () -> assertThat(server.log()).contains("native " + address + "\n", "\nready\n"));
      Commands commands = Commands.of(server);
      commands.metastore("put", "/a", "1").answer();
      aSecondServerOnTheSameDirectoryIsRefused(server);
      assertThat(commands.metastore("get", "/a").answer())
          .as("the first one is not disturbed")
          .isEqualTo("1");

      server.terminate();
      assertThat(server.awaitExit(PATIENCE)).isEqualTo(TERMINATED);
      assertThat(server.data().resolve(ServerAddresses.FILE)).doesNotExist();

      assertThat(server.start().of("native")).as("picked ports are kept").isEqualTo(address);
      assertThat(commands.metastore("get", "/a").answer()).isEqualTo("1");
      whatWasAcknowledgedSurvivesKill9(server, commands);
    }
  }

  private static void aSecondServerOnTheSameDirectoryIsRefused(ServerProcess first)
      throws IOException {
    try (ChildProcess second =
        new ChildProcess(
            "a second server",
            List.of(
                Servers.launcher().toString(),
                "server",
                "--data",
                first.data().toString(),
                "--ports",
                "auto"),
            Servers.launched("128m").environment(),
            first.data().resolveSibling("second.log"),
            Duration.ZERO)) {
      second.launch();
      assertThat(second.awaitExit(PATIENCE)).isEqualTo(ExitCode.UNAVAILABLE);
      assertThat(second.log())
          .contains(
              "stele server: directory " + first.data().toRealPath() + " is in use by process ")
          .contains(Long.toString(first.pid()));
    }
  }

  private static void whatWasAcknowledgedSurvivesKill9(ServerProcess server, Commands commands) {
    String revision = "";
    for (int i = 0; i < 20; i++) {
      revision = commands.metastore("put", "/keys/" + i, "value " + i).answer();
    }
    server.kill();
    assertThat(server.data().resolve(ServerAddresses.FILE))
        .as("nobody was left to remove it")
        .exists();

    server.start();
    for (int i = 0; i < 20; i++) {
      assertThat(commands.metastore("get", "/keys/" + i).answer()).isEqualTo("value " + i);
    }
    assertThat(Long.parseLong(commands.metastore("put", "/keys/0", "new").answer()))
        .as("revisions go on")
        .isGreaterThan(Long.parseLong(revision));
  }

  @Test
  void aPortThatIsTakenIsNamed() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());

      Program.Result result = server("--data", "d", "--port", port, "--raft-port", "0");

      assertThat(result.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
      assertThat(result.err())
          .contains("stele server: port " + port + " of 127.0.0.1 is in use by another program");
      assertThat(folder.resolve("d/addresses.json")).doesNotExist();
    }
  }

  @Test
  void aDirectoryThatIsNoneIsNamed() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "x");

    Commands.Result result = Commands.run("server", "--data", file.toString(), "--ports", "auto");

    assertThat(result.exitCode()).isNotZero();
    assertThat(result.err()).contains("stele server: ", file.toString());
  }

  @Test
  void wrongSettingsAreAllNamed() throws Exception {
    Commands.Result role = Commands.run("server", "--roles", "metastor");
    assertThat(role.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(role.err())
        .contains(
            "unknown role 'metastor'; known: metastore, tables, master, replicas, datasets. Did you"
                + " mean 'metastore'?");

    Path config = Files.writeString(folder.resolve("c"), "server.prot = 1\nserver.port = x\n");
    Commands.Result file = Commands.run("server", "--config", config.toString());
    assertThat(file.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(file.err())
        .contains("unknown setting server.prot (" + config + ":1): did you mean server.port?")
        .contains("server.port = x (" + config + ":2): expected a whole number such as 8");

    Program.Result variable =
        Servers.commands(folder, Map.of("STELE_SERVER_PROT", "1")).run("server");
    assertThat(variable.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(variable.err())
        .contains("unknown variable STELE_SERVER_PROT: did you mean STELE_SERVER_PORT?");
    assertThat(folder.resolve("stele-data")).as("nothing was made").doesNotExist();
  }
}
