package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.tables.meta.MetaRows.MetaRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The META rows of one table as they were read, right or wrong.
 *
 * @param tablets those that could be read, in the order of META
 * @param unreadable the other rows, in the order of META
 * @param schemaProblem what is wrong with the schema, if something is
 */
public record TableRows(
    String table,
    List<TabletConfig> tablets,
    List<UnreadableRow> unreadable,
    Optional<String> schemaProblem) {

  /**
   * A row that is there and cannot be understood.
   *
   * @param problem what was expected and what was found
   */
  public record UnreadableRow(Bytes row, String problem) {}

  private static final Optional<String> NO_SCHEMA = Optional.of("there is no schema");

  public TableRows {
    tablets = List.copyOf(tablets);
    unreadable = List.copyOf(unreadable);
  }

  public static TableRows of(String table, List<TabletConfig> tablets) {
    return new TableRows(table, tablets, List.of(), Optional.empty());
  }

  /** Is there anything of the table in META? */
  public boolean exists() {
    return !tablets.isEmpty() || !unreadable.isEmpty() || !schemaProblem.equals(NO_SCHEMA);
  }

  TableRows withTablets(List<TabletConfig> others) {
    return new TableRows(table, others, unreadable, schemaProblem);
  }

  /** Is there a row that could not be read between two others? */
  boolean hasUnreadableBetween(Bytes above, Bytes below) {
    return unreadable.stream()
        .anyMatch(each -> each.row().compareTo(above) > 0 && each.row().compareTo(below) < 0);
  }

  /** Takes the rows of a table as they are read, in their order. */
  static final class Builder {
    private final String table;
    private final List<TabletConfig> tablets = new ArrayList<>();
    private final List<UnreadableRow> unreadable = new ArrayList<>();
    private Optional<String> schemaProblem;

    /**
     * Starts without rows.
     *
     * @param fixedSchema the table's schema is written nowhere
     */
    Builder(String table, boolean fixedSchema) {
      this.table = table;
      this.schemaProblem = fixedSchema ? Optional.empty() : NO_SCHEMA;
    }

    /** Adds a row by its cells. */
    void add(List<Cell> cells) {
      Bytes row = cells.getFirst().row();
      try {
        switch (MetaRows.parse(row)) {
          case MetaRow.Schema _ -> schemaProblem = schemaProblem(cells);
          case MetaRow.Tablet _ -> tablets.add(TabletCells.load(cells));
        }
      } catch (CorruptDataException e) {
        unreadable.add(new UnreadableRow(row, String.valueOf(e.getMessage())));
      }
    }

    private Optional<String> schemaProblem(List<Cell> cells) {
      try {
        SchemaCells.load(table, cells);
        return Optional.empty();
      } catch (InvalidRequestException e) {
        return Optional.of(String.valueOf(e.getMessage()));
      }
    }

    TableRows build() {
      return new TableRows(table, tablets, unreadable, schemaProblem);
    }
  }
}
