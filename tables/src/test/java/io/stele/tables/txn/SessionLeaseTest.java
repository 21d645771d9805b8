package io.stele.tables.txn;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testkit.ManualClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class SessionLeaseTest {
  private final ManualClock clock = new ManualClock();
  private final AtomicBoolean alive = new AtomicBoolean(true);
  private final SessionLease lease = new SessionLease(alive::get, clock, Duration.ofMillis(2_500));

  private void jump(Duration time) {
    clock.setMicros(clock.micros() + TimeUnit.NANOSECONDS.toMicros(time.toNanos()));
  }

  @Test
  void lastsAsLongAsTheSession() {
    assertThat(lease.isHeld()).isTrue();
    clock.advance(Duration.ofHours(1));
    assertThat(lease.isHeld()).isTrue();
    alive.set(false);
    assertThat(lease.isHeld()).isFalse();
    alive.set(true);
    assertThat(lease.isHeld()).as("once lost it stays so").isFalse();
  }

  /** A machine that was suspended: its monotonic clock stood still, and the session seems alive. */
  @Test
  void isLostWhenTheMonotonicClockStoodStill() {
    jump(Duration.ofMinutes(1));
    assertThat(lease.isHeld()).isFalse();
    jump(Duration.ofMinutes(-1));
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void outlivesAClockThatIsSetRight() {
    for (int i = 0; i < 100; i++) {
      clock.advance(Duration.ofSeconds(1));
      jump(Duration.ofMillis(100));
      assertThat(lease.isHeld()).isTrue();
    }
    jump(Duration.ofHours(-1));
    assertThat(lease.isHeld()).isTrue();
  }
}
