package io.stele.gateway.etcd.json;

import io.grpc.Channel;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.stele.base.error.SteleException;
import io.stele.gateway.etcd.call.EtcdBackend;
import io.stele.metastore.MetastoreStatus;
import io.stele.metastore.raft.Standing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Supplier;

/** The pages beside the API: the version, whether a member serves, and its figures. */
public final class StatusPages {
  private static final String JSON = "application/json";
  private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";
  private static final Path MEMORY = Path.of("/proc/self/statm");
  private static final long PAGE_BYTES = 4096;

  private final EtcdBackend backend;
  private final String version;

  /**
   * For a server.
   *
   * @param version of etcd whose API it speaks
   */
  public StatusPages(EtcdBackend backend, String version) {
    this.backend = backend;
    this.version = version;
  }

  void answer(QueryStringDecoder uri, Supplier<Channel> grpc, JsonResponse response) {
    switch (uri.path()) {
      case "/version" ->
          response.answer(
              HttpResponseStatus.OK,
              JSON,
              "{\"etcdserver\":\"%s\",\"etcdcluster\":\"%s\"}".formatted(version, version));
      case "/health" -> health(grpc.get(), response);
      case "/metrics" -> metrics(response);
      default -> {
        if (!HealthChecks.answer(uri, backend, grpc, response)) {
          response.refuse(HttpResponseStatus.NOT_FOUND, "404 page not found");
        }
      }
    }
  }

  /** A member is healthy if it can answer a linearizable read. */
  private static void health(Channel grpc, JsonResponse response) {
    var _ =
        HealthChecks.read(grpc, false)
            .thenAccept(
                problem ->
                    response.answer(
                        problem.isEmpty()
                            ? HttpResponseStatus.OK
                            : HttpResponseStatus.SERVICE_UNAVAILABLE,
                        JSON,
                        "{\"health\":\"%b\"}".formatted(problem.isEmpty())));
  }

  private void metrics(JsonResponse response) {
    MetastoreStatus status;
    try {
      status = backend.metastore().status();
    } catch (SteleException e) {
      response.refuse(HttpResponseStatus.SERVICE_UNAVAILABLE, String.valueOf(e.getMessage()));
      return;
    }
    Standing standing = status.standing();
    StringBuilder text = new StringBuilder(1024);
    gauge(text, "etcd_server_has_leader", standing.leader().isPresent() ? 1 : 0);
    gauge(text, "etcd_server_is_leader", standing.role() == Standing.Role.LEADER ? 1 : 0);
    gauge(text, "etcd_server_is_learner", standing.role() == Standing.Role.OBSERVER ? 1 : 0);
    gauge(text, "etcd_server_proposals_applied_total", standing.applied());
    gauge(text, "etcd_server_quota_backend_bytes", status.quotaBytes());
    labelled(text, "etcd_server_version", "server_version", version);
    labelled(text, "etcd_cluster_version", "cluster_version", version);
    labelled(text, "etcd_server_id", "server_id", Long.toHexString(backend.header().getMemberId()));
    gauge(text, "etcd_debugging_mvcc_current_revision", status.revision());
    gauge(text, "etcd_debugging_mvcc_compact_revision", status.compacted());
    gauge(text, "etcd_debugging_mvcc_watcher_total", status.watches());
    gauge(text, "etcd_mvcc_db_total_size_in_bytes", status.totalBytes());
    gauge(text, "etcd_mvcc_db_total_size_in_use_in_bytes", status.inUseBytes());
    gauge(text, "process_resident_memory_bytes", residentBytes());
    response.answer(HttpResponseStatus.OK, METRICS, text.toString());
  }

  private static void gauge(StringBuilder text, String name, long value) {
    text.append("# TYPE ").append(name).append(" gauge\n");
    text.append(String.format(Locale.ROOT, "%s %d%n", name, value));
  }

  /** A figure that says something by its label alone. */
  private static void labelled(StringBuilder text, String name, String label, String value) {
    text.append("# TYPE ").append(name).append(" gauge\n");
    text.append(name).append('{').append(label).append("=\"").append(value).append("\"} 1\n");
  }

  /** What the system says; on one that does not, what the JVM has. */
  private static long residentBytes() {
    try {
      return Long.parseLong(Files.readString(MEMORY).split(" ", -1)[1]) * PAGE_BYTES;
    } catch (IOException | NumberFormatException e) {
      return Runtime.getRuntime().totalMemory();
    }
  }
}
