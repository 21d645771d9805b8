package io.stele.cli.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.TabletInfo;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import io.stele.cli.ValueText;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stele table split}. */
@Command(
    name = "split",
    description = "Split a tablet in two, and print the last row of the lower one.",
    footer = {
      "  stele table split users              # the largest tablet, in its middle",
      "  stele table split users m            # at a row",
      "  stele table split users --tablet m   # the tablet that holds a row, in its middle"
    })
final class SplitCommand extends ConnectedCommand {
  @Parameters(index = "0", paramLabel = "NAME", description = "The table's name.")
  private String name = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "ROW",
      description = "What will be the last row of the lower half (default: chosen by size).")
  private @Nullable String row;

  @Option(
      names = "--tablet",
      paramLabel = "ROW",
      description = "A row of the tablet to split (default: the largest tablet).")
  private @Nullable String holding;

  @Override
  protected void prepare() {
    if (row != null && holding != null) {
      throw new InvalidRequestException(
          "row '%s' and --tablet '%s': a row says which tablet to split, give one"
              .formatted(row, holding));
    }
  }

  @Override
  protected int run(Connection connection) {
    TableAdmin tables = connection.tables();
    Bytes at =
        row != null
            ? CellText.row(row)
            : holding != null ? CellText.argument("--tablet", holding) : largest(tables);
    Bytes done = tables.split(name, at, row == null ? Bytes.EMPTY : at);
    print(() -> json(done), () -> CellText.show(done) + "\n");
    return ExitCode.OK;
  }

  /** A row of the largest tablet: the first that can be in it. */
  private Bytes largest(TableAdmin tables) {
    return tables.tablets(name).stream()
        .max(Comparator.comparingLong(tablet -> tablet.fileBytes() + tablet.memoryBytes()))
        .map((TabletInfo tablet) -> tablet.range().from())
        .orElse(Bytes.EMPTY);
  }

  private static Map<String, Object> json(Bytes done) {
    Map<String, Object> object = new LinkedHashMap<>();
    ValueText.putJson(object, "row", done);
    return object;
  }
}
