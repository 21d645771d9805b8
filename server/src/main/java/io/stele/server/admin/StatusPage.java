package io.stele.server.admin;

import io.stele.base.error.SteleException;
import io.stele.base.node.NodeReport;
import io.stele.gateway.admin.AdminAnswer;
import io.stele.gateway.admin.AdminPage;
import io.stele.gateway.admin.AdminRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;

/**
 * {@code GET /status}: what this node is and has, as JSON. Each part of the server adds what it
 * knows under a name of its own; a part that cannot be asked says so under {@code error}.
 *
 * <pre>{@code
 * {"version": "0.1.0", "address": "127.0.0.1:7835", "roles": ["metastore", …], "session": "",
 *  "time": "2026-11-16T08:00:00Z", "up_seconds": 61.2, "ready": true, "not_ready": {},
 *  "addresses": {"native": "127.0.0.1:7835", …}, "problems": [],
 *  "heap": {"used_bytes": 1, "limit_bytes": 2},
 *  "disks": [{"use": "the server", "path": "/data", "free_bytes": 1, "total_bytes": 2}],
 *  "metastore": {…}, "tables": {…}, …}
 * }</pre>
 */
public final class StatusPage implements AdminPage {
  private final String version;
  private final Map<String, String> addresses;
  private final Supplier<NodeReport> node;
  private final Readiness readiness;
  private final Map<String, Supplier<Map<String, Object>>> parts = new ConcurrentSkipListMap<>();

  StatusPage(
      String version,
      Map<String, String> addresses,
      Supplier<NodeReport> node,
      Readiness readiness) {
    this.version = version;
    this.addresses = Map.copyOf(addresses);
    this.node = node;
    this.readiness = readiness;
  }

  /** Adds what a part of the server knows of itself. */
  public void add(String name, Supplier<Map<String, Object>> part) {
    parts.put(name, part);
  }

  @Override
  public AdminAnswer answer(AdminRequest request) {
    NodeReport report = node.get();
    Map<String, Object> status = new LinkedHashMap<>();
    status.put("version", version);
    status.put("address", report.address());
    status.put("roles", report.roles());
    status.put("session", report.run());
    status.put("time", Instant.EPOCH.plus(report.wallMicros(), ChronoUnit.MICROS).toString());
    status.put("up_seconds", Duration.ofNanos(report.upNanos()).toMillis() / 1000.0);
    Map<String, Object> unready = new LinkedHashMap<>();
    readiness
        .problems()
        .forEach((name, problem) -> problem.ifPresent(why -> unready.put(name, why)));
    status.put("ready", unready.isEmpty());
    status.put("not_ready", unready);
    status.put("addresses", new TreeMap<>(addresses));
    status.put("problems", report.problems());
    Map<String, Object> heap = new LinkedHashMap<>();
    heap.put("used_bytes", report.heapBytes());
    heap.put("limit_bytes", report.heapLimit());
    status.put("heap", heap);
    status.put("disks", report.disks().stream().map(StatusPage::disk).toList());
    parts.forEach((name, part) -> status.put(name, ask(part)));
    return AdminAnswer.json(status);
  }

  private static Map<String, Object> ask(Supplier<Map<String, Object>> part) {
    try {
      return part.get();
    } catch (SteleException e) {
      return Map.of("error", String.valueOf(e.getMessage()));
    }
  }

  private static Map<String, Object> disk(NodeReport.Disk disk) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("use", disk.use());
    shown.put("path", disk.path());
    shown.put("free_bytes", disk.freeBytes());
    shown.put("total_bytes", disk.totalBytes());
    return shown;
  }
}
