package io.stele.bench.measure;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;

/**
 * How much of the machine other processes use while something is measured: all that was busy, less
 * what this process and those that it measures used. What a hypervisor took away counts as others'
 * too.
 */
public final class CpuMeter {
  private static final Path STAT = Path.of("/proc/stat");

  /** Columns of /proc/stat's first line: user, nice, system, irq, softirq, steal. */
  private static final int[] BUSY = {1, 2, 3, 6, 7, 8};

  /** The kernel shows its counters in hundredths of a second, whatever its own tick is. */
  private static final double TICKS_PER_SECOND = 100;

  private final List<ProcessHandle> measured;
  private final long startNanos;
  private final OptionalDouble startBusy;
  private final double startOwn;

  private CpuMeter(List<ProcessHandle> measured) {
    this.measured = List.copyOf(measured);
    startBusy = busySeconds();
    startOwn = ownSeconds();
    startNanos = System.nanoTime();
  }

  static CpuMeter start() {
    return new CpuMeter(List.of());
  }

  /** Counts the processes that are measured, such as servers, as this one's. */
  public static CpuMeter start(List<ProcessHandle> measured) {
    return new CpuMeter(measured);
  }

  /** The others' share since the start, 0 to 1. */
  public OptionalDouble othersShare() {
    OptionalDouble busy = busySeconds();
    if (startBusy.isEmpty() || busy.isEmpty()) {
      return OptionalDouble.empty();
    }
    double wall = (System.nanoTime() - startNanos) / 1e9;
    double own = ownSeconds() - startOwn;
    return OptionalDouble.of(
        othersShare(
            busy.getAsDouble() - startBusy.getAsDouble(),
            own,
            wall,
            Runtime.getRuntime().availableProcessors()));
  }

  static double othersShare(double busy, double own, double wall, int processors) {
    return Math.clamp((busy - own) / (wall * processors), 0.0, 1.0);
  }

  /** Seconds of processor time in the first line of /proc/stat, all processors together. */
  static double busySeconds(String cpuLine) {
    String[] columns = cpuLine.trim().split("\\s+", -1);
    long ticks = 0;
    for (int column : BUSY) {
      ticks += column < columns.length ? Long.parseLong(columns[column]) : 0;
    }
    return ticks / TICKS_PER_SECOND;
  }

  private static OptionalDouble busySeconds() {
    try (var lines = Files.lines(STAT)) {
      return lines.limit(1).mapToDouble(CpuMeter::busySeconds).findFirst();
    } catch (IOException e) {
      return OptionalDouble.empty(); // not Linux
    }
  }

  private double ownSeconds() {
    double own =
        ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean os
            ? os.getProcessCpuTime() / 1e9
            : 0;
    for (ProcessHandle process : measured) {
      own += process.info().totalCpuDuration().map(used -> used.toNanos() / 1e9).orElse(0.0);
    }
    return own;
  }
}
