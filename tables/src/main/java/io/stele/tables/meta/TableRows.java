package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
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

  public TableRows {
    tablets = List.copyOf(tablets);
    unreadable = List.copyOf(unreadable);
  }

  public static TableRows of(String table, List<TabletConfig> tablets) {
    return new TableRows(table, tablets, List.of(), Optional.empty());
  }

  TableRows withTablets(List<TabletConfig> others) {
    return new TableRows(table, others, unreadable, schemaProblem);
  }

  /** Is there a row that could not be read between two others? */
  boolean hasUnreadableBetween(Bytes above, Bytes below) {
    return unreadable.stream()
        .anyMatch(each -> each.row().compareTo(above) > 0 && each.row().compareTo(below) < 0);
  }
}
