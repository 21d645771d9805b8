package io.stele.bench.measure;

import java.util.ArrayList;
import java.util.List;

/** Times some runs one by one, for work that needs untimed steps in between. */
public final class Laps {
  /** A timed step. */
  public interface Step<T> {
    T run() throws Exception;
  }

  private final CpuMeter cpu = CpuMeter.start();
  private final List<Long> laps = new ArrayList<>();

  public <T> T time(Step<T> step) throws Exception {
    long start = System.nanoTime();
    T result = step.run();
    laps.add(System.nanoTime() - start);
    return result;
  }

  /** All laps so far as one sample. */
  public Sample sample() {
    double[] micros = laps.stream().mapToDouble(nanos -> nanos / 1e3).toArray();
    double seconds = laps.stream().mapToDouble(nanos -> nanos / 1e9).sum();
    double slowest = laps.stream().mapToDouble(nanos -> nanos / 1e3).max().orElseThrow();
    return new Sample(laps.size(), seconds, Median.of(micros), slowest, cpu.othersShare());
  }
}
