package io.stele.base.cell;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;

/** The one pass that decides whether bytes from outside are a {@link CellBatch}. */
final class CellBatchVerifier {
  private final ByteReader in;
  private final byte[] array;
  private CellView cell = new CellView();
  private CellView previous = new CellView();

  CellBatchVerifier(ByteReader in, byte[] array) {
    this.in = in;
    this.array = array;
  }

  void verify() throws Malformed {
    if (in.remaining() > CellBatch.MAX_BYTES) {
      throw in.malformed(in.remaining() + " bytes, at most " + CellBatch.MAX_BYTES);
    }
    int magic = in.readInt();
    if (magic != CellBatch.MAGIC) {
      throw in.malformed("magic 0x" + Integer.toHexString(magic) + " instead of SCB1");
    }
    int count = in.readInt();
    if (count < 1 || count > in.remaining()) {
      throw in.malformed("a count of " + count + " cells in " + in.remaining() + " bytes");
    }
    long txn = in.readLong();
    if (txn != 0) {
      throw in.malformed("transaction " + txn + " before it is committed: must be 0");
    }
    for (int i = 0; i < count; i++) {
      readCell(i == 0);
      if (i > 0 && previous.compareTo(cell) >= 0) {
        throw in.malformed("cell " + i + " is not above the one before it");
      }
      CellView swap = previous;
      previous = cell;
      cell = swap;
    }
    if (in.remaining() > 0) {
      throw in.malformed(in.remaining() + " bytes behind the last of " + count + " cells");
    }
  }

  private void readCell(boolean first) throws Malformed {
    int flags = in.readByte();
    int code = flags & PackedCells.KIND_MASK;
    if ((flags & ~PackedCells.ALL_FLAGS) != 0 || !CellKind.isCode(code)) {
      throw in.malformed("cell flags 0x" + Integer.toHexString(flags));
    }
    cell.kind = CellKind.of(code);
    readRow(flags, first);
    readFamily(flags, first);
    readRest((flags & PackedCells.RANGED) != 0);
  }

  private void readRow(int flags, boolean first) throws Malformed {
    if ((flags & PackedCells.SAME_ROW) != 0) {
      if (first) {
        throw in.malformed("the first cell has no row to repeat");
      }
      cell.rowArray = previous.rowArray;
      cell.rowOffset = previous.rowOffset;
      cell.rowLength = previous.rowLength;
      return;
    }
    cell.rowLength = length("row key", 1, Cell.MAX_ROW);
    cell.rowArray = array;
    cell.rowOffset = in.skip(cell.rowLength, "row key");
  }

  private void readFamily(int flags, boolean first) throws Malformed {
    boolean same = (flags & PackedCells.SAME_FAMILY) != 0;
    if (cell.kind == CellKind.ERASE_ROW) {
      if (same) {
        throw in.malformed("a row erasure has no family to repeat");
      }
      cell.familyLength = 0;
    } else if (same) {
      if (first || previous.familyLength == 0) {
        throw in.malformed("no family to repeat");
      }
      cell.familyArray = previous.familyArray;
      cell.familyOffset = previous.familyOffset;
      cell.familyLength = previous.familyLength;
    } else {
      cell.familyLength = length("family", 1, Cell.MAX_FAMILY);
      cell.familyArray = array;
      cell.familyOffset = in.skip(cell.familyLength, "family");
    }
  }

  private void readRest(boolean ranged) throws Malformed {
    cell.qualifierLength = 0;
    cell.valueLength = 0;
    cell.timestamp = CellView.WIDE;
    cell.valueArray = array;
    if (cell.kind == CellKind.ERASE_FAMILY || cell.kind == CellKind.ERASE_ROW) {
      if (ranged) {
        readRange();
      }
      return;
    }
    if (ranged) {
      throw in.malformed("a time range in the flags of a " + cell.kind);
    }
    cell.qualifierLength = length("qualifier", 0, Cell.MAX_QUALIFIER);
    cell.qualifierArray = array;
    cell.qualifierOffset = in.skip(cell.qualifierLength, "qualifier");
    if (cell.kind == CellKind.ERASE_COLUMN) {
      readRange();
      return;
    }
    cell.timestamp = Binary.getLong(array, in.skip(8, "timestamp"));
    if (cell.timestamp == CellView.WIDE) {
      throw in.malformed("timestamp " + cell.timestamp + " is reserved");
    }
    if (cell.kind == CellKind.PUT) {
      cell.valueLength = length("value", 0, Cell.MAX_VALUE);
      cell.valueOffset = in.skip(cell.valueLength, "value");
    }
  }

  private void readRange() throws Malformed {
    cell.valueLength = CellView.RANGE_BYTES;
    cell.valueOffset = in.skip(CellView.RANGE_BYTES, "time range");
    if (cell.rangeFrom() >= cell.rangeTo()) {
      throw in.malformed("the empty time range [" + cell.rangeFrom() + ", " + cell.rangeTo() + ")");
    }
  }

  private int length(String what, int least, int most) throws Malformed {
    int length = in.readVarint(most, what + " length");
    if (length < least) {
      throw in.malformed("an empty " + what);
    }
    return length;
  }
}
