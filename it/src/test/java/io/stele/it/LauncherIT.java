package io.stele.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.it.process.Servers;
import io.stele.testkit.process.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher with what this build put into {@code dist}. */
class LauncherIT {

  @TempDir Path elsewhere;

  /** Never builds: this test is part of a build of the same folders. */
  private Program.Result stele(String... arguments) {
    return Servers.commands(elsewhere, Map.of()).run(arguments);
  }

  @Test
  void helpIsPrintedFromAnyFolder() throws Exception {
    Program.Result result = stele("--help");

    assertThat(result.err()).isEmpty();
    assertThat(result.out()).startsWith("Usage: stele ").contains("version", "Exit codes:");
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void theVersionIsThatOfTheBuildAndTheJvmIsAtLeast25() throws Exception {
    Program.Result result = stele("version", "--output", "json");

    assertThat(result.err()).isEmpty();
    assertThat(result.out())
        .contains("\"stele\": \"" + System.getProperty("stele.version") + "\"")
        .containsPattern("\"java\": \"(2[5-9]|[3-9]\\d)");
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void aMisspeltCommandEndsWith2AndASuggestion() throws Exception {
    Program.Result result = stele("vresion");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("unknown command 'vresion'; did you mean 'version'?");
  }

  @Test
  void aChainOfLinksLeadsToTheLauncher() throws Exception {
    Path first = Files.createSymbolicLink(elsewhere.resolve("first"), Servers.launcher());
    Path second = Files.createSymbolicLink(elsewhere.resolve("second"), first.getFileName());

    Program.Result result = Servers.commands(second, elsewhere, Map.of()).run("--version");
    Files.delete(first); // JUnit warns of links that lead out of its folder

    assertThat(result.out()).isEqualTo("stele " + System.getProperty("stele.version") + "\n");
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void optionsOfTheUserReachTheJvm() throws Exception {
    Program.Result result =
        Servers.commands(elsewhere, Map.of("STELE_JAVA_OPTS", "-Xint -XX:+NoSuchFlag"))
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

    try (Stream<Path> jars = Files.list(Servers.launcher().resolveSibling("dist/target/lib"))) {
      assertThat(jars.map(jar -> jar.getFileName().toString()))
          .noneMatch(jar -> jar.startsWith("stele-bench") || jar.startsWith("stele-testkit"))
          .noneMatch(jar -> jar.startsWith("rocksdb") || jar.startsWith("junit"));
    }
  }
}
