package io.stele.cli.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stele table create}. */
@Command(
    name = "create",
    description = {
      "Make a table.",
      "",
      "Families that are read together belong in one group: a group has files of its own. --family"
          + " puts families into the group 'default'; '*' takes every family that is named nowhere"
          + " else."
    },
    footer = {
      "  stele table create users --family name,address",
      "  stele table create pages --group meta=title,links --group body=text --with"
          + " body.compression=zstd",
      "  stele table create log --family '*' --with default.purge='max-age=30d or max-history=5'"
          + " --split m"
    })
final class CreateCommand extends ConnectedCommand {
  private static final String DEFAULT_GROUP = "default";

  @Parameters(paramLabel = "NAME", description = "The table's name.")
  private String name = "";

  @Option(
      names = "--family",
      paramLabel = "NAME,...",
      description = "Families of the group 'default'; '*' for any.")
  private List<String> families = List.of();

  @Option(
      names = "--group",
      paramLabel = "GROUP=FAMILY,...",
      description = "A group and its families; '*' for any.")
  private List<String> groups = List.of();

  @Option(
      names = "--with",
      paramLabel = "GROUP.KEY=VALUE",
      description =
          "A setting of a group: purge (max-history=3, max-age=7d, joined by and/or), compression"
              + " (none, lz4, zstd, snappy), block-size (64KiB), in-memory (true, false).")
  private List<String> settings = List.of();

  @Option(
      names = "--split",
      paramLabel = "ROW",
      description = "The last row of a tablet: so that the table begins with several.")
  private List<String> splits = List.of();

  private Map<String, GroupSchema> schema = Map.of();
  private List<Bytes> splitRows = List.of();

  @Override
  protected void prepare() {
    Map<String, List<String>> named = new LinkedHashMap<>();
    for (String text : families) {
      named
          .computeIfAbsent(DEFAULT_GROUP, _ -> new ArrayList<>())
          .addAll(SchemaArguments.names("--family", text));
    }
    for (String text : groups) {
      SchemaArguments.Families group = SchemaArguments.families("--group", text);
      named.computeIfAbsent(group.group(), _ -> new ArrayList<>()).addAll(group.names());
    }
    if (named.isEmpty()) {
      throw new InvalidRequestException(
          "table '%s' without families: give --family NAME, or --group GROUP=FAMILY; --family '*'"
                  .formatted(name)
              + " takes any");
    }
    schema = new LinkedHashMap<>();
    named.forEach((group, names) -> schema.put(group, GroupSchema.of(group, names)));
    settings.forEach(text -> SchemaArguments.set(schema, text));
    splitRows = splits.stream().map(CellText::row).sorted().distinct().toList();
  }

  @Override
  protected int run(Connection connection) {
    connection.tables().create(name, new TableSchema(List.copyOf(schema.values())), splitRows);
    int tablets = splitRows.size() + 1;
    print(
        () -> Map.of("table", name, "tablets", tablets),
        () ->
            "table %s made, with %s\n"
                .formatted(name, tablets == 1 ? "one tablet" : tablets + " tablets"));
    return ExitCode.OK;
  }
}
