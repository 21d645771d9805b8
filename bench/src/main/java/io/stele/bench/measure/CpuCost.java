package io.stele.bench.measure;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleSupplier;

/**
 * What requests cost in processor time. Unlike their rate it hardly depends on what else the
 * machine does.
 */
public final class CpuCost {
  private double serverSeconds;
  private double clientSeconds;
  private long requests;

  /** One run of a side's requests. */
  public interface Run {
    Sample run() throws Exception;
  }

  /** Adds what a run costs the servers, and this process, which holds the clients. */
  public Sample count(List<ProcessHandle> servers, Run run) throws Exception {
    return count(servers, CpuCost::ownSeconds, run);
  }

  /** Adds what a run costs the servers, and the processes of their clients. */
  public Sample count(List<ProcessHandle> servers, List<ProcessHandle> clients, Run run)
      throws Exception {
    return count(servers, () -> seconds(clients), run);
  }

  private Sample count(List<ProcessHandle> servers, DoubleSupplier clients, Run run)
      throws Exception {
    double serversBefore = seconds(servers);
    double clientsBefore = clients.getAsDouble();
    Sample sample = run.run();
    serverSeconds += seconds(servers) - serversBefore;
    clientSeconds += clients.getAsDouble() - clientsBefore;
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

  /** Microseconds of the servers and of the clients for each request. */
  @Override
  public String toString() {
    double perRequest = 1e6 / Math.max(1, requests);
    return String.format(
        Locale.ROOT, "%,.0f+%,.0f", serverSeconds * perRequest, clientSeconds * perRequest);
  }
}
