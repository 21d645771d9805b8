package io.stele.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.it.process.Servers;
import io.stele.testkit.process.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * When the launcher builds, and what it says of it: a copy of it in a source tree of one file, with
 * a stand-in for Maven that copies what the real build created, or fails.
 */
class LauncherBuildIT {

  private static final Path ROOT = Servers.launcher().getParent();
  private static final String JAVA_HOME = System.getProperty("java.home");

  /**
   * What a build leaves, taken from the real one. An archive of class data that is newer keeps the
   * launcher from creating one; the JVM ignores it, since it is empty.
   */
  private static final String TAKE_OVER =
      """
      mkdir -p "%1$s/dist/target/cds"
      ln -sfn "%2$s/dist/target/lib" "%1$s/dist/target/lib"
      cp "%2$s/dist/target/classpath" "%1$s/dist/target/classpath"
      touch -d '1 hour' "%1$s/dist/target/cds/%3$s.jsa"
      """
          .replace("%3$s", JAVA_HOME.replace('/', '_'));

  /** Likewise, of the benchmarks. */
  private static final String TAKE_OVER_BENCH =
      """
      mkdir -p "%1$s/bench/target"
      ln -sfn "%2$s/bench/target/classes" "%1$s/bench/target/classes"
      cp "%2$s/bench/target/classpath" "%1$s/bench/target/classpath"
      """;

  @TempDir Path tree;

  private Path source;
  private Program launcher;

  @BeforeEach
  void plantTree() throws IOException {
    source = tree.resolve("cli/src/main/java/Main.java");
    Files.createDirectories(source.getParent());
    Files.writeString(source, "class Main {}");
    Files.writeString(tree.resolve("pom.xml"), "<project/>");
    Files.writeString(tree.resolve("cli/pom.xml"), "<project/>");
    Files.copy(ROOT.resolve("stele"), tree.resolve("stele"));
    Path common = Path.of("dist/src/launch.bash");
    Files.createDirectories(tree.resolve(common).getParent());
    Files.copy(ROOT.resolve(common), tree.resolve(common));
    program(tree.resolve("stele"));
    launcher = launcher("auto");
    mavenDoes(TAKE_OVER.formatted(tree, ROOT));
  }

  private Program launcher(String build) {
    String path = tree.resolve("bin") + ":" + System.getenv("PATH");
    return Servers.commands(
        tree.resolve("stele"),
        tree,
        Map.of("PATH", path, "JAVA_HOME", JAVA_HOME, "STELE_BUILD", build));
  }

  /** Unlinked here because JUnit warns of links that lead out of its folder. */
  @AfterEach
  void unlink() throws IOException {
    Files.deleteIfExists(tree.resolve("dist/target/lib"));
    Files.deleteIfExists(tree.resolve("bench/target/classes"));
  }

  /** Puts a program called mvn onto the path, which counts its runs. */
  private void mavenDoes(String script) throws IOException {
    Files.createDirectories(tree.resolve("bin"));
    Path maven = tree.resolve("bin/mvn");
    Files.writeString(
        maven,
        "#!/usr/bin/env bash\necho \"$@\" >>\"%s\"\n%s".formatted(tree.resolve("runs"), script));
    program(maven);
  }

  private static void program(Path file) {
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private int mavenRuns() throws IOException {
    Path runs = tree.resolve("runs");
    return Files.exists(runs) ? Files.readAllLines(runs).size() : 0;
  }

  /** As if a minute had passed since the last build. */
  private void ageTheBuild() throws IOException {
    Path built = tree.resolve("dist/target/classpath");
    FileTime earlier =
        FileTime.from(Files.getLastModifiedTime(built).toInstant().minus(Duration.ofMinutes(1)));
    for (Path file : new Path[] {source, tree.resolve("pom.xml"), tree.resolve("cli/pom.xml")}) {
      Files.setLastModifiedTime(file, FileTime.fromMillis(0));
    }
    for (String folder : new String[] {"cli/src/main/java", "cli/src/main"}) {
      Files.setLastModifiedTime(tree.resolve(folder), FileTime.fromMillis(0));
    }
    Files.setLastModifiedTime(built, earlier);
  }

  @Test
  void theFirstUseBuildsAndSaysSoInOneLine() throws Exception {
    Program.Result result = launcher.run("--version");

    assertThat(result.exitCode()).isZero();
    assertThat(result.err()).isEqualTo("building Stele (first use, some minutes) …\n");
    assertThat(result.out()).startsWith("stele ");
    assertThat(mavenRuns()).isEqualTo(1);
  }

  @Test
  void whatIsBuiltAndUnchangedIsNotBuiltAgain() throws Exception {
    launcher.run("--version");
    ageTheBuild();

    Program.Result result = launcher.run("--version");

    assertThat(result.err()).isEmpty();
    assertThat(result.exitCode()).isZero();
    assertThat(mavenRuns()).isEqualTo(1);
  }

  @Test
  void aChangedSourceIsBuiltAgain() throws Exception {
    launcher.run("--version");
    ageTheBuild();
    Files.writeString(source, "class Main { int changed; }");

    assertThat(launcher.run("--version").err()).isEqualTo("building Stele (sources changed) …\n");
    assertThat(mavenRuns()).isEqualTo(2);
  }

  @Test
  void aDeletedSourceIsAChangeToo() throws Exception {
    launcher.run("--version");
    ageTheBuild();
    Files.delete(source);

    assertThat(launcher.run("--version").err()).isEqualTo("building Stele (sources changed) …\n");
  }

  @Test
  void aSourceSavedDuringTheBuildIsBuiltNextTime() throws Exception {
    mavenDoes(
        TAKE_OVER.formatted(tree, ROOT)
            + """
            touch -d '30 seconds' "%s"
            touch -d '60 seconds' "%s"
            """
                .formatted(source, tree.resolve("dist/target/classpath")));
    launcher.run("--version");

    assertThat(launcher.run("--version").err()).isEqualTo("building Stele (sources changed) …\n");
  }

  @Test
  void benchmarksAreBuiltOnTheirFirstUseAndNotBefore() throws Exception {
    Path benchmark = Files.createDirectories(tree.resolve("bench/src/main")).resolve("Bench.java");
    Files.writeString(tree.resolve("bench/pom.xml"), "<project/>");
    Files.writeString(benchmark, "class Bench {}");
    launcher.run("--version");
    mavenDoes(TAKE_OVER.formatted(tree, ROOT) + TAKE_OVER_BENCH.formatted(tree, ROOT));

    Program.Result result = launcher.run("bench", "--help");

    assertThat(result.err())
        .isEqualTo("building the benchmarks of Stele (first use, some minutes) …\n");
    assertThat(result.out()).contains("Benchmarks:", "engine");
    assertThat(Files.readAllLines(tree.resolve("runs")).getLast()).contains(" -pl dist,bench -am ");

    ageTheBuild();
    assertThat(launcher.run("--version").err())
        .as("benchmarks are newer than what ships")
        .isEmpty();
  }

  @Test
  void withoutASourceTreeBenchmarksSayThatTheyNeedOne() throws Exception {
    Program.Result result = launcher.run("bench", "engine", "--quick");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .isEqualTo(
            "stele: bench needs the source tree of Stele, of which there is none in %s: run ./stele of a checkout.\n"
                .formatted(tree.toRealPath()));
    assertThat(mavenRuns()).isZero();
  }

  @Test
  void aFailedBuildShowsItsErrorsAndWhereTheRestIs() throws Exception {
    mavenDoes(
        """
        echo "[INFO] Building"
        echo "[ERROR] Main.java:[1,7] ';' expected"
        echo "[ERROR] Compilation failure -> [Help 1]"
        echo "[ERROR] Re-run Maven using the -X switch"
        exit 1
        """);

    Program.Result result = launcher.run("--version");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .isEqualTo(
            """
            building Stele (first use, some minutes) …
            [ERROR] Main.java:[1,7] ';' expected
            [ERROR] Compilation failure -> [Help 1]
            stele: the build failed; all it said is in %s
            """
                .formatted(tree.toRealPath().resolve("target/build.log")));
    assertThat(tree.resolve("target/build.log")).content().contains("[INFO] Building", "Re-run");
  }

  @Test
  void withoutABuildAndForbiddenToBuildItSaysSo() throws Exception {
    Program.Result result = launcher("never").run("--version");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err())
        .isEqualTo("stele: nothing is built yet, and STELE_BUILD=never forbids to build\n");
  }

  @Test
  void anUnknownWayToBuildIsRefused() throws Exception {
    Program.Result result = launcher("maybe").run("--version");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err())
        .isEqualTo("stele: STELE_BUILD is 'maybe'; it must be 'auto' or 'never'\n");
  }
}
