package io.stele.cli.table;

import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Reads;
import io.stele.client.table.Table;
import picocli.CommandLine.Option;

/** The shared {@code --reads} option of commands that read. */
public final class ReadsOption {
  @Option(
      names = "--reads",
      paramLabel = "LEVEL",
      converter = Converter.class,
      defaultValue = "one",
      description = {
        "Of a replicated table: how many replicas are asked: one, or a majority, which sees all"
            + " that a majority has acknowledged (default: ${DEFAULT-VALUE})."
      })
  private Reads reads = Reads.ONE;

  /** The table, as it is to be read. */
  public Table of(Table table) {
    return reads == Consistency.DEFAULT.reads()
        ? table
        : table.at(Consistency.DEFAULT.withReads(reads));
  }

  static final class Converter extends LevelConverter<Reads> {
    Converter() {
      super(Reads.class);
    }
  }
}
