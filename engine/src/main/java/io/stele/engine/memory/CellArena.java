package io.stele.engine.memory;

import io.stele.base.bytes.Binary;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.error.ExhaustedException;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The bytes of a mem fragment's cells, in chunks that are filled from start to end and never
 * changed. A cell is named by an int: its chunk, and its 8-byte aligned place in it.
 *
 * <pre>
 *   reference := chunk(15) slot(17)              place = slot * 8; a chunk has 2^17 slots, 1 MiB
 *   cell      := txn(8) timestamp(8) rowLength(4) qualifierLength(4) valueLength(4)
 *                familyLength(2) kind(2) row family qualifier value
 * </pre>
 *
 * A cell that does not fit a chunk gets one of its own. One writer; a reader may look at a
 * reference that it got from the tree, whose release-store made the bytes visible.
 */
final class CellArena {
  private static final int CHUNK_BYTES = 1 << 20;
  private static final int FIRST_CHUNK_BYTES = 1 << 14;
  private static final int SLOT_BITS = 17;
  private static final int SLOT_MASK = (1 << SLOT_BITS) - 1;
  private static final int MAX_CHUNKS = 1 << 15;
  private static final int ARRAY_HEADER = 16;
  static final int HEADER = 32;

  private byte[][] chunks = new byte[16][]; // replaced, never shrunk; see chunk()
  private int chunkCount;
  private int filled = CHUNK_BYTES; // of the last ordinary chunk
  private byte[] current = new byte[0];
  private int currentIndex;
  private long bytes;

  /** Bytes of memory that the chunks take, array headers included. */
  long bytes() {
    return bytes;
  }

  int add(CellView cell) {
    int size = HEADER + Math.toIntExact(cell.size());
    int aligned = (size + 7) & ~7;
    byte[] target;
    int reference;
    int place;
    if (aligned > CHUNK_BYTES) {
      target = newChunk(aligned);
      place = 0;
      reference = (chunkCount - 1) << SLOT_BITS;
    } else {
      if (current.length - filled < aligned) {
        // Small tables are many: the first chunk is small.
        current = newChunk(chunkCount == 0 ? Math.max(FIRST_CHUNK_BYTES, aligned) : CHUNK_BYTES);
        currentIndex = chunkCount - 1;
        filled = 0;
      }
      target = current;
      place = filled;
      filled += aligned;
      reference = currentIndex << SLOT_BITS | place >>> 3;
    }
    write(cell, target, place);
    return reference;
  }

  private static void write(CellView cell, byte[] target, int place) {
    Binary.putLong(target, place, cell.txn);
    Binary.putLong(target, place + 8, cell.timestamp);
    Binary.putInt(target, place + 16, cell.rowLength);
    Binary.putInt(target, place + 20, cell.qualifierLength);
    Binary.putInt(target, place + 24, cell.valueLength);
    Binary.putInt(target, place + 28, cell.familyLength | cell.kind.code() << 16);
    int at = place + HEADER;
    System.arraycopy(cell.rowArray, cell.rowOffset, target, at, cell.rowLength);
    at += cell.rowLength;
    System.arraycopy(cell.familyArray, cell.familyOffset, target, at, cell.familyLength);
    at += cell.familyLength;
    System.arraycopy(cell.qualifierArray, cell.qualifierOffset, target, at, cell.qualifierLength);
    at += cell.qualifierLength;
    System.arraycopy(cell.valueArray, cell.valueOffset, target, at, cell.valueLength);
  }

  /** Points the view at a cell. */
  void read(int reference, CellView view) {
    byte[] chunk = chunk(reference);
    int place = place(reference);
    view.txn = Binary.getLong(chunk, place);
    view.timestamp = Binary.getLong(chunk, place + 8);
    int rowLength = Binary.getInt(chunk, place + 16);
    int qualifierLength = Binary.getInt(chunk, place + 20);
    int familyAndKind = Binary.getInt(chunk, place + 28);
    int familyLength = familyAndKind & 0xffff;
    view.kind = CellKind.of(familyAndKind >>> 16);
    int at = place + HEADER;
    view.rowArray = chunk;
    view.rowOffset = at;
    view.rowLength = rowLength;
    at += rowLength;
    view.familyArray = chunk;
    view.familyOffset = at;
    view.familyLength = familyLength;
    at += familyLength;
    view.qualifierArray = chunk;
    view.qualifierOffset = at;
    view.qualifierLength = qualifierLength;
    at += qualifierLength;
    view.valueArray = chunk;
    view.valueOffset = at;
    view.valueLength = Binary.getInt(chunk, place + 24);
  }

  /** The order of the given cell and a stored one. */
  int compare(CellView cell, int reference, CellView scratch) {
    byte[] chunk = chunk(reference);
    int place = place(reference);
    int rowOffset = place + HEADER;
    int byRow =
        Arrays.compareUnsigned(
            cell.rowArray,
            cell.rowOffset,
            cell.rowOffset + cell.rowLength,
            chunk,
            rowOffset,
            rowOffset + Binary.getInt(chunk, place + 16));
    if (byRow != 0) {
      return byRow;
    }
    read(reference, scratch);
    return cell.compareWithinRow(scratch);
  }

  private byte[] chunk(int reference) {
    // A reader that got the reference also sees the array that holds its chunk: the writer stored
    // both before it published the reference.
    return chunks[reference >>> SLOT_BITS];
  }

  private static int place(int reference) {
    return (reference & SLOT_MASK) << 3;
  }

  private byte[] newChunk(int size) {
    if (chunkCount == MAX_CHUNKS) {
      throw new ExhaustedException(
          "mem fragment holds " + chunkCount + " chunks, its most: flush it before writing on");
    }
    byte[] chunk = new byte[size];
    byte[][] all = chunks;
    if (chunkCount == all.length) {
      all = Arrays.copyOf(all, chunkCount * 2);
    }
    all[chunkCount] = chunk;
    // A reader may see the longer array before anything that tells of it: it must not be found
    // empty.
    VarHandle.releaseFence();
    chunks = all;
    chunkCount++;
    bytes += size + ARRAY_HEADER;
    return chunk;
  }
}
