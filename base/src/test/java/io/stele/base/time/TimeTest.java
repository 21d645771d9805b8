package io.stele.base.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TimeTest {
  @Test
  void theSystemClockTellsTheTimeInMicroseconds() {
    Clock clock = Clock.system();
    long before = Instant.now().toEpochMilli() * 1_000;
    long micros = clock.micros();
    long after = (Instant.now().toEpochMilli() + 1) * 1_000;
    assertThat(micros).isBetween(before, after);
  }

  @Test
  void theMonotonicClockNeverGoesBack() {
    Clock clock = Clock.system();
    long[] readings = LongStream.generate(clock::nanos).limit(10_000).toArray();
    for (int i = 1; i < readings.length; i++) {
      assertThat(readings[i] - readings[i - 1]).isNotNegative();
    }
    assertThat(readings[readings.length - 1]).isNotEqualTo(readings[0]);
  }

  @Test
  void aSeedGivesTheSameNumbersAgainAndTheSystemNever() {
    assertThat(RandomSource.seeded(7).longs(100).toArray())
        .isEqualTo(RandomSource.seeded(7).longs(100).toArray())
        .isNotEqualTo(RandomSource.seeded(8).longs(100).toArray());
    assertThat(RandomSource.system().nextLong()).isNotEqualTo(RandomSource.system().nextLong());
  }
}
