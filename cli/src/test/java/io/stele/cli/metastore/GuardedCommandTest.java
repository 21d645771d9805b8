package io.stele.cli.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class GuardedCommandTest {

  @TempDir Path folder;

  private final CompletableFuture<Void> lost = new CompletableFuture<>();

  private static GuardedCommand shell(String script, Map<String, String> environment) {
    return GuardedCommand.start(List.of("sh", "-c", script), environment, GuardedCommand.GRACE);
  }

  @Test
  void itsExitCodeIsPassedOnAndItsEnvironmentSet() throws Exception {
    try (GuardedCommand command = shell("exit $CODE", Map.of("CODE", "17"))) {
      assertThat(command.await(lost)).isEqualTo(17);
    }
  }

  @Test
  void itIsToldToEndWhenWhatItNeedsIsLost() throws Exception {
    Path told = folder.resolve("told");
    Path ready = folder.resolve("ready");
    String script =
        "trap 'echo bye >%s; exit 0' TERM; echo >%s; while :; do sleep 0.02; done"
            .formatted(told, ready);
    try (GuardedCommand command = shell(script, Map.of())) {
      CompletableFuture<Void> whenReady =
          CompletableFuture.runAsync(() -> awaitFile(ready)).thenRun(() -> lost.complete(null));

      assertThatThrownBy(() -> command.await(lost))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("the session was lost while 'sh' ran");
      whenReady.join();
    }
    assertThat(told).hasContent("bye\n");
  }

  @Test
  void oneThatDoesNotListenIsEndedAfterTheGrace() {
    lost.complete(null);
    List<String> deaf = List.of("sh", "-c", "trap '' TERM; while :; do sleep 0.02; done");
    try (GuardedCommand command = GuardedCommand.start(deaf, Map.of(), Duration.ofMillis(300))) {
      assertThatThrownBy(() -> command.await(lost)).isInstanceOf(UnavailableException.class);
    }
  }

  @Test
  void aProgramThatIsNotThereIsNamed() {
    assertThatThrownBy(
            () -> GuardedCommand.start(List.of("/no/such/program"), Map.of(), Duration.ZERO))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageStartingWith("cannot run '/no/such/program': ");
  }

  private static void awaitFile(Path file) {
    while (!Files.exists(file)) {
      Thread.onSpinWait();
    }
  }
}
