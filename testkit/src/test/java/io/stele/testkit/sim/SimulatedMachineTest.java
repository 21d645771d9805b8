package io.stele.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.WritableFile;
import io.stele.testkit.ManualClock;
import io.stele.testkit.sim.HoldPoints.Hold;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The clock and the files of one simulated machine. */
class SimulatedMachineTest {
  private static final FilePath LOG = FilePath.of("log/1.log");

  private final ManualClock real = new ManualClock();
  private final SimulatedClock clock = new SimulatedClock(real, Duration.ofSeconds(3));

  private long micros() {
    return clock.micros() - real.micros();
  }

  @Test
  void aSuspendedMachineHasAMonotonicClockThatStandsStill() {
    clock.advance(Duration.ofSeconds(10));
    assertThat(clock.nanos()).isEqualTo(TimeUnit.SECONDS.toNanos(10));
    clock.suspend(true);
    clock.advance(Duration.ofMinutes(1));
    assertThat(clock.nanos()).isEqualTo(TimeUnit.SECONDS.toNanos(10));
    assertThat(micros()).isEqualTo(TimeUnit.SECONDS.toMicros(73));
    clock.suspend(false);
    clock.advance(Duration.ofSeconds(1));
    assertThat(clock.nanos()).isEqualTo(TimeUnit.SECONDS.toNanos(11));
  }

  @Test
  void clocksDriftAndJump() {
    clock.drift(0.5);
    clock.advance(Duration.ofSeconds(10));
    assertThat(clock.nanos()).isEqualTo(TimeUnit.SECONDS.toNanos(5));
    clock.jump(Duration.ofSeconds(-8));
    assertThat(micros()).isZero();
    assertThat(clock.nanos()).isEqualTo(TimeUnit.SECONDS.toNanos(5));
    real.advance(Duration.ofSeconds(1));
    assertThat(clock.nanos()).isEqualTo(TimeUnit.SECONDS.toNanos(6));
  }

  @Test
  void whatADeadProcessWroteStaysAndNothingMoreComes() throws Exception {
    HoldPoints points = new HoldPoints();
    AtomicBoolean dead = new AtomicBoolean();
    MemoryFileStore shared = new MemoryFileStore();
    FileStore seen =
        new ProcessFiles("a", points, dead::get, path -> path.name().endsWith(".log") ? "log" : "")
            .of(shared);
    WritableFile file = seen.create(LOG);
    file.write(new byte[3], 0, 3);
    Hold sync = points.arm("a", "log sync");
    Thread syncing = Thread.ofVirtual().start(() -> assertThatThrownBy(file::sync).isNotNull());
    assertThat(sync.awaitHolding(10, TimeUnit.SECONDS)).isTrue();
    dead.set(true);
    points.end("a");
    syncing.join();
    assertThatThrownBy(() -> seen.stat(LOG))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("a has died");
    assertThat(shared.stat(LOG).orElseThrow().length()).isEqualTo(3);
    assertThat(shared.syncPoints()).as("the sync was not made").isZero();
    file.close();
  }
}
