package io.stele.base.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.predicate.ReadPredicate;
import java.util.Optional;

/**
 * A change of one row that depends on what it holds.
 *
 * @param condition is met if the row has a cell that this predicate wants (its rows are ignored)
 *     and, if there is a comparison, the first such cell compares so
 * @param whenMet cells of the row, committed if it is met
 * @param otherwise cells of the row, committed if it is not
 */
public record CheckAndMutate(
    Bytes row,
    ReadPredicate condition,
    Optional<ValueComparison> comparison,
    Optional<CellBatch> whenMet,
    Optional<CellBatch> otherwise) {
  public CheckAndMutate {
    if (whenMet.isEmpty() && otherwise.isEmpty()) {
      throw new InvalidRequestException(
          "a conditional change of row " + row + " without changes: must have at least one");
    }
  }

  /** How values, as unsigned bytes, are compared. */
  public enum Operator {
    LESS,
    LESS_OR_EQUAL,
    EQUAL,
    NOT_EQUAL,
    GREATER_OR_EQUAL,
    GREATER;

    public boolean holds(int comparison) {
      return switch (this) {
        case LESS -> comparison < 0;
        case LESS_OR_EQUAL -> comparison <= 0;
        case EQUAL -> comparison == 0;
        case NOT_EQUAL -> comparison != 0;
        case GREATER_OR_EQUAL -> comparison >= 0;
        case GREATER -> comparison > 0;
      };
    }
  }

  /** The found value stands left of the operator. */
  public record ValueComparison(Operator operator, Bytes value) {}
}
