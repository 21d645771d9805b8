package io.stele.cli.table;

import io.stele.base.error.NotFoundException;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.TabletInfo;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import io.stele.cli.TextTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code stele table list}. */
@Command(
    name = "list",
    aliases = "ls",
    description = "List the tables.",
    footer = {"  stele table list", "  stele table list --all --output json"})
final class ListCommand extends ConnectedCommand {
  @Option(names = "--all", description = "Also the tables in which Stele keeps its own.")
  private boolean all;

  /** What the list tells of a table. */
  private record Line(String name, String kind, String families, List<TabletInfo> tablets) {
    /** Tablets that were split share files until they are compacted: each counts once. */
    long fileBytes() {
      Map<String, Long> bytesByPath = new HashMap<>();
      for (TabletInfo tablet : tablets) {
        tablet.files().forEach(file -> bytesByPath.put(file.path(), file.bytes()));
      }
      return bytesByPath.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The tablets of a table share the memory of their server. */
    long memoryBytes() {
      Map<String, Long> bytesByServer = new HashMap<>();
      tablets.forEach(
          tablet -> bytesByServer.merge(tablet.location(), tablet.memoryBytes(), Math::max));
      return bytesByServer.values().stream().mapToLong(Long::longValue).sum();
    }

    Map<String, Object> json() {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("table", name);
      object.put("kind", kind);
      object.put("families", families);
      object.put("tablets", tablets.size());
      object.put("memoryBytes", memoryBytes());
      object.put("fileBytes", fileBytes());
      return object;
    }
  }

  @Override
  protected int run(Connection connection) {
    TableAdmin tables = connection.tables();
    List<Line> lines = new ArrayList<>();
    for (String name : tables.list(all)) {
      line(tables, name).ifPresent(lines::add);
    }
    print(() -> lines.stream().map(Line::json).toList(), () -> text(lines));
    return ExitCode.OK;
  }

  /** Nothing if it was dropped since the names were asked for. */
  private static Optional<Line> line(TableAdmin tables, String name) {
    try {
      TableSchema schema = tables.schema(name);
      String families =
          schema.groups().stream().map(SchemaText::families).collect(Collectors.joining(","));
      return Optional.of(new Line(name, SchemaText.kind(schema), families, tables.tablets(name)));
    } catch (NotFoundException e) {
      return Optional.empty();
    }
  }

  private static String text(List<Line> lines) {
    TextTable table = new TextTable("TABLE", "KIND", "FAMILIES", "TABLETS", "MEMORY", "ON DISK");
    for (Line line : lines) {
      table.row(
          line.name(),
          line.kind(),
          line.families(),
          Integer.toString(line.tablets().size()),
          TabletText.size(line.memoryBytes()),
          TabletText.size(line.fileBytes()));
    }
    return table.toString();
  }
}
