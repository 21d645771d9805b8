package io.stele.base.cell;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import java.util.Arrays;

/**
 * One cell as slices of arrays that belong to someone else: what cursors hand out, one object per
 * cursor, refilled at every step. Its fields are public because the merge reads them in its
 * innermost loop; only the cursor that owns a view writes them.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>{@code kind} wide: {@code timestamp == WIDE}, so that in the order below it stands before
 *       every version of what it hides;
 *   <li>{@code kind == ERASE_ROW}: family and qualifier are empty; {@code ERASE_FAMILY}: the
 *       qualifier is empty;
 *   <li>{@code kind == ERASE_COLUMN}: the value is {@code from(8) to(8)}, big-endian with the sign
 *       bit flipped, so that byte order is number order; {@code ERASE_FAMILY} and {@code
 *       ERASE_ROW}: the same, or empty for all times.
 * </ul>
 */
public final class CellView implements Comparable<CellView> {
  /** The timestamp of wide erasures: no put or single-cell erasure may use it. */
  public static final long WIDE = Long.MAX_VALUE;

  /** Bytes of the value of a wide erasure with a time range. */
  public static final int RANGE_BYTES = 16;

  private static final byte[] NONE = new byte[0];

  public byte[] rowArray = NONE;
  public int rowOffset;
  public int rowLength;
  public byte[] familyArray = NONE;
  public int familyOffset;
  public int familyLength;
  public byte[] qualifierArray = NONE;
  public int qualifierOffset;
  public int qualifierLength;
  public long timestamp;
  public long txn;
  public CellKind kind = CellKind.PUT;
  public byte[] valueArray = NONE;
  public int valueOffset;
  public int valueLength;

  /** A view that stands before every cell of a row, for seeking. */
  public static CellView beforeRow(Bytes row) {
    CellView view = new CellView();
    view.setRow(row);
    view.kind = CellKind.ERASE_ROW;
    view.timestamp = WIDE;
    view.txn = Long.MAX_VALUE;
    return view;
  }

  /** A view that stands before every cell of a column, for seeking. */
  public static CellView beforeColumn(Bytes row, Bytes family, Bytes qualifier) {
    CellView view = new CellView();
    view.setRow(row);
    view.setFamily(family);
    view.setQualifier(qualifier);
    view.kind = CellKind.ERASE_COLUMN;
    view.timestamp = WIDE;
    view.txn = Long.MAX_VALUE;
    return view;
  }

  /** A view that stands before every cell of a family of a row, its erasure included. */
  public static CellView beforeFamily(Bytes row, Bytes family) {
    CellView view = new CellView();
    view.setRow(row);
    view.setFamily(family);
    view.kind = CellKind.ERASE_FAMILY;
    view.timestamp = WIDE;
    view.txn = Long.MAX_VALUE;
    return view;
  }

  public void setRow(Bytes row) {
    rowArray = row.sharedArray();
    rowOffset = 0;
    rowLength = row.length();
  }

  public void setFamily(Bytes family) {
    familyArray = family.sharedArray();
    familyOffset = 0;
    familyLength = family.length();
  }

  public void setQualifier(Bytes qualifier) {
    qualifierArray = qualifier.sharedArray();
    qualifierOffset = 0;
    qualifierLength = qualifier.length();
  }

  /** Points this view at the same bytes as another; nothing is copied. */
  public void pointTo(CellView other) {
    rowArray = other.rowArray;
    rowOffset = other.rowOffset;
    rowLength = other.rowLength;
    familyArray = other.familyArray;
    familyOffset = other.familyOffset;
    familyLength = other.familyLength;
    qualifierArray = other.qualifierArray;
    qualifierOffset = other.qualifierOffset;
    qualifierLength = other.qualifierLength;
    timestamp = other.timestamp;
    txn = other.txn;
    kind = other.kind;
    valueArray = other.valueArray;
    valueOffset = other.valueOffset;
    valueLength = other.valueLength;
  }

  public boolean sameRow(CellView other) {
    return rowLength == other.rowLength
        && Arrays.equals(
            rowArray,
            rowOffset,
            rowOffset + rowLength,
            other.rowArray,
            other.rowOffset,
            other.rowOffset + rowLength);
  }

  public boolean sameFamily(CellView other) {
    return familyLength == other.familyLength
        && Arrays.equals(
            familyArray,
            familyOffset,
            familyOffset + familyLength,
            other.familyArray,
            other.familyOffset,
            other.familyOffset + familyLength);
  }

  public boolean sameQualifier(CellView other) {
    return qualifierLength == other.qualifierLength
        && Arrays.equals(
            qualifierArray,
            qualifierOffset,
            qualifierOffset + qualifierLength,
            other.qualifierArray,
            other.qualifierOffset,
            other.qualifierOffset + qualifierLength);
  }

  public int compareRow(CellView other) {
    return Arrays.compareUnsigned(
        rowArray,
        rowOffset,
        rowOffset + rowLength,
        other.rowArray,
        other.rowOffset,
        other.rowOffset + other.rowLength);
  }

  /**
   * The one order of cells: row ↑, family ↑, qualifier ↑, timestamp ↓, txn ↓, by unsigned bytes; a
   * family's erasure stands before its qualifiers, and two wide erasures of one transaction are
   * told apart by their range.
   */
  @Override
  public int compareTo(CellView other) {
    int byRow = compareRow(other);
    return byRow != 0 ? byRow : compareWithinRow(other);
  }

  /** The order of two cells that are known to be of one row. */
  public int compareWithinRow(CellView other) {
    int byFamily =
        Arrays.compareUnsigned(
            familyArray,
            familyOffset,
            familyOffset + familyLength,
            other.familyArray,
            other.familyOffset,
            other.familyOffset + other.familyLength);
    if (byFamily != 0) {
      return byFamily;
    }
    if (kind == CellKind.ERASE_FAMILY || other.kind == CellKind.ERASE_FAMILY) {
      if (kind != other.kind) {
        return kind == CellKind.ERASE_FAMILY ? -1 : 1;
      }
    } else {
      int byQualifier =
          Arrays.compareUnsigned(
              qualifierArray,
              qualifierOffset,
              qualifierOffset + qualifierLength,
              other.qualifierArray,
              other.qualifierOffset,
              other.qualifierOffset + other.qualifierLength);
      if (byQualifier != 0) {
        return byQualifier;
      }
    }
    return compareVersion(other);
  }

  /** The order of two cells that are known to be of one column. */
  public int compareVersion(CellView other) {
    if (timestamp != other.timestamp) {
      return timestamp > other.timestamp ? -1 : 1;
    }
    if (txn != other.txn) {
      return txn > other.txn ? -1 : 1;
    }
    if (kind.isWide() && other.kind.isWide()) {
      return Arrays.compareUnsigned(
          valueArray,
          valueOffset,
          valueOffset + valueLength,
          other.valueArray,
          other.valueOffset,
          other.valueOffset + other.valueLength);
    }
    return 0;
  }

  /** True of a wide erasure that hides only some timestamps; false if it hides all. */
  public boolean hasRange() {
    return valueLength == RANGE_BYTES;
  }

  /** The first timestamp a wide erasure hides. */
  public long rangeFrom() {
    return hasRange()
        ? Binary.getLongBigEndian(valueArray, valueOffset) ^ Long.MIN_VALUE
        : Long.MIN_VALUE;
  }

  /** The first timestamp above the range a wide erasure hides; no version has the largest. */
  public long rangeTo() {
    return hasRange()
        ? Binary.getLongBigEndian(valueArray, valueOffset + 8) ^ Long.MIN_VALUE
        : Long.MAX_VALUE;
  }

  static byte[] range(long from, long to) {
    byte[] range = new byte[RANGE_BYTES];
    Binary.putLongBigEndian(range, 0, from ^ Long.MIN_VALUE);
    Binary.putLongBigEndian(range, 8, to ^ Long.MIN_VALUE);
    return range;
  }

  public Bytes row() {
    return Bytes.copyOf(rowArray, rowOffset, rowLength);
  }

  public Bytes family() {
    return Bytes.copyOf(familyArray, familyOffset, familyLength);
  }

  public Bytes qualifier() {
    return Bytes.copyOf(qualifierArray, qualifierOffset, qualifierLength);
  }

  public Bytes value() {
    return Bytes.copyOf(valueArray, valueOffset, valueLength);
  }

  /** A copy that outlives the cursor's next step. */
  public Cell toCell() {
    return new Cell(row(), family(), qualifier(), timestamp, txn, kind, value());
  }

  /** Bytes of the parts that are stored for it in any format, without any overhead. */
  public long size() {
    return (long) rowLength + familyLength + qualifierLength + valueLength;
  }

  /** For people; also of views that are no cells but places to seek to. */
  @Override
  public String toString() {
    String name = row() + "/" + family() + ":" + qualifier();
    return switch (kind) {
      case PUT -> name + "@" + timestamp + "#" + txn + "=" + value();
      case ERASE_CELL -> "-" + name + "@" + timestamp + "#" + txn;
      case ERASE_COLUMN -> "-" + name + "@" + rangeText() + "#" + txn;
      case ERASE_FAMILY -> "-" + row() + "/" + family() + rangeSuffix() + "#" + txn;
      case ERASE_ROW -> "-" + row() + rangeSuffix() + "#" + txn;
    };
  }

  private String rangeSuffix() {
    return hasRange() ? "@" + rangeText() : "";
  }

  private String rangeText() {
    return hasRange() ? "[" + rangeFrom() + "," + rangeTo() + ")" : "[)";
  }
}
