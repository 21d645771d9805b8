package io.stele.cli.replica;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.predicate.RowRange;
import io.stele.cli.table.CellText;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which rows: all, unless the user says otherwise. */
final class RangeOptions {
  @Option(names = "--from", paramLabel = "ROW", description = "Only rows from this one on.")
  private @Nullable String from;

  @Option(names = "--to", paramLabel = "ROW", description = "Only rows before this one.")
  private @Nullable String to;

  @Option(names = "--prefix", paramLabel = "TEXT", description = "Only rows that begin so.")
  private @Nullable String prefix;

  RowRange rows() {
    if (prefix != null) {
      if (from != null || to != null) {
        throw new InvalidRequestException("--prefix with --from or --to: give one or the other");
      }
      return prefix.isEmpty()
          ? RowRange.ALL
          : RowRange.prefix(CellText.argument("--prefix", prefix));
    }
    Bytes first = from == null ? Bytes.EMPTY : CellText.argument("--from", from);
    Bytes end = to == null ? null : CellText.argument("--to", to);
    if (end != null && first.compareTo(end) >= 0) {
      throw new InvalidRequestException(
          "--from %s --to %s is empty: --from must be below --to"
              .formatted(from == null ? "''" : from, to));
    }
    return new RowRange(first, end);
  }
}
