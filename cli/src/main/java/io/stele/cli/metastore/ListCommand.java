package io.stele.cli.metastore;

import io.stele.cli.ExitCode;
import io.stele.client.metastore.DirectoryEntry;
import io.stele.client.metastore.MetastoreClient;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code stele metastore ls}. */
@Command(
    name = "ls",
    description = "List the names in a directory; those with keys below them end with a slash.",
    footer = {"  stele metastore ls", "  stele metastore ls /services"})
final class ListCommand extends ClientCommand {

  @Parameters(
      paramLabel = "DIR",
      arity = "0..1",
      defaultValue = "/",
      description = "An absolute path (default: ${DEFAULT-VALUE}).")
  private String directory = "/";

  @Mixin private ConsistencyOption consistency = new ConsistencyOption();

  @Override
  void check() {
    KeyArgument.check(directory);
  }

  @Override
  int run(MetastoreClient client) {
    List<DirectoryEntry> entries = new ArrayList<>();
    client.list(withoutSlash(directory), consistency.value()).forEach(entries::add);
    print(() -> entries.stream().map(ListCommand::json).toList(), () -> text(entries));
    return ExitCode.OK;
  }

  /** As people complete it on a command line, {@code /services/}. */
  private static String withoutSlash(String path) {
    return path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
  }

  private static Map<String, Object> json(DirectoryEntry entry) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("name", entry.name());
    object.put("value", entry.value());
    object.put("directory", entry.directory());
    return object;
  }

  /** A name that is both a key and a directory has two lines. */
  private static String text(List<DirectoryEntry> entries) {
    StringBuilder text = new StringBuilder();
    for (DirectoryEntry entry : entries) {
      if (entry.value()) {
        text.append(entry.name()).append('\n');
      }
      if (entry.directory()) {
        text.append(entry.name()).append("/\n");
      }
    }
    return text.toString();
  }
}
