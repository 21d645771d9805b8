package io.stele.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ManualClockTest {
  @Test
  void itStandsStillUntilItIsMoved() {
    ManualClock clock = new ManualClock(500);
    assertThat(clock.micros()).isEqualTo(500);
    assertThat(clock.nanos()).isEqualTo(clock.nanos());

    long nanos = clock.nanos();
    clock.advance(Duration.ofMillis(3));
    assertThat(clock.micros()).isEqualTo(3_500);
    assertThat(clock.nanos() - nanos).isEqualTo(3_000_000);
  }

  @Test
  void stepsBelowAMicrosecondAddUp() {
    ManualClock clock = new ManualClock(0);
    for (int i = 0; i < 10; i++) {
      clock.advance(Duration.ofNanos(300));
    }
    assertThat(clock.micros()).isEqualTo(3);
  }

  @Test
  void onlyTheWallClockJumps() {
    ManualClock clock = new ManualClock();
    long nanos = clock.nanos();
    clock.setMicros(7);
    assertThat(clock.micros()).isEqualTo(7);
    assertThat(clock.nanos()).isEqualTo(nanos);
    assertThatThrownBy(() -> clock.advance(Duration.ofNanos(-1)))
        .hasMessage("cannot advance by PT-0.000000001S: the monotonic clock never goes back");
  }
}
