package io.stele.server.metrics;

import io.stele.base.node.NodeReport;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The values of the node as a whole. */
public final class NodeSource implements MetricSource {
  private static final double NANOS = 1e9;

  private final String version;
  private final Supplier<NodeReport> report;
  private final Supplier<Map<String, Optional<String>>> checks;

  /**
   * For a node.
   *
   * @param report asked for each look; looks at disks
   * @param checks of its readiness, with what is wrong
   */
  public NodeSource(
      String version, Supplier<NodeReport> report, Supplier<Map<String, Optional<String>>> checks) {
    this.version = version;
    this.report = report;
    this.checks = checks;
  }

  @Override
  public void read(Readings into) {
    NodeReport node = report.get();
    into.set(Metric.INFO, 1, version, node.address(), String.join(",", node.roles()));
    into.set(Metric.UP, node.upNanos() / NANOS);
    into.set(Metric.PROBLEMS, node.problems().size());
    for (NodeReport.Disk disk : node.disks()) {
      into.set(Metric.DISK_FREE, disk.freeBytes(), disk.use(), disk.path());
      into.set(Metric.DISK_TOTAL, disk.totalBytes(), disk.use(), disk.path());
    }
    Map<String, Optional<String>> known = checks.get();
    into.set(Metric.READY, known.values().stream().allMatch(Optional::isEmpty) ? 1 : 0);
    known.forEach(
        (name, problem) -> into.set(Metric.CHECK_FAILED, problem.isPresent() ? 1 : 0, name));
  }
}
