package io.stele.base.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.UnavailableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With shells as children. */
class ChildProcessTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(50);
  private static final String FOREVER = "while :; do sleep 0.05; done";

  @TempDir private Path folder;

  private ChildProcess shell(String script) {
    return new ChildProcess("the shell", List.of("sh", "-c", script), folder.resolve("log"));
  }

  /** Starts a shell and waits until it has printed this word. */
  private static void startAndAwait(ChildProcess shell, String word) {
    shell.launch();
    shell.awaitReady(() -> shell.log().contains(word), PATIENCE);
  }

  @Test
  void itIsReadyWhenTheConditionHolds() {
    try (ChildProcess shell = shell("echo serving; " + FOREVER)) {
      startAndAwait(shell, "serving");

      assertThat(shell.isAlive()).isTrue();
    }
  }

  @Test
  void anEndBeforeReadinessIsReportedWithTheLastLinesOfTheLog() {
    try (ChildProcess shell = shell("for i in $(seq 30); do echo line $i; done; exit 3")) {
      shell.launch();

      assertThatThrownBy(() -> shell.awaitReady(() -> false, PATIENCE))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("the shell ended with exit code 3")
          .hasMessageContaining(folder.resolve("log").toString())
          .hasMessageContaining("line 16\n")
          .hasMessageEndingWith("line 30")
          .hasMessageNotContaining("line 15\n");
    }
  }

  @Test
  void whatAnEarlierOneLeftBehindIsNotReadiness() {
    try (ChildProcess shell = shell("exit 0")) {
      shell.launch();
      shell.awaitExit(PATIENCE);

      assertThatThrownBy(() -> shell.awaitReady(() -> true, PATIENCE))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("ended with exit code 0");
    }
  }

  @Test
  void oneThatTakesTooLongIsReported() {
    try (ChildProcess shell = shell(FOREVER)) {
      shell.launch();

      assertThatThrownBy(() -> shell.awaitReady(() -> false, SHORT))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("the shell is not ready after 0 s");
    }
  }

  @Test
  void aProgramThatDoesNotExistIsReported() {
    try (ChildProcess none =
        new ChildProcess("nothing", List.of("/no/such/program"), folder.resolve("log"))) {
      assertThatThrownBy(none::launch)
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("cannot start nothing")
          .hasMessageContaining("/no/such/program");
    }
  }

  @Test
  void aPausedOneTakesSignalsWhenItGoesOn() {
    try (ChildProcess shell = shell("trap 'exit 7' TERM; echo serving; " + FOREVER)) {
      startAndAwait(shell, "serving");
      shell.pause();
      shell.signal("TERM");

      assertThat(shell.isPaused()).isTrue();
      assertThatThrownBy(() -> shell.awaitExit(SHORT)).hasMessageContaining("still runs");

      shell.resume();
      assertThat(shell.awaitExit(PATIENCE)).isEqualTo(7);
    }
  }

  @Test
  void stopEndsItGently() throws Exception {
    try (ChildProcess shell = shell("trap 'echo bye; exit 0' TERM; echo serving; " + FOREVER)) {
      startAndAwait(shell, "serving");
      shell.pause(); // it must hear that it is to stop
      shell.stop(PATIENCE);

      assertThat(shell.isAlive()).isFalse();
      assertThat(shell.exit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isZero();
      assertThat(shell.log()).endsWith("bye\n");
    }
  }

  @Test
  void stopKillsOneThatDoesNotListen() throws Exception {
    try (ChildProcess shell = shell("trap '' TERM; echo serving; " + FOREVER)) {
      startAndAwait(shell, "serving");
      shell.stop(SHORT);

      assertThat(shell.exit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(128 + 9);
    }
  }

  @Test
  void itCanBeKilledAndStartedAgain() {
    try (ChildProcess shell = shell("echo serving; " + FOREVER)) {
      startAndAwait(shell, "serving");
      long first = shell.pid();
      assertThatThrownBy(shell::launch).isInstanceOf(IllegalStateException.class);
      shell.kill();
      startAndAwait(shell, "serving\nserving");

      assertThat(shell.pid()).isNotEqualTo(first);
    }
  }

  @Test
  void itHasTheVariablesItWasGiven() {
    try (ChildProcess shell =
        new ChildProcess(
            "the shell",
            List.of("sh", "-c", "echo \"$STELE_TEST/$HOME\""),
            variables -> {
              variables.put("STELE_TEST", "x");
              variables.remove("HOME");
            },
            folder.resolve("log"),
            Duration.ZERO)) {
      shell.launch();

      assertThat(shell.awaitExit(PATIENCE)).isZero();
      assertThat(shell.log()).isEqualTo("x/\n");
    }
  }

  @Test
  void childrenDoNotOutliveTheirParent() throws Exception {
    ChildProcess parent =
        new ChildProcess(
            "the parent",
            SteleProgram.java(List.of(), Parent.class.getName(), folder.toString()),
            folder.resolve("parent.log"));
    try (parent) {
      parent.launch();
      parent.awaitExit(PATIENCE);

      for (String child : List.of("gentle", "killed")) {
        long pid = Long.parseLong(Files.readString(folder.resolve(child + ".pid")).strip());
        Optional<ProcessHandle> left = ProcessHandle.of(pid).filter(ProcessHandle::isAlive);
        assertThat(left).as(child).isEmpty();
      }
      assertThat(Files.readString(folder.resolve("gentle.log"))).contains("bye");
      assertThat(Files.readString(folder.resolve("killed.log"))).doesNotContain("bye");
    }
  }

  /** A JVM that ends while its children run. */
  static final class Parent {
    public static void main(String[] arguments) {
      Path folder = Path.of(arguments[0]);
      startAndAwait(child(folder, "gentle", PATIENCE), "serving");
      startAndAwait(child(folder, "killed", Duration.ZERO), "serving");
    }

    private static ChildProcess child(Path folder, String name, Duration atExit) {
      String script =
          "echo $$ >"
              + folder.resolve(name + ".pid")
              + "; trap 'echo bye; exit' TERM; echo serving; ";
      return new ChildProcess(
          name,
          List.of("sh", "-c", script + FOREVER),
          variables -> {},
          folder.resolve(name + ".log"),
          atExit);
    }
  }
}
