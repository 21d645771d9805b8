package io.stele.tables.write;

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
class MemoryTest {
  @Test
  void belowTheLimitNobodyWaits() {
    Memory memory = new Memory(100, 0);
    memory.throttle();
    memory.add(99);
    memory.throttle();
    assertThat(memory.used()).isEqualTo(99);
    assertThat(memory.fullness()).isEqualTo(0.99);
  }

  @Test
  void aWriterIsTurnedAwayWhenNothingIsFreedForTooLong() {
    Memory memory = new Memory(100, TimeUnit.MILLISECONDS.toNanos(20));
    memory.add(130);
    assertThatThrownBy(memory::throttle)
        .isInstanceOf(ExhaustedException.class)
        .hasMessageContaining("130 bytes, at most 100");
  }

  @Test
  void throttledWritersWakeWhenAFlushHasFreedMemory() throws Exception {
    Memory memory = new Memory(100, TimeUnit.SECONDS.toNanos(50));
    memory.add(150);
    Thread[] writers = new Thread[3];
    for (int i = 0; i < writers.length; i++) {
      Thread writer = Thread.ofPlatform().daemon().unstarted(memory::throttle);
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
    Memory memory = new Memory(100, TimeUnit.SECONDS.toNanos(50));
    memory.add(150);
    Thread.currentThread().interrupt();
    assertThatThrownBy(memory::throttle)
        .isInstanceOf(ExhaustedException.class)
        .hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).as("it is told").isTrue();
  }
}
