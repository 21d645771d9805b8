package io.stele.base.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.RequestMark;
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

  /**
   * What the mark of a change remembers that was made because the condition was met, or was not.
   */
  public static final Bytes MET = Bytes.utf8("met");

  private static final Bytes NOT_MET = Bytes.utf8("not met");

  /**
   * The same request with a mark in its changes: it is carried out once however often it is sent,
   * and is answered as the first time. Without a change there is nothing to be repeated.
   */
  public CheckAndMutate once(RequestMark mark) {
    return new CheckAndMutate(
        row,
        condition,
        comparison,
        whenMet.map(cells -> mark.mark(cells, MET)),
        otherwise.map(cells -> mark.mark(cells, NOT_MET)));
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
