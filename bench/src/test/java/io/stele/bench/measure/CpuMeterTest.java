package io.stele.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class CpuMeterTest {

  @Test
  void busyIsAllButIdleAndWaiting() {
    // user nice system idle iowait irq softirq steal guest guest_nice
    assertThat(CpuMeter.busySeconds("cpu  100 20 30 99999 88888 4 5 6 7 8"))
        .isCloseTo(1.65, within(1e-9));
  }

  @Test
  void anOldKernelWithoutStealIsReadToo() {
    assertThat(CpuMeter.busySeconds("cpu 100 20 30 99999 88888 4 5")).isCloseTo(1.59, within(1e-9));
  }

  @Test
  void othersUseWhatThisProcessDoesNot() {
    assertThat(CpuMeter.othersShare(6, 4, 2, 2)).isEqualTo(0.5);
    assertThat(CpuMeter.othersShare(4, 4.01, 2, 2)).as("counters are coarse").isZero();
    assertThat(CpuMeter.othersShare(100, 0, 2, 2)).isEqualTo(1);
  }
}
