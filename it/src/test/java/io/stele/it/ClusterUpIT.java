package io.stele.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.process.ChildProcess;
import io.stele.base.text.JsonReader;
import io.stele.it.process.Servers;
import io.stele.it.process.SteleCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code stele cluster up --tls}: a node that crashes comes back, and all of them end with it. */
@Timeout(240)
class ClusterUpIT {
  private static final Duration PATIENCE = SteleCluster.RECOVERY.multipliedBy(2);

  @TempDir Path folder;

  private Path description() {
    return folder.resolve("up/cluster.json");
  }

  /** A field of {@code cluster.json}. */
  private Object described(String name) throws IOException {
    Map<?, ?> all = (Map<?, ?>) JsonReader.read(Files.readString(description()));
    return all.get(name);
  }

  /** With which commands prove that they are the user's. */
  private List<String> certificates() {
    Path certs = folder.resolve("up/certs");
    return List.of(
        "--authority=" + certs.resolve("authority.pem"),
        "--certificate=" + certs.resolve("client-admin.pem"),
        "--key=" + certs.resolve("client-admin.key"));
  }

  private List<ProcessHandle> nodes() throws IOException {
    return ((List<?>) described("nodes"))
        .stream()
            .map(node -> Long.parseLong(((Map<?, ?>) node).get("pid").toString()))
            .map(pid -> ProcessHandle.of(pid).orElseThrow())
            .toList();
  }

  @Test
  void aNodeThatCrashesComesBackAndAllEndTogether() throws Exception {
    try (ChildProcess up =
        new ChildProcess(
            "stele cluster up",
            List.of(
                Servers.launcher().toString(),
                "cluster",
                "up",
                "--nodes=2",
                "--heap=256m",
                "--restart",
                "--tls",
                "--set=tables.session=3s",
                "--data=" + folder.resolve("up")),
            Servers.launched("256m").environment(),
            folder.resolve("up.log"),
            SteleCluster.RECOVERY)) {
      up.launch();
      up.awaitReady(() -> up.log().contains("Ctrl-C ends it."), PATIENCE);
      List<ProcessHandle> before = nodes();
      Commands commands = new Commands(described("endpoints").toString(), certificates());
      commands.stele("table", "create", "t", "--family", "f", "--split", "m").answer();
      commands.stele("put", "t", "a", "f:q", "1").answer();
      commands.stele("put", "t", "z", "f:q", "2").answer();

      before.get(1).destroyForcibly();
      up.awaitReady(() -> up.log().contains("node n2 is back, as process "), PATIENCE);
      assertThat(up.log()).contains("node n2 has ended with 137");
      await("all rows").atMost(PATIENCE).until(() -> count(commands).equals("2"));
      await("the new process")
          .atMost(PATIENCE)
          .ignoreExceptions() // the description may still name the process that has ended
          .until(() -> !nodes().equals(before));

      List<ProcessHandle> after = nodes();
      up.terminate();
      assertThat(up.awaitExit(PATIENCE)).isZero();
      assertThat(after).noneMatch(ProcessHandle::isAlive);
      assertThat(description()).doesNotExist();
    }
  }

  private static String count(Commands commands) {
    return commands.stele("scan", "t", "--count", "--timeout", "60s").out().strip();
  }
}
