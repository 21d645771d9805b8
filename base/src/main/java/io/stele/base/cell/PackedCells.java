package io.stele.base.cell;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.ByteBuilder;
import io.stele.base.error.InvalidRequestException;

/**
 * The packed form of a run of cells, shared by the line format ({@link CellBatch}) and by the
 * records of the commit log. Cells stand in strictly ascending order and carry no transaction
 * number: they get one, together, when they are committed.
 *
 * <pre>
 *   cell   := flags(1)
 *             [ rowLength(varint) row ]               unless SAME_ROW
 *             [ familyLength(varint) family ]         unless SAME_FAMILY or ERASE_ROW
 *             [ qualifierLength(varint) qualifier ]   PUT, ERASE_CELL, ERASE_COLUMN
 *             [ timestamp(8, little-endian) ]         PUT, ERASE_CELL
 *             [ from(8) to(8), as in CellView ]       ERASE_COLUMN, or RANGED
 *             [ valueLength(varint) value ]           PUT
 *   flags  := kind (bits 0..2) | SAME_ROW (bit 3) | SAME_FAMILY (bit 4) | RANGED (bit 5);
 *             the rest is zero
 * </pre>
 *
 * SAME_ROW and SAME_FAMILY repeat what the cell before had; the first cell has neither, and a cell
 * behind an ERASE_ROW never has SAME_FAMILY. RANGED stands only in an ERASE_FAMILY or ERASE_ROW
 * that hides some times and not all.
 */
final class PackedCells {
  static final int KIND_MASK = 0x07;
  static final int SAME_ROW = 0x08;
  static final int SAME_FAMILY = 0x10;
  static final int RANGED = 0x20;
  static final int ALL_FLAGS = KIND_MASK | SAME_ROW | SAME_FAMILY | RANGED;

  private PackedCells() {}

  /** Appends one cell; {@code previous} is the cell appended before, or null. */
  static void append(ByteBuilder out, Cell cell, Cell previous, boolean first) {
    boolean sameRow = !first && cell.row().equals(previous.row());
    boolean sameFamily =
        !first
            && cell.kind() != CellKind.ERASE_ROW
            && previous.kind() != CellKind.ERASE_ROW
            && cell.family().equals(previous.family());
    boolean ranged =
        (cell.kind() == CellKind.ERASE_FAMILY || cell.kind() == CellKind.ERASE_ROW)
            && !cell.value().isEmpty();
    out.putByte(
        cell.kind().code()
            | (sameRow ? SAME_ROW : 0)
            | (sameFamily ? SAME_FAMILY : 0)
            | (ranged ? RANGED : 0));
    if (!sameRow) {
      out.putSized(cell.row());
    }
    if (!sameFamily && cell.kind() != CellKind.ERASE_ROW) {
      out.putSized(cell.family());
    }
    switch (cell.kind()) {
      case PUT -> {
        out.putSized(cell.qualifier()).putLong(cell.timestamp());
        out.putSized(cell.value());
      }
      case ERASE_CELL -> out.putSized(cell.qualifier()).putLong(cell.timestamp());
      case ERASE_COLUMN -> out.putSized(cell.qualifier()).put(cell.value());
      case ERASE_FAMILY, ERASE_ROW -> out.put(cell.value());
    }
  }

  /** Appends one cell, without what it shares with the one before. */
  static void append(ByteBuilder out, CellView cell, boolean sameRow, boolean sameFamily) {
    boolean ofRow = cell.kind == CellKind.ERASE_ROW;
    boolean wider = ofRow || cell.kind == CellKind.ERASE_FAMILY;
    boolean ranged = wider && cell.hasRange();
    out.putByte(
        cell.kind.code()
            | (sameRow ? SAME_ROW : 0)
            | (sameFamily ? SAME_FAMILY : 0)
            | (ranged ? RANGED : 0));
    if (!sameRow) {
      out.putVarint(cell.rowLength).put(cell.rowArray, cell.rowOffset, cell.rowLength);
    }
    if (!sameFamily && !ofRow) {
      out.putVarint(cell.familyLength);
      out.put(cell.familyArray, cell.familyOffset, cell.familyLength);
    }
    if (wider) {
      out.put(cell.valueArray, cell.valueOffset, cell.valueLength);
      return;
    }
    out.putVarint(cell.qualifierLength);
    out.put(cell.qualifierArray, cell.qualifierOffset, cell.qualifierLength);
    if (cell.kind == CellKind.ERASE_COLUMN) {
      out.put(cell.valueArray, cell.valueOffset, CellView.RANGE_BYTES);
      return;
    }
    out.putLong(cell.timestamp);
    if (cell.kind == CellKind.PUT) {
      out.putVarint(cell.valueLength).put(cell.valueArray, cell.valueOffset, cell.valueLength);
    }
  }

  /** See {@link CellBatch#stamp}. */
  static void stamp(byte[] array, int offset, int length, long micros) {
    Reader reader = new Reader(array, offset, length, 0);
    CellView cell = reader.cell();
    CellView before = new CellView();
    boolean any = false;
    boolean first = true;
    while (reader.next()) {
      // A cell that asks for the time sorts behind all other versions of its column.
      if (cell.kind == CellKind.PUT && cell.timestamp == Cell.SERVER_TIME) {
        any = true;
        if (!first
            && !before.kind.isWide()
            && before.sameRow(cell)
            && before.sameFamily(cell)
            && before.sameQualifier(cell)
            && before.timestamp <= micros) {
          throw new InvalidRequestException(
              "column "
                  + new Column(cell.family(), cell.qualifier())
                  + " of row "
                  + cell.row()
                  + " is changed at "
                  + before.timestamp
                  + " and at the server's time in one batch: must be one of them");
        }
      }
      before.pointTo(cell);
      first = false;
    }
    if (any) {
      Reader again = new Reader(array, offset, length, 0);
      while (again.next()) {
        if (again.view.kind == CellKind.PUT && again.view.timestamp == Cell.SERVER_TIME) {
          Binary.putLong(array, again.view.qualifierOffset + again.view.qualifierLength, micros);
        }
      }
    }
  }

  /**
   * Reads packed cells that are known to be good: checked by {@link CellBatch#parse}, built by
   * {@link CellBatchBuilder}, or read from a log record whose checksum matched.
   */
  static final class Reader implements CellBatch.Reader {
    private final CellView view = new CellView();
    private final byte[] array;
    private final int end;
    private int at;

    Reader(byte[] array, int offset, int length, long txn) {
      this.array = array;
      this.at = offset;
      this.end = offset + length;
      view.txn = txn;
      view.rowArray = array;
      view.familyArray = array;
      view.qualifierArray = array;
      view.valueArray = array;
    }

    @Override
    public boolean next() {
      if (at >= end) {
        return false;
      }
      int flags = array[at++];
      CellKind kind = CellKind.of(flags & KIND_MASK);
      view.kind = kind;
      if ((flags & SAME_ROW) == 0) {
        view.rowLength = varint();
        view.rowOffset = skip(view.rowLength);
      }
      if (kind == CellKind.ERASE_ROW) {
        view.familyLength = 0;
      } else if ((flags & SAME_FAMILY) == 0) {
        view.familyLength = varint();
        view.familyOffset = skip(view.familyLength);
      }
      readRest(kind, flags);
      return true;
    }

    private void readRest(CellKind kind, int flags) {
      view.qualifierLength = 0;
      view.valueLength = 0;
      view.timestamp = CellView.WIDE;
      if (kind == CellKind.ERASE_FAMILY || kind == CellKind.ERASE_ROW) {
        if ((flags & RANGED) != 0) {
          view.valueLength = CellView.RANGE_BYTES;
          view.valueOffset = skip(CellView.RANGE_BYTES);
        }
        return;
      }
      view.qualifierLength = varint();
      view.qualifierOffset = skip(view.qualifierLength);
      if (kind == CellKind.ERASE_COLUMN) {
        view.valueLength = CellView.RANGE_BYTES;
        view.valueOffset = skip(CellView.RANGE_BYTES);
        return;
      }
      view.timestamp = Binary.getLong(array, skip(8));
      if (kind == CellKind.PUT) {
        view.valueLength = varint();
        view.valueOffset = skip(view.valueLength);
      }
    }

    @Override
    public CellView cell() {
      return view;
    }

    private int skip(int count) {
      int from = at;
      at += count;
      return from;
    }

    private int varint() {
      int b = array[at++];
      if (b >= 0) {
        return b;
      }
      int value = b & 0x7f;
      for (int shift = 7; ; shift += 7) {
        b = array[at++];
        value |= (b & 0x7f) << shift;
        if (b >= 0) {
          return value;
        }
      }
    }
  }
}
