package io.stele.gateway.http;

import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.LoadProgress;
import io.stele.base.dataset.NodeVersion;
import io.stele.base.dataset.VersionState;
import io.stele.base.dataset.VersionStatus;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.text.JsonReader;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The status of datasets as JSON: the names are those that users of Sequins know, and some more.
 *
 * <pre>{@code
 * {"dbs": {
 *   "scores": {
 *     "current": "20261116",            what the node that answers serves to clients
 *     "pinned": "",
 *     "problem": "",
 *     "versions": {
 *       "20261116": {
 *         "path": "/data/scores/20261116",
 *         "num_partitions": 4,
 *         "target_replication": 2,
 *         "average_replication": 2.0,
 *         "replication_histogram": {"2": 4},
 *         "missing_partitions": 0,
 *         "underreplicated_partitions": 0,
 *         "overreplicated_partitions": 0,
 *         "nodes": {
 *           "10.0.0.1:9599": {
 *             "state": "ACTIVE",
 *             "reason": "",
 *             "current": true,
 *             "partitions": [0, 1],
 *             "shard_id": "10.0.0.1:9599",
 *             "created_at": "2026-11-16T08:00:00Z",
 *             "active_at": "2026-11-16T08:01:00Z",
 *             "progress": {"records": 0, "bytes": 0, "total_bytes": 0,
 *                          "partitions_done": 2, "partitions_assigned": 2}
 * }}}}}}}
 * }</pre>
 */
final class StatusJson {
  private StatusJson() {}

  // ---- writing

  static Map<String, Object> toJson(List<DatasetStatus> datasets) {
    Map<String, Object> all = new LinkedHashMap<>();
    for (DatasetStatus dataset : datasets) {
      all.put(dataset.dataset(), toJson(dataset));
    }
    return Map.of("dbs", all);
  }

  static Map<String, Object> toJson(DatasetStatus dataset) {
    Map<String, Object> versions = new LinkedHashMap<>();
    for (VersionStatus version : dataset.versions()) {
      versions.put(version.version(), toJson(version));
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("current", dataset.serving());
    json.put("pinned", dataset.pinned());
    json.put("problem", dataset.problem());
    json.put("versions", versions);
    return json;
  }

  private static Map<String, Object> toJson(VersionStatus version) {
    Map<String, Object> nodes = new LinkedHashMap<>();
    for (NodeVersion node : version.nodes()) {
      nodes.put(node.node(), toJson(node));
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("path", version.path());
    json.put("num_partitions", version.shards());
    json.put("target_replication", version.replication());
    json.put("average_replication", version.averageReplication());
    json.put("replication_histogram", new TreeMap<>(version.histogram()));
    json.put("missing_partitions", version.missing());
    json.put("underreplicated_partitions", version.underReplicated());
    json.put("overreplicated_partitions", version.overReplicated());
    json.put("nodes", nodes);
    return json;
  }

  static Map<String, Object> toJson(NodeVersion node) {
    LoadProgress progress = node.progress();
    Map<String, Object> far = new LinkedHashMap<>();
    far.put("records", progress.records());
    far.put("bytes", progress.bytes());
    far.put("total_bytes", progress.totalBytes());
    far.put("partitions_done", progress.shardsDone());
    far.put("partitions_assigned", progress.shardsAssigned());
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("state", node.state().name());
    json.put("reason", node.reason());
    json.put("current", node.serving());
    json.put("partitions", node.shards());
    json.put("shard_id", node.node());
    json.put("created_at", time(node.createdMicros()));
    if (node.activeMicros() != 0) {
      json.put("active_at", time(node.activeMicros()));
    }
    json.put("progress", far);
    return json;
  }

  static String time(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
  }

  // ---- reading

  /** What {@link #toJson(List)} wrote; more than that is left out. */
  static List<DatasetStatus> read(String text) {
    List<DatasetStatus> datasets = new ArrayList<>();
    fields(JsonReader.read(text), "dbs")
        .forEach((name, dataset) -> datasets.add(dataset(name, dataset)));
    return datasets;
  }

  private static DatasetStatus dataset(String name, @Nullable Object json) {
    List<VersionStatus> versions = new ArrayList<>();
    fields(json, "versions").forEach((id, version) -> versions.add(version(id, version)));
    return new DatasetStatus(
        name, text(json, "current"), text(json, "pinned"), versions, text(json, "problem"));
  }

  private static VersionStatus version(String id, @Nullable Object json) {
    Map<Integer, Integer> histogram = new TreeMap<>();
    fields(json, "replication_histogram")
        .forEach((holders, shards) -> histogram.put(Integer.parseInt(holders), number(shards)));
    List<NodeVersion> nodes = new ArrayList<>();
    fields(json, "nodes").forEach((address, node) -> nodes.add(node(address, node)));
    return new VersionStatus(
        id,
        text(json, "path"),
        (int) number(json, "num_partitions"),
        (int) number(json, "target_replication"),
        histogram,
        nodes);
  }

  private static NodeVersion node(String address, @Nullable Object json) {
    Object far = field(json, "progress");
    List<Integer> shards = new ArrayList<>();
    if (field(json, "partitions") instanceof List<?> listed) {
      listed.forEach(shard -> shards.add(number(shard)));
    }
    return new NodeVersion(
        address,
        state(text(json, "state")),
        text(json, "reason"),
        Boolean.TRUE.equals(field(json, "current")),
        shards,
        new LoadProgress(
            number(far, "records"),
            number(far, "bytes"),
            number(far, "total_bytes"),
            (int) number(far, "partitions_done"),
            (int) number(far, "partitions_assigned")),
        micros(text(json, "created_at")),
        micros(text(json, "active_at")));
  }

  private static VersionState state(String name) {
    for (VersionState state : VersionState.values()) {
      if (state.name().equals(name)) {
        return state;
      }
    }
    throw new InvalidRequestException("a version in the state '" + name + "', which is unknown");
  }

  private static long micros(String time) {
    try {
      return time.isEmpty() ? 0 : ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(time));
    } catch (DateTimeException e) {
      throw new InvalidRequestException("'" + time + "' is no time of ISO 8601", e);
    }
  }

  private static @Nullable Object field(@Nullable Object json, String name) {
    return json instanceof Map<?, ?> map ? map.get(name) : null;
  }

  private static String text(@Nullable Object json, String name) {
    return field(json, name) instanceof String text ? text : "";
  }

  private static long number(@Nullable Object json, String name) {
    return field(json, name) instanceof Number number ? number.longValue() : 0;
  }

  private static int number(@Nullable Object json) {
    return json instanceof Number number ? number.intValue() : 0;
  }

  private static Map<String, @Nullable Object> fields(@Nullable Object json, String name) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    if (field(json, name) instanceof Map<?, ?> map) {
      map.forEach((key, value) -> fields.put(String.valueOf(key), value));
    }
    return fields;
  }
}
