package io.stele.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.UnavailableException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverProcessTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir private Path temp;

  private DriverProcess start(String script) throws Exception {
    return DriverProcess.start(
        "the client", List.of("/bin/sh", "-c", script), temp.resolve("client.log"));
  }

  @Test
  void eachRequestHasItsAnswer() throws Exception {
    try (DriverProcess driver =
        start(
            "while read a; do case $a in no) echo error not so;; *) echo ok 7 1 2 3;; esac;"
                + " done")) {
      assertThat(driver.ask("yes", PATIENCE).runs()).isEqualTo(7);
      assertThatThrownBy(() -> driver.ask("no", PATIENCE))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the client, asked to 'no': not so");
      assertThat(driver.ask("yes", PATIENCE).seconds()).isEqualTo(1);
    }
  }

  @Test
  void oneThatEndsIsQuoted() throws Exception {
    try (DriverProcess driver = start("read a; echo no such class >&2; exit 1")) {
      assertThatThrownBy(() -> driver.ask("create t", PATIENCE))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("the client has ended, asked to 'create t'")
          .hasMessageContaining("no such class");
    }
  }

  @Test
  void oneThatDoesNotAnswerIsNotWaitedForForEver() throws Exception {
    try (DriverProcess driver = start("read a; read b")) {
      assertThatThrownBy(() -> driver.ask("create t", Duration.ofMillis(50)))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("did not answer within PT0.05S");
    }
  }
}
