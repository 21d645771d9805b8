package io.stele.base.cell;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.ByteBuilder;
import java.util.Arrays;
import java.util.Optional;

/** Packs cells that come in ascending order, as a scan finds them, into a {@link CellBatch}. */
public final class CellBatchWriter {
  private final ByteBuilder out;
  private int count;

  // Where the row and the family stand that the next cell may share: cursors overwrite their own.
  private int rowOffset;
  private int rowLength = -1;
  private int familyOffset;
  private int familyLength = -1;

  /** Starts a batch of about so many bytes. */
  public CellBatchWriter(int expectedBytes) {
    out = new ByteBuilder(CellBatch.HEADER + expectedBytes);
    out.putInt(CellBatch.MAGIC).putInt(0).putLong(0);
  }

  /** Adds a cell that is above the one before. */
  public void add(CellView cell) {
    boolean ofRow = cell.kind == CellKind.ERASE_ROW;
    boolean sameRow = holds(rowOffset, rowLength, cell.rowArray, cell.rowOffset, cell.rowLength);
    boolean sameFamily =
        !ofRow
            && holds(
                familyOffset, familyLength, cell.familyArray, cell.familyOffset, cell.familyLength);
    int start = out.length() + 1; // behind the flags
    PackedCells.append(out, cell, sameRow, sameFamily);
    if (!sameRow) {
      rowOffset = start + varintLength(cell.rowLength);
      rowLength = cell.rowLength;
      start = rowOffset + rowLength;
    }
    if (ofRow) {
      familyLength = -1;
    } else if (!sameFamily) {
      familyOffset = start + varintLength(cell.familyLength);
      familyLength = cell.familyLength;
    }
    count++;
  }

  private boolean holds(int offset, int length, byte[] array, int from, int otherLength) {
    return length == otherLength
        && Arrays.equals(out.array(), offset, offset + length, array, from, from + otherLength);
  }

  private static int varintLength(int value) {
    return value < 1 << 7 ? 1 : value < 1 << 14 ? 2 : 3; // rows are below 2^16 bytes
  }

  public int count() {
    return count;
  }

  /** Bytes so far. */
  public int size() {
    return out.length();
  }

  /** The batch, which carries a transaction; nothing if there is no cell. */
  public Optional<CellBatch> finish(long txn) {
    if (count == 0) {
      return Optional.empty();
    }
    Binary.putInt(out.array(), 4, count);
    Binary.putLong(out.array(), 8, txn);
    return Optional.of(new CellBatch(out.array(), 0, out.length()));
  }
}
