package io.stele.cli.cluster;

import io.stele.base.bytes.Bytes;
import io.stele.base.table.Cluster.Move;
import io.stele.base.table.Cluster.ServerStatus;
import io.stele.base.table.Cluster.Status;
import io.stele.base.table.StoredFiles.Garbage;
import io.stele.base.table.StoredFiles.TrashedFile;
import io.stele.cli.Count;
import io.stele.cli.TextTable;
import io.stele.cli.ValueText;
import io.stele.cli.table.CellText;
import io.stele.cli.table.TabletText;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A cluster for people and for programs. */
final class ClusterText {
  private static final String OPEN_END = "-";

  private ClusterText() {}

  // ---- status

  static String text(Status status) {
    TextTable table =
        new TextTable(
            "SERVER", "RUN", "STATE", "TABLETS", "MEMORY", "ON DISK", "READS/S", "WRITES/S");
    for (ServerStatus server : status.servers()) {
      table.row(
          server.address(),
          server.run(),
          state(server),
          Integer.toString(server.tablets()),
          TabletText.size(server.memoryBytes()),
          TabletText.size(server.fileBytes()),
          rate(server.readsPerSecond()),
          rate(server.writesPerSecond()));
    }
    for (String address : status.down()) {
      table.row(address, "-", "down", "-", "-", "-", "-", "-");
    }
    StringBuilder text = new StringBuilder();
    text.append(
        "master %s (token %d), %s, %s, %d of them not served\n\n"
            .formatted(
                status.master(),
                status.token(),
                Count.of(status.servers().size(), "server"),
                Count.of(status.tablets(), "tablet"),
                status.unserved().size()));
    text.append(table);
    status.servers().stream()
        .filter(server -> !server.problem().isEmpty())
        .forEach(server -> text.append("\n%s: %s\n".formatted(server.address(), server.problem())));
    if (!status.unserved().isEmpty()) {
      text.append("\nnot served:\n");
      status.unserved().forEach(tablet -> text.append("  ").append(tablet).append('\n'));
    }
    return text.toString();
  }

  private static String state(ServerStatus server) {
    if (!server.problem().isEmpty()) {
      return "no answer";
    }
    return server.draining() ? "draining" : "serves";
  }

  private static String rate(double perSecond) {
    return String.format(Locale.ROOT, perSecond < 10 ? "%.1f" : "%.0f", perSecond);
  }

  static Map<String, Object> json(Status status) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("master", status.master());
    object.put("token", status.token());
    object.put("tablets", status.tablets());
    object.put("unserved", status.unserved());
    object.put("down", status.down());
    object.put("servers", status.servers().stream().map(ClusterText::json).toList());
    return object;
  }

  private static Map<String, Object> json(ServerStatus server) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("address", server.address());
    object.put("run", server.run());
    object.put("draining", server.draining());
    object.put("tablets", server.tablets());
    object.put("memoryBytes", server.memoryBytes());
    object.put("fileBytes", server.fileBytes());
    object.put("readsPerSecond", server.readsPerSecond());
    object.put("writesPerSecond", server.writesPerSecond());
    object.put("problem", server.problem());
    return object;
  }

  // ---- moves

  static String text(List<Move> moves) {
    TextTable table = new TextTable("TABLE", "AFTER", "UP TO", "FROM", "TO", "WHY");
    for (Move move : moves) {
      table.row(
          move.table(),
          move.first().isEmpty() ? OPEN_END : CellText.show(move.first()),
          move.last().map(CellText::show).orElse(OPEN_END),
          move.from().isEmpty() ? OPEN_END : move.from(),
          move.to(),
          move.reason());
    }
    return table.toString();
  }

  static Map<String, Object> json(Move move) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("table", move.table());
    if (!move.first().isEmpty()) {
      ValueText.putJson(object, "after", move.first());
    }
    move.last().ifPresent((Bytes last) -> ValueText.putJson(object, "upTo", last));
    object.put("from", move.from());
    object.put("to", move.to());
    object.put("reason", move.reason());
    return object;
  }

  // ---- files

  static String text(Garbage garbage, boolean dryRun) {
    StringBuilder text = new StringBuilder();
    if (!garbage.blocked().isEmpty()) {
      text.append("no file is moved to the trash now: ").append(garbage.blocked()).append('\n');
    }
    if (dryRun) {
      garbage.files().forEach(file -> text.append(file).append('\n'));
    }
    if (garbage.files().isEmpty()) {
      text.append("every file is needed\n");
    } else {
      text.append(
          "%s of %s, %s\n"
              .formatted(
                  Count.of(garbage.files().size(), "file"),
                  TabletText.size(garbage.bytes()),
                  dryRun || !garbage.blocked().isEmpty()
                      ? "needed by nothing"
                      : "moved to the trash"));
    }
    return text.toString();
  }

  static Map<String, Object> json(Garbage garbage, boolean dryRun) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("moved", !dryRun && garbage.blocked().isEmpty());
    object.put("files", garbage.files());
    object.put("bytes", garbage.bytes());
    object.put("blocked", garbage.blocked());
    return object;
  }

  // ---- trash

  static String trash(List<TrashedFile> files) {
    TextTable table = new TextTable("SINCE", "SIZE", "FILE");
    for (TrashedFile file : files) {
      table.row(since(file), TabletText.size(file.bytes()), file.path());
    }
    return files.isEmpty() ? "the trash is empty\n" : table.toString();
  }

  static Map<String, Object> json(TrashedFile file) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("path", file.path());
    object.put("bytes", file.bytes());
    object.put("since", since(file));
    return object;
  }

  private static String since(TrashedFile file) {
    return Instant.ofEpochSecond(TimeUnit.MICROSECONDS.toSeconds(file.sinceMicros())).toString();
  }
}
