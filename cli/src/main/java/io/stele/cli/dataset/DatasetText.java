package io.stele.cli.dataset;

import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.LoadProgress;
import io.stele.base.dataset.NodeVersion;
import io.stele.base.dataset.VersionState;
import io.stele.base.dataset.VersionStatus;
import io.stele.cli.TextTable;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Datasets and their versions, for people and for programs. */
final class DatasetText {
  private DatasetText() {}

  /** Whether a version is served, and nothing waits for somebody to look at it. */
  static boolean isWell(DatasetStatus dataset) {
    return !dataset.serving().isEmpty()
        && dataset.problem().isEmpty()
        && dataset.versions().stream()
            .flatMap(version -> version.nodes().stream())
            .noneMatch(node -> node.state() == VersionState.ERROR);
  }

  static Map<String, Object> line(DatasetStatus dataset) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("dataset", dataset.dataset());
    json.put("serving", dataset.serving());
    json.put("pinned", dataset.pinned());
    json.put("versions", dataset.versions().stream().map(VersionStatus::version).toList());
    json.put("problem", dataset.problem());
    return json;
  }

  static String list(List<DatasetStatus> datasets) {
    TextTable table = new TextTable("DATASET", "SERVING", "PINNED", "VERSIONS", "PROBLEM");
    for (DatasetStatus dataset : datasets) {
      table.row(
          dataset.dataset(),
          orDash(dataset.serving()),
          orDash(dataset.pinned()),
          orDash(
              String.join(",", dataset.versions().stream().map(VersionStatus::version).toList())),
          dataset.problem());
    }
    return table.toString();
  }

  static String status(List<DatasetStatus> datasets) {
    TextTable table =
        new TextTable(
            "DATASET", "VERSION", "NODE", "STATE", "SERVED", "SHARDS", "LOADED", "HOLDERS");
    List<String> problems = new ArrayList<>();
    for (DatasetStatus dataset : datasets) {
      if (!dataset.problem().isEmpty()) {
        problems.add(dataset.dataset() + ": " + dataset.problem());
      }
      for (VersionStatus version : dataset.versions()) {
        for (NodeVersion node : version.nodes()) {
          table.row(
              dataset.dataset(),
              version.version() + (version.version().equals(dataset.pinned()) ? " (pinned)" : ""),
              node.node(),
              node.state().name().toLowerCase(Locale.ROOT),
              node.serving() ? "yes" : "no",
              node.shards().size() + "/" + version.shards(),
              loaded(node.progress()),
              holders(version));
          if (!node.reason().isEmpty()) {
            problems.add(
                "%s %s at %s: %s"
                    .formatted(dataset.dataset(), version.version(), node.node(), node.reason()));
          }
        }
      }
    }
    return table + (problems.isEmpty() ? "" : "\n" + String.join("\n", problems) + "\n");
  }

  private static String loaded(LoadProgress progress) {
    if (progress.shardsDone() == progress.shardsAssigned() || progress.totalBytes() == 0) {
      return progress.shardsDone() + "/" + progress.shardsAssigned();
    }
    return "%d/%d (%d%%)"
        .formatted(
            progress.shardsDone(),
            progress.shardsAssigned(),
            100 * progress.bytes() / progress.totalBytes());
  }

  /** How many shards have how many holders: {@code 2x4} are four with two each. */
  private static String holders(VersionStatus version) {
    return String.join(
        " ",
        new TreeMap<>(version.histogram())
            .entrySet().stream().map(entry -> entry.getKey() + "x" + entry.getValue()).toList());
  }

  private static String orDash(String text) {
    return text.isEmpty() ? "-" : text;
  }

  static Map<String, Object> json(DatasetStatus dataset) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("dataset", dataset.dataset());
    json.put("serving", dataset.serving());
    json.put("pinned", dataset.pinned());
    json.put("problem", dataset.problem());
    json.put("versions", dataset.versions().stream().map(DatasetText::json).toList());
    return json;
  }

  private static Map<String, Object> json(VersionStatus version) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("version", version.version());
    json.put("path", version.path());
    json.put("shards", version.shards());
    json.put("replication", version.replication());
    json.put("averageReplication", version.averageReplication());
    json.put("histogram", new TreeMap<>(version.histogram()));
    json.put("missing", version.missing());
    json.put("underReplicated", version.underReplicated());
    json.put("overReplicated", version.overReplicated());
    json.put("nodes", version.nodes().stream().map(DatasetText::json).toList());
    return json;
  }

  private static Map<String, Object> json(NodeVersion node) {
    LoadProgress progress = node.progress();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("node", node.node());
    json.put("state", node.state().name());
    json.put("reason", node.reason());
    json.put("serving", node.serving());
    json.put("shards", node.shards());
    json.put("records", progress.records());
    json.put("bytes", progress.bytes());
    json.put("totalBytes", progress.totalBytes());
    json.put("shardsDone", progress.shardsDone());
    json.put("shardsAssigned", progress.shardsAssigned());
    json.put("created", time(node.createdMicros()));
    json.put("active", time(node.activeMicros()));
    return json;
  }

  /** Empty for what has not happened. */
  private static String time(long micros) {
    return micros == 0 ? "" : Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
  }
}
