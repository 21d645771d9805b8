package io.stele.cli.table;

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
import java.util.Optional;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stele table alter}: changes the schema that there is. */
@Command(
    name = "alter",
    description = {
      "Change the families, groups and settings of a table, while it is in use.",
      "",
      "What a removed family held is hidden at once and goes when files are rewritten."
    },
    footer = {
      "  stele table alter users --add default=phone",
      "  stele table alter users --add pictures=photo --with pictures.compression=zstd",
      "  stele table alter users --remove phone",
      "  stele table alter events --replicas 5"
    })
final class AlterCommand extends ConnectedCommand {
  @Parameters(paramLabel = "NAME", description = "The table's name.")
  private String name = "";

  @Option(
      names = "--add",
      paramLabel = "GROUP=FAMILY,...",
      description =
          "Add families to a group, which is made if there is none; a family of another group moves"
              + " with what it holds.")
  private List<String> added = List.of();

  @Option(
      names = "--remove",
      paramLabel = "FAMILY,...",
      description = "Remove families; a group that has no more goes too.")
  private List<String> removed = List.of();

  @Option(
      names = "--with",
      paramLabel = "GROUP.KEY=VALUE",
      description = "A setting of a group, as in `stele table create`.")
  private List<String> settings = List.of();

  @Mixin private ReplicationOptions replicationOptions = new ReplicationOptions();

  @Override
  protected void prepare() {
    if (added.isEmpty()
        && removed.isEmpty()
        && settings.isEmpty()
        && replicationOptions.given() == null) {
      throw new InvalidRequestException(
          "nothing to change: give --add, --remove or --with; of a replicated table also"
              + " --replicas, --erasure-grace or --split-size");
    }
  }

  @Override
  protected int run(Connection connection) {
    TableSchema before = connection.tables().schema(name);
    TableSchema after = changed(before);
    connection.tables().alter(name, Optional.of(before), after);
    print(() -> SchemaText.json(after), () -> SchemaText.text(after));
    return ExitCode.OK;
  }

  private TableSchema changed(TableSchema before) {
    Map<String, GroupSchema> groups = new LinkedHashMap<>();
    before.groups().forEach(group -> groups.put(group.name(), group));
    for (String text : removed) {
      SchemaArguments.names("--remove", text).forEach(family -> remove(groups, family));
    }
    for (String text : added) {
      add(groups, SchemaArguments.families("--add", text));
    }
    settings.forEach(text -> SchemaArguments.set(groups, text));
    String given = replicationOptions.given();
    if (given != null && before.replication().isEmpty()) {
      throw new InvalidRequestException(
          "%s: table %s is a tablet table, and has no replicas".formatted(given, name));
    }
    return new TableSchema(
        List.copyOf(groups.values()), before.replication().map(replicationOptions::apply));
  }

  private void remove(Map<String, GroupSchema> groups, String family) {
    if (!take(groups, family)) {
      throw new InvalidRequestException(
          "--remove '%s': table %s has no such family".formatted(family, name));
    }
    if (groups.isEmpty()) {
      throw new InvalidRequestException(
          "--remove '%s': it is the last family of table %s; add another first, or drop the table"
              .formatted(family, name));
    }
  }

  /** Takes a family, or the wildcard, out of the group that has it. */
  private static boolean take(Map<String, GroupSchema> groups, String family) {
    for (GroupSchema group : List.copyOf(groups.values())) {
      if (group.wildcard() ? family.equals("*") : group.families().contains(family)) {
        List<String> left = new ArrayList<>(group.families());
        left.remove(family);
        if (left.isEmpty()) {
          groups.remove(group.name());
        } else {
          groups.put(group.name(), group.withFamilies(left));
        }
        return true;
      }
    }
    return false;
  }

  private static void add(Map<String, GroupSchema> groups, SchemaArguments.Families added) {
    GroupSchema target = groups.get(added.group());
    if (target != null && target.wildcard()) {
      throw new InvalidRequestException(
          "--add '%s': the group %s takes every family that is named nowhere else"
              .formatted(String.join(",", added.names()), target.name()));
    }
    TreeSet<String> families = new TreeSet<>(added.names());
    if (target != null) {
      families.addAll(target.families());
    }
    added.names().forEach(family -> take(groups, family));
    groups.put(
        added.group(),
        target == null ? GroupSchema.of(added.group(), families) : target.withFamilies(families));
  }
}
