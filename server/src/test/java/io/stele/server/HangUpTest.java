package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("a process has one handler of a signal, which servers of other tests replace")
class HangUpTest {
  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void signalIsTakenEachTimeAndEndsNothing() throws Exception {
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch second = new CountDownLatch(2);
    assertThat(
            HangUp.run(
                () -> {
                  first.countDown();
                  second.countDown();
                }))
        .isTrue();
    String pid = Long.toString(ProcessHandle.current().pid());

    new ProcessBuilder("kill", "-HUP", pid).start().waitFor();
    assertThat(first.await(20, TimeUnit.SECONDS)).isTrue();
    new ProcessBuilder("kill", "-HUP", pid).start().waitFor();

    assertThat(second.await(20, TimeUnit.SECONDS)).isTrue();
  }
}
