package io.stele.cli.table;

import io.stele.base.schema.TableSchema;
import io.stele.base.table.TabletInfo;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code stele table describe}. */
@Command(
    name = "describe",
    description = "Print the groups, families and tablets of a table.",
    footer = "  stele table describe users")
final class DescribeCommand extends ConnectedCommand {
  @Parameters(paramLabel = "NAME", description = "The table's name.")
  private String name = "";

  @Override
  protected int run(Connection connection) {
    TableSchema schema = connection.tables().schema(name);
    List<TabletInfo> tablets = connection.tables().tablets(name);
    print(
        () -> json(schema, tablets),
        () -> SchemaText.text(schema) + "\n" + TabletText.table(tablets));
    return ExitCode.OK;
  }

  private Map<String, Object> json(TableSchema schema, List<TabletInfo> tablets) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("table", name);
    object.put("kind", SchemaText.kind(schema));
    schema
        .replication()
        .ifPresent(replication -> object.put("replication", SchemaText.json(replication)));
    object.put("groups", SchemaText.json(schema));
    object.put("tablets", tablets.stream().map(TabletText::json).toList());
    return object;
  }
}
