package io.stele.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher with what this build put into {@code dist}. */
class LauncherIT {

  private static final Path ROOT = Path.of(System.getProperty("stele.root")).toAbsolutePath();

  @TempDir Path elsewhere;

  private Launcher.Result stele(String... arguments) throws IOException, InterruptedException {
    return launcher(ROOT.resolve("stele"), Map.of()).run(arguments);
  }

  /** Never builds: this test is part of a build of the same folders. */
  private Launcher launcher(Path script, Map<String, String> environment) {
    Map<String, String> all = new HashMap<>(Map.of("STELE_BUILD", "never"));
    all.putAll(environment);
    return new Launcher(script, elsewhere, all);
  }

  @Test
  void helpIsPrintedFromAnyFolder() throws Exception {
    Launcher.Result result = stele("--help");

    assertThat(result.err()).isEmpty();
    assertThat(result.out()).startsWith("Usage: stele ").contains("version", "Exit codes:");
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void theVersionIsThatOfTheBuild() throws Exception {
    Launcher.Result result = stele("version", "--output", "json");

    assertThat(result.err()).isEmpty();
    assertThat(result.out()).contains("\"stele\": \"" + System.getProperty("stele.version") + "\"");
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void theJvmIsAtLeast25() throws Exception {
    assertThat(stele("version").out()).containsPattern("java +(2[5-9]|[3-9]\\d)");
  }

  @Test
  void aMisspeltCommandEndsWith2AndASuggestion() throws Exception {
    Launcher.Result result = stele("vresion");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("unknown command 'vresion'; did you mean 'version'?");
  }

  @Test
  void aChainOfLinksLeadsToTheLauncher() throws Exception {
    Path first = Files.createSymbolicLink(elsewhere.resolve("first"), ROOT.resolve("stele"));
    Path second = Files.createSymbolicLink(elsewhere.resolve("second"), first.getFileName());

    Launcher.Result result = launcher(second, Map.of()).run("--version");
    Files.delete(first); // JUnit warns of links that lead out of its folder

    assertThat(result.out()).isEqualTo("stele " + System.getProperty("stele.version") + "\n");
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void optionsOfTheUserReachTheJvm() throws Exception {
    Launcher.Result result =
        launcher(ROOT.resolve("stele"), Map.of("STELE_JAVA_OPTS", "-Xint -XX:+NoSuchFlag"))
            .run("--version");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out() + result.err()).contains("NoSuchFlag");
  }

  @Test
  void argumentsKeepTheirSpaces() throws Exception {
    assertThat(stele("no such  command").err()).contains("'no such  command'");
  }

  @Test
  void benchmarksAreListedAndRunButAreNotPartOfWhatShips() throws Exception {
    assertThat(stele("--help").out()).contains("bench ");
    assertThat(stele("bench", "--help").out()).contains("Usage: stele bench", "engine", "replica");
    assertThat(stele("help", "bench", "engine").out()).contains("Usage: stele bench engine");

    try (Stream<Path> jars = Files.list(ROOT.resolve("dist/target/lib"))) {
      assertThat(jars.map(jar -> jar.getFileName().toString()))
          .noneMatch(jar -> jar.startsWith("stele-bench") || jar.startsWith("stele-testkit"))
          .noneMatch(jar -> jar.startsWith("rocksdb") || jar.startsWith("junit"));
    }
  }
}
