package io.stele.it.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.process.ChildProcess;
import io.stele.base.text.JsonReader;
import io.stele.it.process.Servers;
import io.stele.testkit.process.Program;
import io.stele.testkit.run.LongRun;
import io.stele.testkit.run.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The archives of a release, made of what this build collected, unpacked and used. */
@Tag(LongRun.TAG)
@Timeout(900)
class ReleaseIT {
  private static final String VERSION = "1.2.3";
  private static final String TIME = "2026-01-01T00:00:00Z";
  private static final long MOST_BYTES = 90_000_000;
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  @TempDir static Path folder;

  private static Path out = Path.of("");

  @BeforeAll
  static void makeTheRelease() {
    Needs.root("a namespace without Java and source");
    Needs.program("unshare", "util-linux");
    out = folder.resolve("out");
    Path script = Servers.launcher().resolveSibling("dist/src/release.bash");
    try (ChildProcess release =
        new ChildProcess(
            "release.bash",
            List.of(script.toString(), out.toString(), VERSION, TIME),
            variables -> variables.put("JAVA_HOME", System.getProperty("java.home")),
            folder.resolve("release.log"),
            Duration.ZERO)) {
      release.launch();
      assertThat(release.awaitExit(Duration.ofMinutes(10))).as(release.log()).isZero();
    }
  }

  private static Path archive(String name) {
    return out.resolve(name.formatted(VERSION));
  }

  private static Installation unpack(String archive, String name, Map<String, String> variables)
      throws IOException {
    return Installation.unpack(archive(archive), folder.resolve(name), variables);
  }

  @Test
  void theArchiveWithoutAJavaHasAtMost90Megabytes() throws Exception {
    assertThat(Files.size(archive("stele-%s.tar.gz"))).isLessThan(MOST_BYTES);
    assertThat(Program.succeed("tar", "-tzf", archive("stele-%s.tar.gz").toString()).lines())
        .allMatch(name -> name.startsWith("stele-" + VERSION + "/"))
        .noneMatch(name -> name.contains("/runtime/"))
        .contains(
            "stele-1.2.3/LICENSE",
            "stele-1.2.3/NOTICE",
            "stele-1.2.3/docs/tables.md",
            "stele-1.2.3/etc/stele.conf",
            "stele-1.2.3/share/completions/_stele",
            "stele-1.2.3/share/completions/stele.bash",
            "stele-1.2.3/share/completions/stele.fish",
            "stele-1.2.3/share/man/man1/stele.1",
            "stele-1.2.3/share/systemd/stele.service");
  }

  @Test
  void checksumsAreThoseOfTheArchives() throws Exception {
    Program.Result check =
        new Program(List.of("sha256sum", "-c", "SHA256SUMS"), out, _ -> {}).run();

    assertThat(check.exitCode()).as(check.said()).isZero();
    try (Stream<Path> files = Files.list(out)) {
      assertThat(check.out().lines().count()).isEqualTo(files.count() - 1);
    }
  }

  @Test
  void itServesWithItsOwnJavaAndNothingElse() throws Exception {
    Installation installed = unpack("stele-%s-linux-x64.tar.gz", "alone", Map.of());
    assertThat(installed.file("lib/cds")).isDirectoryContaining("glob:**.jsa");

    serveAndRestart(installed);
  }

  @Test
  void itServesWithTheJavaThatIsNamed() throws Exception {
    Path java = Files.createDirectories(folder.resolve("java-of-the-machine"));

    serveAndRestart(unpack("stele-%s.tar.gz", "with-java", Map.of("JAVA_HOME", java.toString())));
  }

  private static void serveAndRestart(Installation installed) throws Exception {
    Path link =
        Files.createSymbolicLink(installed.work().resolve("stele"), installed.file("bin/stele"));
    try (ChildProcess server = installed.startServer(installed.work().resolve("log.txt"))) {
      stele(installed, link, "table", "create", "users", "--family", "name");
      stele(installed, link, "put", "users", "42", "name:first", "Ada");
      assertThat(stele(installed, link, "get", "users", "42")).contains("name:first", "Ada");

      server.terminate();
      assertThat(server.awaitExit(PATIENCE))
          .as("systemd takes it for success")
          .isEqualTo(Integer.parseInt(installed.unit("SuccessExitStatus")));
    }
    try (ChildProcess again = installed.startServer(installed.work().resolve("log.txt"))) {
      assertThat(stele(installed, link, "get", "users", "42")).contains("Ada");
      again.terminate();
      again.awaitExit(PATIENCE);
    }
    Files.delete(link);
  }

  private static String stele(Installation installed, Path launcher, String... arguments) {
    String[] all =
        Stream.concat(Stream.of(arguments), Stream.of("--endpoints", installed.endpoint()))
            .toArray(String[]::new);
    Program.Result result = installed.run(launcher, all);
    assertThat(result.exitCode()).as(String.join(" ", all) + ": " + result.said()).isZero();
    assertThat(result.err()).isEmpty();
    return result.out();
  }

  @Test
  void theImageIsWholeAndRunsWithNothingButItself() throws Exception {
    Path image = Files.createDirectories(folder.resolve("image"));
    Program.succeed("tar", "-xf", archive("stele-%s-image.tar").toString(), "-C", image.toString());
    Map<?, ?> index = json(image.resolve("index.json"));
    Map<?, ?> manifest = blob(image, ((List<?>) index.get("manifests")).getFirst());
    Map<?, ?> config = (Map<?, ?>) blob(image, manifest.get("config")).get("config");
    Path layer = blobFile(image, ((List<?>) manifest.get("layers")).getFirst());
    Path root = Files.createDirectories(folder.resolve("root"));
    Program.succeed("tar", "-xzf", layer.toString(), "-C", root.toString());

    assertThat(config.get("User")).isEqualTo("10001:10001");
    assertThat(((Map<?, ?>) config.get("ExposedPorts")).keySet().toString())
        .contains("7835/tcp", "7838/tcp", "2379/tcp");
    Files.createDirectories(root.resolve("proc")); // as container runtimes do
    List<String> command =
        new ArrayList<>(
            List.of(
                "unshare",
                "--mount",
                "--",
                "sh",
                "-ec",
                "mount -t proc proc %1$s/proc; exec env -i PATH=/usr/sbin:/usr/bin chroot --userspec=10001:10001 %1$s \"$@\""
                    .formatted(root),
                "sh"));
    ((List<?>) config.get("Entrypoint")).forEach(word -> command.add(word.toString()));
    Program.Result version = new Program(command, folder, _ -> {}).run("--version");
    assertThat(version.said()).startsWith("stele ");
    Program.Result check =
        new Program(command, folder, _ -> {})
            .run("server", "--check", "--ports", "auto", "--data", "/var/lib/stele/data");
    assertThat(check.exitCode()).as(check.said()).isZero();
    assertThat(check.out()).endsWith("ready\n");
  }

  private static Map<?, ?> json(Path file) throws IOException {
    return (Map<?, ?>) JsonReader.read(Files.readString(file));
  }

  private static Map<?, ?> blob(Path image, Object descriptor) throws Exception {
    return json(blobFile(image, descriptor));
  }

  /** The blob of a descriptor, which must have its digest and size. */
  private static Path blobFile(Path image, Object descriptor) throws Exception {
    Map<?, ?> described = (Map<?, ?>) descriptor;
    String digest = described.get("digest").toString().replace("sha256:", "");
    Path file = image.resolve("blobs/sha256").resolve(digest);
    assertThat(Program.succeed("sha256sum", file.toString())).startsWith(digest);
    assertThat(Files.size(file)).isEqualTo(((Number) described.get("size")).longValue());
    return file;
  }

  @Test
  void thePackageHasWhatTheSystemLooksFor() throws Exception {
    Needs.program("dpkg-deb", "dpkg");
    String listed =
        Program.succeed("dpkg-deb", "--contents", archive("stele_%s_amd64.deb").toString());

    assertThat(listed)
        .contains(
            "./lib/systemd/system/stele.service",
            "./opt/stele/runtime/bin/java",
            "./usr/bin/stele -> /opt/stele/bin/stele",
            "./usr/share/bash-completion/completions/stele",
            "./usr/share/man/man1/stele.1.gz");
    assertThat(Program.succeed("dpkg-deb", "--info", archive("stele_%s_amd64.deb").toString()))
        .contains("Package: stele", "Version: " + VERSION, "Architecture: amd64");
  }

  @Test
  void withoutAJavaItSaysSoInOneLine() throws Exception {
    Installation installed = unpack("stele-%s.tar.gz", "no-java", Map.of("PATH", "/usr/bin:/bin"));

    Program.Result result = installed.run(installed.file("bin/stele"), "--version");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err())
        .startsWith("stele: needs a Java runtime 25 or newer and found none: install one")
        .hasLineCount(1);
  }
}
