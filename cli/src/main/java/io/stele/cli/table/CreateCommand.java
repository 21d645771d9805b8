package io.stele.cli.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.Count;
import io.stele.cli.ExitCode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
          + " else.",
      "",
      "A tablet table has one server for each row, and rows change as transactions. Of a replicated"
          + " table, each partition is on several servers, any of which takes writes, and on their"
          + " local disks alone."
    },
    footer = {
      "  stele table create users --family name,address",
      "  stele table create pages --group meta=title,links --group body=text --with"
          + " body.compression=zstd",
      "  stele table create log --family '*' --with default.purge='max-age=30d or max-history=5'"
          + " --split m",
      "  stele table create events --family '*' --kind replicated --replicas 3"
    })
final class CreateCommand extends ConnectedCommand {
  private static final String DEFAULT_GROUP = "default";
  private static final String TABLET = "tablet";
  private static final String REPLICATED = "replicated";

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

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      defaultValue = TABLET,
      description = "tablet or replicated (default: ${DEFAULT-VALUE}).")
  private String kind = TABLET;

  @Mixin private ReplicationOptions replicationOptions = new ReplicationOptions();

  private Map<String, GroupSchema> schema = Map.of();
  private Optional<Replication> replication = Optional.empty();
  private List<Bytes> splitRows = List.of();

  @Override
  protected void prepare() {
    replication = replication();
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

  private Optional<Replication> replication() {
    if (kind.equals(REPLICATED)) {
      return Optional.of(replicationOptions.apply(Replication.DEFAULT));
    }
    if (!kind.equals(TABLET)) {
      throw new InvalidRequestException(
          "--kind '%s': must be %s or %s".formatted(kind, TABLET, REPLICATED));
    }
    String given = replicationOptions.given();
    if (given != null) {
      throw new InvalidRequestException(
          "%s with a tablet table: give --kind %s as well".formatted(given, REPLICATED));
    }
    return Optional.empty();
  }

  @Override
  protected int run(Connection connection) {
    connection
        .tables()
        .create(name, new TableSchema(List.copyOf(schema.values()), replication), splitRows);
    print(this::json, this::text);
    return ExitCode.OK;
  }

  private Map<String, Object> json() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("table", name);
    object.put("kind", kind);
    object.put(replication.isPresent() ? "partitions" : "tablets", splitRows.size() + 1);
    replication.ifPresent(made -> object.put("replicas", made.replicas()));
    return object;
  }

  private String text() {
    int parts = splitRows.size() + 1;
    return replication
        .map(
            made ->
                "table %s made, with %s of %s\n"
                    .formatted(
                        name, Count.of(parts, "partition"), Count.of(made.replicas(), "replica")))
        .orElseGet(() -> "table %s made, with %s\n".formatted(name, Count.of(parts, "tablet")));
  }
}
