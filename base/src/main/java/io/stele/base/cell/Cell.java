package io.stele.base.cell;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;

/**
 * One cell, on its own. What may stand in it is checked here, once, for everything that is written.
 *
 * @param timestamp microseconds; {@link CellView#WIDE} for wide erasures
 * @param txn the transaction that wrote it; 0 before it is committed
 * @param value empty for erasures, except the encoded range of a column erasure, which those of
 *     families and rows may have too
 */
public record Cell(
    Bytes row, Bytes family, Bytes qualifier, long timestamp, long txn, CellKind kind, Bytes value)
    implements Comparable<Cell> {

  /** A put with this timestamp gets the time at which the server commits it. */
  public static final long SERVER_TIME = Long.MIN_VALUE;

  public static final int MAX_ROW = 65_535;
  public static final int MAX_FAMILY = 255;
  public static final int MAX_QUALIFIER = 65_535;
  public static final int MAX_VALUE = 64 << 20;

  public Cell {
    checkLength(kind, "row key", row.length(), 1, MAX_ROW);
    boolean ofRow = kind == CellKind.ERASE_ROW;
    boolean ofColumn = !ofRow && kind != CellKind.ERASE_FAMILY;
    checkLength(kind, "family", family.length(), ofRow ? 0 : 1, ofRow ? 0 : MAX_FAMILY);
    checkLength(kind, "qualifier", qualifier.length(), 0, ofColumn ? MAX_QUALIFIER : 0);
    checkValue(kind, value);
    if (kind.isVersion() == (timestamp == CellView.WIDE)) {
      throw new InvalidRequestException(
          "timestamp " + timestamp + " of a " + kind + ": the largest is " + (CellView.WIDE - 1));
    }
  }

  public static Cell put(Bytes row, Bytes family, Bytes qualifier, long timestamp, Bytes value) {
    return new Cell(row, family, qualifier, timestamp, 0, CellKind.PUT, value);
  }

  public static Cell eraseCell(Bytes row, Bytes family, Bytes qualifier, long timestamp) {
    return new Cell(row, family, qualifier, timestamp, 0, CellKind.ERASE_CELL, Bytes.EMPTY);
  }

  /** Erases the versions of a column with {@code from <= timestamp < to}. */
  public static Cell eraseColumn(Bytes row, Bytes family, Bytes qualifier, long from, long to) {
    Bytes range = Bytes.wrap(CellView.range(from, to));
    return new Cell(row, family, qualifier, CellView.WIDE, 0, CellKind.ERASE_COLUMN, range);
  }

  public static Cell eraseColumn(Bytes row, Bytes family, Bytes qualifier) {
    return eraseColumn(row, family, qualifier, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  public static Cell eraseFamily(Bytes row, Bytes family) {
    return new Cell(row, family, Bytes.EMPTY, CellView.WIDE, 0, CellKind.ERASE_FAMILY, Bytes.EMPTY);
  }

  public static Cell eraseRow(Bytes row) {
    return new Cell(
        row, Bytes.EMPTY, Bytes.EMPTY, CellView.WIDE, 0, CellKind.ERASE_ROW, Bytes.EMPTY);
  }

  /** Erases the versions of a row in a family with {@code from <= timestamp < to}. */
  public static Cell eraseFamily(Bytes row, Bytes family, long from, long to) {
    Bytes range = Bytes.wrap(CellView.range(from, to));
    return new Cell(row, family, Bytes.EMPTY, CellView.WIDE, 0, CellKind.ERASE_FAMILY, range);
  }

  /** Erases the versions of a row with {@code from <= timestamp < to}. */
  public static Cell eraseRow(Bytes row, long from, long to) {
    Bytes range = Bytes.wrap(CellView.range(from, to));
    return new Cell(row, Bytes.EMPTY, Bytes.EMPTY, CellView.WIDE, 0, CellKind.ERASE_ROW, range);
  }

  public Cell withTxn(long newTxn) {
    return new Cell(row, family, qualifier, timestamp, newTxn, kind, value);
  }

  /** True if this erasure, committed later, hides the given version. */
  public boolean covers(Cell version) {
    return switch (kind) {
      case PUT -> false;
      case ERASE_CELL -> sameColumn(version) && timestamp == version.timestamp;
      case ERASE_COLUMN -> sameColumn(version) && inRange(version);
      case ERASE_FAMILY ->
          row.equals(version.row) && family.equals(version.family) && inRange(version);
      case ERASE_ROW -> row.equals(version.row) && inRange(version);
    };
  }

  private boolean sameColumn(Cell other) {
    return row.equals(other.row)
        && family.equals(other.family)
        && qualifier.equals(other.qualifier);
  }

  /** A wide erasure is hidden by one that hides all that it does. */
  private boolean inRange(Cell other) {
    CellView range = view();
    if (other.kind.isWide()) {
      CellView inner = other.view();
      return other.kind.code() <= kind.code() // a family's has no qualifier, and yet is no column's
          && range.rangeFrom() <= inner.rangeFrom()
          && inner.rangeTo() <= range.rangeTo();
    }
    return range.rangeFrom() <= other.timestamp && other.timestamp < range.rangeTo();
  }

  public CellView view() {
    CellView view = new CellView();
    view.setRow(row);
    view.setFamily(family);
    view.setQualifier(qualifier);
    view.timestamp = timestamp;
    view.txn = txn;
    view.kind = kind;
    view.valueArray = value.toArray();
    view.valueLength = value.length();
    return view;
  }

  /** The order of {@link CellView#compareTo}. */
  @Override
  public int compareTo(Cell other) {
    int c = row.compareTo(other.row);
    c = c != 0 ? c : family.compareTo(other.family);
    c =
        c != 0
            ? c
            : Boolean.compare(kind != CellKind.ERASE_FAMILY, other.kind != CellKind.ERASE_FAMILY);
    c = c != 0 ? c : qualifier.compareTo(other.qualifier);
    c = c != 0 ? c : Long.compare(other.timestamp, timestamp);
    c = c != 0 ? c : Long.compare(other.txn, txn);
    if (c == 0 && kind.isWide() && other.kind.isWide()) {
      return value.compareTo(other.value);
    }
    return c;
  }

  @Override
  public String toString() {
    return view().toString();
  }

  private static void checkValue(CellKind kind, Bytes value) {
    switch (kind) {
      case PUT -> checkLength(kind, "value", value.length(), 0, MAX_VALUE);
      case ERASE_COLUMN -> checkRange(kind, value);
      case ERASE_CELL -> checkLength(kind, "value", value.length(), 0, 0);
      case ERASE_FAMILY, ERASE_ROW -> {
        if (!value.isEmpty()) {
          checkRange(kind, value);
        }
      }
    }
  }

  private static void checkRange(CellKind kind, Bytes range) {
    checkLength(kind, "time range", range.length(), CellView.RANGE_BYTES, CellView.RANGE_BYTES);
    CellView view = new CellView();
    view.valueArray = range.sharedArray();
    view.valueLength = range.length();
    if (view.rangeFrom() >= view.rangeTo()) {
      throw new InvalidRequestException(
          "time range ["
              + view.rangeFrom()
              + ", "
              + view.rangeTo()
              + ") to erase is empty: from must be below to");
    }
  }

  private static void checkLength(CellKind kind, String what, int length, int least, int most) {
    if (length < least || length > most) {
      String right = least == most ? "must be " + least : "must be " + least + " to " + most;
      throw new InvalidRequestException(
          what + " of " + length + " bytes in a " + kind + ": " + right);
    }
  }
}
