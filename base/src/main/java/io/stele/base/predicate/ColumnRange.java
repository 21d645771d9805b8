package io.stele.base.predicate;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.base.cell.Column;
import io.stele.base.error.InvalidRequestException;
import org.jspecify.annotations.Nullable;

/**
 * A half-open range of columns, in the order of families and then qualifiers; it may take in
 * several families.
 *
 * @param from the first column in it
 * @param to the first column behind it; null for no end
 */
public record ColumnRange(Column from, @Nullable Column to) implements Comparable<ColumnRange> {
  public ColumnRange {
    if (to != null && from.compareTo(to) > 0) {
      throw new InvalidRequestException(
          "column range from " + from + " to " + to + " is upside down");
    }
  }

  /** All columns of a family. */
  public static ColumnRange family(Bytes family) {
    return of(family, Bytes.EMPTY, null);
  }

  public static ColumnRange column(Bytes family, Bytes qualifier) {
    return of(family, qualifier, qualifier.successor());
  }

  /** The columns of a family whose qualifiers begin with a prefix. */
  public static ColumnRange prefix(Bytes family, Bytes prefix) {
    return of(family, prefix, prefix.prefixEnd());
  }

  /**
   * A range of qualifiers of one family.
   *
   * @param to the first qualifier behind it; null for the family's end
   */
  public static ColumnRange of(Bytes family, Bytes from, @Nullable Bytes to) {
    if (family.isEmpty()) {
      throw new InvalidRequestException("a column range without a family");
    }
    Column end = to == null ? new Column(family.successor(), Bytes.EMPTY) : new Column(family, to);
    return new ColumnRange(new Column(family, from), end);
  }

  public boolean contains(CellView cell) {
    return from.compareTo(cell) <= 0 && (to == null || to.compareTo(cell) > 0);
  }

  /** True if every column of the family is in it. */
  public boolean containsFamily(Bytes family) {
    return from.compareTo(new Column(family, Bytes.EMPTY)) <= 0
        && (to == null || to.compareTo(new Column(family.successor(), Bytes.EMPTY)) >= 0);
  }

  /** True if some column of the family may be in it. */
  public boolean touchesFamily(Bytes family) {
    return from.family().compareTo(family) <= 0
        && (to == null || to.compareTo(new Column(family, Bytes.EMPTY)) > 0);
  }

  @Override
  public int compareTo(ColumnRange other) {
    return from.compareTo(other.from);
  }
}
