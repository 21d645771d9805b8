package io.stele.base.cell;

import io.stele.base.bytes.Bytes;

/**
 * A column's name. Columns are ordered by family and then by qualifier, as cells are; this is not
 * always the order of their text form {@code family:qualifier}.
 *
 * @param family empty only where a bound of a range stands before all families
 */
public record Column(Bytes family, Bytes qualifier) implements Comparable<Column> {
  /** At or before every column. */
  public static final Column FIRST = new Column(Bytes.EMPTY, Bytes.EMPTY);

  @Override
  public int compareTo(Column other) {
    int byFamily = family.compareTo(other.family);
    return byFamily != 0 ? byFamily : qualifier.compareTo(other.qualifier);
  }

  /** Compares to the column of a cell. */
  public int compareTo(CellView cell) {
    int byFamily = family.compareTo(cell.familyArray, cell.familyOffset, cell.familyLength);
    return byFamily != 0
        ? byFamily
        : qualifier.compareTo(cell.qualifierArray, cell.qualifierOffset, cell.qualifierLength);
  }

  @Override
  public String toString() {
    return family + ":" + qualifier;
  }
}
