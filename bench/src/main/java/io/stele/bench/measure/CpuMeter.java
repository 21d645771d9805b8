package io.stele.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * Processor time while one side is measured: its own, that of the idle sides beside it, and that of
 * all other processes of the machine. What a hypervisor took away counts as others' too.
 *
 * <p>The kernel adds what a child used to the times of this process once the child has ended, so
 * nothing is lost when a server is killed and started again in the middle of a turn.
 */
final class CpuMeter {
  private static final Path MACHINE = Path.of("/proc/stat");
  private static final Path SELF = Path.of("/proc/self/stat");

  /** Columns of the first line of /proc/stat: user, nice, system, irq, softirq, steal. */
  private static final int[] BUSY = {1, 2, 3, 6, 7, 8};

  /** Of /proc/self/stat, behind the name: user and system time, and those of ended children. */
  private static final int FIRST_TIME = 11;

  /** The kernel shows its counters in hundredths of a second, whatever its own tick is. */
  private static final double TICKS_PER_SECOND = 100;

  /**
   * Seconds of processor time in one turn.
   *
   * @param servers of the side that was measured
   * @param clients of that side, this process included
   * @param others the share of the machine, 0 to 1, of all that is not the side that was measured;
   *     empty where the system does not tell
   * @param idle of these, what the other sides used although nothing was asked of them
   */
  record Use(double servers, double clients, OptionalDouble others, double idle) {
    static Use of(
        double wall, OptionalDouble busy, double mine, double servers, double idle, int cores) {
      double own = mine - idle;
      return new Use(
          servers,
          Math.max(0, own - servers),
          busy.isEmpty()
              ? OptionalDouble.empty()
              : OptionalDouble.of(share(busy.getAsDouble() - own, wall, cores)),
          share(idle, wall, cores));
    }

    private static double share(double seconds, double wall, int cores) {
      return Math.clamp(seconds / (wall * cores), 0.0, 1.0);
    }
  }

  private final Footprint measured;
  private final Collection<Footprint> all;
  private final long startNanos = System.nanoTime();
  private final OptionalDouble busy = busySeconds();
  private final double ownAndEnded = ownAndEndedSeconds();
  private final Map<Long, Double> running;
  private final double servers;

  /** Begins a turn of one of some sides. */
  CpuMeter(Footprint measured, Collection<Footprint> all) {
    this.measured = measured;
    this.all = List.copyOf(all);
    this.running = running(all);
    this.servers = seconds(measured.servers());
  }

  /** Ends the turn. */
  Use stop() {
    double wall = (System.nanoTime() - startNanos) / 1e9;
    OptionalDouble busyNow = busySeconds();
    Map<Long, Double> runningNow = running(all);
    double mine =
        ownAndEndedSeconds() - ownAndEnded + sum(runningNow.values()) - sum(running.values());
    List<Long> own =
        Stream.concat(measured.servers().stream(), measured.clients().stream())
            .map(ProcessHandle::pid)
            .toList();
    double idle = 0;
    for (Map.Entry<Long, Double> process : runningNow.entrySet()) {
      if (!own.contains(process.getKey())) {
        idle += process.getValue() - running.getOrDefault(process.getKey(), process.getValue());
      }
    }
    OptionalDouble used =
        busy.isEmpty() || busyNow.isEmpty()
            ? OptionalDouble.empty()
            : OptionalDouble.of(busyNow.getAsDouble() - busy.getAsDouble());
    return Use.of(
        wall,
        used,
        mine,
        Math.max(0, seconds(measured.servers()) - servers),
        idle,
        Runtime.getRuntime().availableProcessors());
  }

  private static Map<Long, Double> running(Collection<Footprint> all) {
    Map<Long, Double> seconds = new HashMap<>();
    for (Footprint side : all) {
      for (List<ProcessHandle> processes : List.of(side.servers(), side.clients())) {
        processes.forEach(process -> seconds.put(process.pid(), seconds(List.of(process))));
      }
    }
    return seconds;
  }

  private static double seconds(List<ProcessHandle> processes) {
    return processes.stream()
        .filter(ProcessHandle::isAlive)
        .mapToDouble(
            process ->
                process.info().totalCpuDuration().map(used -> used.toNanos() / 1e9).orElse(0.0))
        .sum();
  }

  private static double sum(Collection<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).sum();
  }

  private static OptionalDouble busySeconds() {
    try (var lines = Files.lines(MACHINE)) {
      return lines.limit(1).mapToDouble(CpuMeter::busySeconds).findFirst();
    } catch (IOException e) {
      return OptionalDouble.empty(); // not Linux
    }
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

  private static double ownAndEndedSeconds() {
    try {
      return ownAndEndedSeconds(Files.readString(SELF));
    } catch (IOException e) {
      return 0; // not Linux
    }
  }

  /** Of the line of /proc/self/stat, in which a name may hold spaces and brackets. */
  static double ownAndEndedSeconds(String line) {
    String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
    long ticks = 0;
    for (int i = FIRST_TIME; i < FIRST_TIME + 4; i++) {
      ticks += Long.parseLong(fields[i]);
    }
    return ticks / TICKS_PER_SECOND;
  }
}
