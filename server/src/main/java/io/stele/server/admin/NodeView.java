package io.stele.server.admin;

import io.stele.base.event.Events;
import io.stele.base.node.NodeReport;
import io.stele.gateway.metric.Requests;
import io.stele.server.metrics.EventCounts;
import io.stele.server.metrics.MetricSource;
import io.stele.server.metrics.NodeMetrics;
import io.stele.server.metrics.NodeSource;
import io.stele.server.metrics.RequestSource;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What a node shows of itself to its operators. The parts of the server add what they know as they
 * are started; the admin port and gRPC's health service show it.
 *
 * @param readiness whether requests should be sent to it
 * @param status what it is and has
 * @param metrics what it counts
 */
public record NodeView(Readiness readiness, StatusPage status, NodeMetrics metrics) {

  /**
   * Of a node without parts as yet.
   *
   * @param addresses by interface
   * @param report asked for each look; may look at disks
   */
  public static NodeView of(
      Readiness readiness,
      String version,
      Map<String, String> addresses,
      Supplier<NodeReport> report,
      Events events) {
    NodeMetrics metrics = new NodeMetrics();
    metrics.add(new NodeSource(version, report, readiness::problems));
    metrics.add(new RequestSource(Requests.ofProcess()));
    metrics.add(EventCounts.start(events));
    return new NodeView(readiness, new StatusPage(version, addresses, report, readiness), metrics);
  }

  /**
   * Adds a part of the server.
   *
   * @param problem why it cannot be sent requests, if so; must not wait
   * @param known what it knows of itself, for people
   * @param counted what it counts
   */
  public void add(
      String name,
      Supplier<Optional<String>> problem,
      Supplier<Map<String, Object>> known,
      MetricSource counted) {
    readiness.add(name, problem);
    status.add(name, known);
    metrics.add(counted);
  }
}
