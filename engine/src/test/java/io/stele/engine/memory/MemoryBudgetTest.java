package io.stele.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.ExhaustedException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class MemoryBudgetTest {
  @Test
  void belowTheLimitNobodyWaits() {
    MemoryBudget memory = new MemoryBudget(100, 0);
    memory.admit(1);
    memory.arrived(1);
    memory.add(99);
    memory.admit(1);
    assertThat(memory.used()).isEqualTo(99);
    assertThat(memory.fullness()).isEqualTo(0.99);
  }

  @Test
  void aWriterIsTurnedAwayWhenNothingIsFreedForTooLong() {
    MemoryBudget memory = new MemoryBudget(100, TimeUnit.MILLISECONDS.toNanos(20));
    memory.add(130);
    assertThatThrownBy(() -> memory.admit(1))
        .isInstanceOf(ExhaustedException.class)
        .hasMessageContaining("take 130 bytes, those on their way there 0, at most 100");
  }

  @Test
  void throttledWritersWakeWhenAFlushHasFreedMemory() throws Exception {
    MemoryBudget memory = new MemoryBudget(100, TimeUnit.SECONDS.toNanos(50));
    memory.add(150);
    Thread[] writers = new Thread[3];
    for (int i = 0; i < writers.length; i++) {
      Thread writer = Thread.ofPlatform().daemon().unstarted(() -> memory.admit(1));
      writers[i] = writer;
      writer.start();
      await().until(() -> writer.getState() == Thread.State.TIMED_WAITING);
    }
    memory.add(-20);
    for (Thread writer : writers) {
      assertThat(writer.isAlive()).as("130 are still too much").isTrue();
    }
    memory.add(-60);
    for (Thread writer : writers) {
      assertThat(writer.join(Duration.ofSeconds(20))).isTrue();
    }
  }

  @Test
  void anInterruptedWriterIsTurnedAway() throws Exception {
    MemoryBudget memory = new MemoryBudget(100, TimeUnit.SECONDS.toNanos(50));
    memory.add(150);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> memory.admit(1))
        .isInstanceOf(ExhaustedException.class)
        .hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).as("it is told").isTrue();
  }

  /**
   * Twelve rows of 50 MB at once would each be held three times: as request, in memory, for the
   * log.
   */
  @Test
  void largeChangesComeOneAfterTheOtherIfTogetherTheyAreTooMuch() throws Exception {
    MemoryBudget memory = new MemoryBudget(100, TimeUnit.SECONDS.toNanos(50));
    memory.admit(60);
    memory.admit(40);
    Thread third = Thread.ofPlatform().daemon().unstarted(() -> memory.admit(60));
    third.start();
    await().until(() -> third.getState() == Thread.State.TIMED_WAITING);
    memory.arrived(40);
    assertThat(third.isAlive()).as("60 and 60 are too much").isTrue();
    memory.arrived(60);
    assertThat(third.join(Duration.ofSeconds(20))).isTrue();
  }

  @Test
  void aChangeLargerThanAllIsTakenAlone() {
    MemoryBudget memory = new MemoryBudget(100, TimeUnit.MILLISECONDS.toNanos(20));
    memory.admit(500);
    assertThatThrownBy(() -> memory.admit(1))
        .isInstanceOf(ExhaustedException.class)
        .hasMessageContaining("those on their way there 500")
        .hasMessageContaining("no room for 1 more");
  }
}
