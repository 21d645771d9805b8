package io.stele.it.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stele.it.Programs;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The package {@code etcd3} of npm, which a program in JavaScript drives. */
class NpmClientIT {
  private static final String PACKAGE = "etcd3@1.1.2";
  private static final long INSTALL_SECONDS = 60;

  @TempDir private Path directory;

  /** Why the package cannot be had; empty if it is there. */
  private static String install(Path folder) throws Exception {
    Path log = folder.resolve("npm.log");
    Process npm =
        new ProcessBuilder(
                "npm",
                "install",
                "--no-audit",
                "--no-fund",
                "--ignore-scripts",
                "--prefer-offline",
                "--fetch-retries=0",
                PACKAGE)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    npm.getOutputStream().close();
    if (!npm.waitFor(INSTALL_SECONDS, TimeUnit.SECONDS)) {
      npm.descendants().forEach(ProcessHandle::destroyForcibly);
      npm.destroyForcibly().waitFor();
      return "npm does not end within " + INSTALL_SECONDS + " s";
    }
    return npm.exitValue() == 0
        ? ""
        : "npm ended with exit code " + npm.exitValue() + ": " + Files.readString(log);
  }

  private static void copyProgram(Path file) throws IOException {
    try (InputStream program = NpmClientIT.class.getResourceAsStream("/etcd/client.js")) {
      assertThat(program).isNotNull();
      Files.copy(program, file);
    }
  }

  @Test
  @Timeout(180)
  void allThatItOffersAndARestartInTheMiddle() throws Exception {
    assumeTrue(Programs.exists("node"), "no program node is installed");
    assumeTrue(Programs.exists("npm"), "no program npm is installed");
    Path folder = Files.createDirectory(directory.resolve("npm"));
    String problem = install(folder);
    assumeTrue(problem.isEmpty(), "the package " + PACKAGE + " cannot be had: " + problem);
    Path program = folder.resolve("client.js");
    copyProgram(program);

    SteleNode node = SteleNode.start(directory);
    List<String> said = new ArrayList<>();
    Process client =
        new ProcessBuilder("node", program.toString(), "http://" + node.address())
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    try (BufferedReader out = client.inputReader(UTF_8);
        OutputStream in = client.getOutputStream()) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        if (line.equals("restart")) {
          int port = node.port();
          node.close();
          node = SteleNode.start(directory, port);
          in.write('\n');
          in.flush();
        } else {
          said.add(line);
        }
      }
      assertThat(client.waitFor(20, TimeUnit.SECONDS)).as("its end").isTrue();
    } finally {
      client.destroyForcibly().waitFor();
      node.close();
    }

    assertThat(said)
        .containsExactly(
            "get: 1",
            "absent: null",
            "all: {\"p/a\":\"1\",\"p/b\":\"2\"}",
            "deleted: 1",
            "txn: true then",
            "txn otherwise: false then",
            "duplicate: GRPCInvalidArgumentError",
            "lease: true",
            "revoked: null",
            "second lock: EtcdLockFailedError",
            "lock: done",
            "leader: me",
            "observed: me",
            "resigned: true",
            "watched: +w/kept=0 +w/a=1 -w/a",
            "kept: 0",
            "ended: null");
    assertThat(client.exitValue()).isZero();
  }
}
