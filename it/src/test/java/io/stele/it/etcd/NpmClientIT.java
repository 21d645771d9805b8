package io.stele.it.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.it.process.NpmPackage;
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

  @TempDir private Path directory;

  private static void copyProgram(Path file) throws IOException {
    try (InputStream program = NpmClientIT.class.getResourceAsStream("/etcd/client.js")) {
      assertThat(program).isNotNull();
      Files.copy(program, file);
    }
  }

  @Test
  @Timeout(180)
  void allThatItOffersAndARestartInTheMiddle() throws Exception {
    NpmPackage installed = NpmPackage.installed(PACKAGE);
    Path program = directory.resolve("client.js");
    copyProgram(program);

    SteleNode node = SteleNode.start(directory);
    List<String> said = new ArrayList<>();
    ProcessBuilder builder =
        new ProcessBuilder("node", program.toString(), "http://" + node.address())
            .redirectErrorStream(true);
    builder.environment().putAll(installed.variables());
    Process client = builder.start();
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
