package io.stele.bench.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.junit.jupiter.api.Test;

class LatenciesTest {
  @Test
  void percentilesAreRightToWithinTwoPercent() {
    Latencies even = new Latencies();
    Latencies odd = new Latencies();
    for (long nanos = 1; nanos <= 1_000_000; nanos++) {
      (nanos % 2 == 0 ? even : odd).add(nanos);
    }
    even.add(odd);
    assertThat(even.total()).isEqualTo(1_000_000);
    for (double percent : new double[] {0.1, 10, 50, 99, 99.9, 100}) {
      assertThat((double) even.percentile(percent))
          .as("%s %%", percent)
          .isCloseTo(percent * 10_000, withinPercentage(2));
    }
  }

  @Test
  void anyTimeHasItsPlace() {
    for (long nanos : new long[] {0, 1, 63, 64, 65, 127, 128, 1L << 40, Long.MAX_VALUE}) {
      Latencies latencies = new Latencies();
      latencies.add(nanos);
      assertThat((double) latencies.percentile(50)).isCloseTo((double) nanos, withinPercentage(2));
    }
    Latencies backwards = new Latencies();
    backwards.add(-5);
    assertThat(backwards.percentile(50)).isZero();
    assertThat(new Latencies().percentile(99)).isZero();
  }
}
