package io.stele.bench.metastore;

import com.sun.management.OperatingSystemMXBean;
import io.stele.bench.measure.Sample;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;

/**
 * What requests cost in processor time. Unlike their rate it hardly depends on what else the
 * machine does.
 */
final class CpuCost {
  private double serverSeconds;
  private double clientSeconds;
  private long requests;

  /** One run of a side's requests. */
  interface Run {
    Sample run() throws Exception;
  }

  /** Adds what a run costs the servers, and this process, which holds the clients. */
  Sample count(List<ProcessHandle> servers, Run run) throws Exception {
    double serversBefore = seconds(servers);
    double clientBefore = ownSeconds();
    Sample sample = run.run();
    serverSeconds += seconds(servers) - serversBefore;
    clientSeconds += ownSeconds() - clientBefore;
    requests += sample.runs();
    return sample;
  }

  private static double seconds(List<ProcessHandle> processes) {
    return processes.stream()
        .mapToDouble(
            process ->
                process.info().totalCpuDuration().map(used -> used.toNanos() / 1e9).orElse(0.0))
        .sum();
  }

  private static double ownSeconds() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean os
        ? os.getProcessCpuTime() / 1e9
        : 0;
  }

  /** Microseconds of the servers and of the client for each request. */
  @Override
  public String toString() {
    double perRequest = 1e6 / Math.max(1, requests);
    return String.format(
        Locale.ROOT, "%,.0f+%,.0f", serverSeconds * perRequest, clientSeconds * perRequest);
  }
}
