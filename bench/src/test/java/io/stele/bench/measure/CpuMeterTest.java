package io.stele.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.stele.bench.measure.CpuMeter.Use;
import java.util.List;
import java.util.OptionalDouble;
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
  void whatEndedChildrenUsedCountsAsThisProcesss() {
    assertThat(
            CpuMeter.ownAndEndedSeconds(
                "42 (a) b) S 1 2 3 4 5 6 7 8 9 10 100 20 3000 400 20 0 33 0 1 2 3"))
        .isCloseTo(35.2, within(1e-9));
  }

  /** Two cores for two seconds, of which three and a half were busy. */
  @Test
  void othersAreAllThatIsNotTheMeasuredSideTheIdleOneIncluded() {
    Use use = Use.of(2, OptionalDouble.of(3.5), 3.0, 2.0, 0.6, 2);

    assertThat(use.servers()).isEqualTo(2.0);
    assertThat(use.clients()).isCloseTo(0.4, within(1e-9));
    assertThat(use.others().getAsDouble()).as("3.5 less 2.4, of 4").isCloseTo(0.275, within(1e-9));
    assertThat(use.idle()).as("0.6 of 4").isCloseTo(0.15, within(1e-9));
  }

  @Test
  void sharesStayWithinBoundsAndAreUnknownWhereNothingIsTold() {
    assertThat(Use.of(2, OptionalDouble.of(4), 4.01, 0, 0, 2).others()).hasValue(0);
    assertThat(Use.of(2, OptionalDouble.of(100), 0, 0, 0, 2).others()).hasValue(1);
    assertThat(Use.of(2, OptionalDouble.empty(), 1, 1, 0, 2).others()).isEmpty();
  }

  @Test
  void anIdleProcessThatWorksIsSeen() throws Exception {
    Process busy =
        new ProcessBuilder("/bin/sh", "-c", "while :; do :; done")
            .redirectErrorStream(true)
            .start();
    try {
      Footprint idle = () -> List.of(busy.toHandle());
      CpuMeter meter = new CpuMeter(Footprint.THIS_PROCESS, List.of(Footprint.THIS_PROCESS, idle));
      double before = seconds(busy);
      while (seconds(busy) - before < 0.1) {
        Thread.onSpinWait();
      }
      assertThat(meter.stop().idle()).isPositive();
    } finally {
      busy.destroyForcibly().waitFor();
    }
  }

  private static double seconds(Process process) {
    return process.info().totalCpuDuration().orElseThrow().toNanos() / 1e9;
  }
}
