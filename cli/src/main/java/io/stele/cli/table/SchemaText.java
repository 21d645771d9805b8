package io.stele.cli.table;

import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.settings.ByteSize;
import io.stele.base.settings.DurationText;
import io.stele.cli.Count;
import io.stele.cli.TextTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Schemas for people and for programs. */
final class SchemaText {
  private SchemaText() {}

  /** The groups, behind what is said of a replicated table. */
  static String text(TableSchema schema) {
    return schema.replication().map(SchemaText::line).orElse("") + table(schema);
  }

  private static String line(Replication replication) {
    return "replicated: %s, deletions remembered for %s, partitions %s\n\n"
        .formatted(
            Count.of(replication.replicas(), "replica"),
            DurationText.format(replication.erasureGrace()),
            replication.splitBytes() == 0
                ? "never split"
                : "split at " + new ByteSize(replication.splitBytes()));
  }

  static String kind(TableSchema schema) {
    return schema.replication().isPresent() ? "replicated" : "tablet";
  }

  static Map<String, Object> json(Replication replication) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("replicas", replication.replicas());
    object.put("erasureGrace", DurationText.format(replication.erasureGrace()));
    object.put("splitBytes", replication.splitBytes());
    return object;
  }

  private static String table(TableSchema schema) {
    TextTable table =
        new TextTable("GROUP", "FAMILIES", "PURGE", "COMPRESSION", "BLOCK SIZE", "IN MEMORY");
    for (GroupSchema group : schema.groups()) {
      table.row(
          group.name(),
          families(group),
          SchemaArguments.show(group.purge()),
          group.compression().toString(),
          new ByteSize(group.blockSize()).toString(),
          group.inMemory() ? "yes" : "no");
    }
    return table.toString();
  }

  static String families(GroupSchema group) {
    return group.wildcard() ? "*" : String.join(",", group.families());
  }

  static List<Map<String, Object>> json(TableSchema schema) {
    return schema.groups().stream().map(SchemaText::json).toList();
  }

  private static Map<String, Object> json(GroupSchema group) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("group", group.name());
    object.put("families", group.wildcard() ? List.of("*") : group.families());
    object.put("purge", group.purge().toString());
    object.put("compression", group.compression().toString());
    object.put("blockSize", group.blockSize());
    object.put("inMemory", group.inMemory());
    return object;
  }
}
