package io.stele.server.admin;

import io.stele.base.node.NodeReport;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What a node shows of itself to its operators. The parts of the server add what they know as they
 * are started; the admin port and gRPC's health service show it.
 *
 * @param readiness whether requests should be sent to it
 * @param status what it is and has
 */
public record NodeView(Readiness readiness, StatusPage status) {

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
      Supplier<NodeReport> report) {
    return new NodeView(readiness, new StatusPage(version, addresses, report, readiness));
  }

  /**
   * Adds a part of the server.
   *
   * @param problem why it cannot be sent requests, if so; must not wait
   * @param known what it knows of itself, for people
   */
  public void add(
      String name, Supplier<Optional<String>> problem, Supplier<Map<String, Object>> known) {
    readiness.add(name, problem);
    status.add(name, known);
  }
}
