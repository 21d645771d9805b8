package io.stele.cli.table;

import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Acks;
import io.stele.client.table.Table;
import picocli.CommandLine.Option;

/** The shared {@code --acks} option of commands that write. */
public final class AcksOption {
  @Option(
      names = "--acks",
      paramLabel = "LEVEL",
      converter = Converter.class,
      defaultValue = "majority",
      description = {
        "Of a replicated table: how many replicas must have it durably before it is"
            + " acknowledged: one, majority or all (default: ${DEFAULT-VALUE})."
      })
  private Acks acks = Acks.MAJORITY;

  /** The table, as it is to be written to. */
  public Table of(Table table) {
    return acks == Consistency.DEFAULT.acks()
        ? table
        : table.at(Consistency.DEFAULT.withAcks(acks));
  }

  static final class Converter extends LevelConverter<Acks> {
    Converter() {
      super(Acks.class);
    }
  }
}
