package io.stele.base.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.UnavailableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerProcessTest {
  @TempDir private Path folder;

  /** Writes its addresses into the directory after {@code --data} and runs on. */
  private ServerProcess server(String addresses) {
    String script = "echo \"$@\"; echo '%s' >$2/addresses.json; exec sleep 60".formatted(addresses);
    return new ServerProcess(
        "the server",
        new SteleProgram(List.of("sh", "-c", script), variables -> {}),
        folder.resolve("data"),
        folder.resolve("log"),
        List.of("server"));
  }

  @Test
  void itIsReadyWithItsAddresses() {
    try (ServerProcess server = server("{\"native\": \"h:1\", \"datasets\": \"h:2\"}")) {
      ServerAddresses addresses = server.start();

      assertThat(addresses.of("native")).isEqualTo("h:1");
      assertThat(addresses.find("datasets")).contains("h:2");
      assertThat(addresses.find("etcd")).isEmpty();
      assertThatThrownBy(() -> addresses.of("etcd"))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("no interface 'etcd'");
      assertThat(server.log().strip())
          .isEqualTo("--data " + folder.resolve("data") + " --ports auto");
    }
  }

  @Test
  void addressesOfAnEarlierStartDoNotCount() throws Exception {
    try (ServerProcess server = server("{\"native\": \"h:1\"}")) {
      server.start();
      server.kill();
      Files.writeString(folder.resolve("data/addresses.json"), "{\"native\": \"stale:1\"}");

      assertThat(server.start().of("native")).isEqualTo("h:1");
      assertThat(server.address()).isEqualTo("h:1");
    }
  }

  @Test
  void oneThatWasNeverReadyHasNoAddress() {
    try (ServerProcess server = server("{}")) {
      assertThatThrownBy(server::address).isInstanceOf(UnavailableException.class);
    }
  }

  @Test
  void theLauncherIsGivenJavaOptionsByItsVariable() {
    Map<String, String> variables =
        new HashMap<>(
            Map.of("STELE_JAVA_OPTS", "-Xms1m", "STELE_TABLES_MEMORY", "1MiB", "PATH", "/bin"));
    SteleProgram program =
        SteleProgram.ofLauncher(Path.of("/opt/stele"), List.of("-Xmx2m")).behind(List.of("nice"));

    program.environment().accept(variables);
    assertThat(program.command()).containsExactly("nice", "/opt/stele");
    assertThat(variables)
        .containsEntry("STELE_JAVA_OPTS", "-Xms1m -Xmx2m")
        .containsEntry("STELE_BUILD", "never")
        .containsEntry("STELE_TABLES_MEMORY", "1MiB");

    program.isolated().environment().accept(variables);
    assertThat(variables)
        .containsOnly(
            Map.entry("STELE_JAVA_OPTS", "-Xmx2m"),
            Map.entry("STELE_BUILD", "never"),
            Map.entry("PATH", "/bin"));
  }

  @Test
  void theClassPathIsRunByThisJava() {
    List<String> command = SteleProgram.ofClassPath(List.of("-Xmx2m")).command();

    assertThat(command.getFirst()).startsWith(System.getProperty("java.home"));
    assertThat(command)
        .containsSubsequence("-XX:+UseParallelGC", "-Xmx2m", "-cp")
        .endsWith("io.stele.cli.Main");
  }

  @Test
  void aTreeIsDeletedWithoutFollowingLinks() throws Exception {
    Path kept = Files.createDirectory(folder.resolve("kept"));
    Files.createFile(kept.resolve("file"));
    Path tree = Files.createDirectories(folder.resolve("tree/a/b")).getParent().getParent();
    Files.createFile(tree.resolve("a/file"));
    Files.createSymbolicLink(tree.resolve("a/link"), kept);

    FileTree.delete(tree);
    FileTree.delete(tree); // nothing is there

    assertThat(tree).doesNotExist();
    assertThat(kept.resolve("file")).exists();
  }
}
