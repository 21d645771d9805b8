package io.stele.engine.model;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;

/** A value that a reader sees. Ordered as readers see them: by column, newest timestamp first. */
public record Version(
    Bytes row, Bytes family, Bytes qualifier, long timestamp, long txn, Bytes value)
    implements Comparable<Version> {
  public static Version of(CellView cell) {
    return new Version(
        cell.row(), cell.family(), cell.qualifier(), cell.timestamp, cell.txn, cell.value());
  }

  @Override
  public int compareTo(Version other) {
    int c = row.compareTo(other.row);
    c = c != 0 ? c : family.compareTo(other.family);
    c = c != 0 ? c : qualifier.compareTo(other.qualifier);
    return c != 0 ? c : Long.compare(other.timestamp, timestamp);
  }

  boolean sameColumn(Version other) {
    return row.equals(other.row)
        && family.equals(other.family)
        && qualifier.equals(other.qualifier);
  }

  @Override
  public String toString() {
    String shown =
        value.length() <= 32 ? value.toString() : value.length() + " bytes, " + value.hashCode();
    return row + "/" + family + ":" + qualifier + "@" + timestamp + "#" + txn + "=" + shown;
  }
}
