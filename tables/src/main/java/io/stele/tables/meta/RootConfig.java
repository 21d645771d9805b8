package io.stele.tables.meta;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.Bytes;
import io.stele.base.bytes.Crc32c;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellKind;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;

/**
 * The configuration of META0's one tablet as the root store keeps it: the same cells that a META
 * table would hold, so that log and fragments change together.
 *
 * <pre>
 *   root  := magic "SRT1"(4) crc32c(4) batch          (little-endian; the checksum is the batch's)
 *   batch := see CellBatch
 * </pre>
 */
public final class RootConfig {
  private static final int MAGIC = 'S' | 'R' << 8 | 'T' << 16 | '1' << 24;
  private static final int HEADER = 8;

  private RootConfig() {}

  public static Bytes encode(TabletConfig config) {
    if (!isRoot(config)) {
      throw new InvalidRequestException(
          config.key() + " in the root store: only the one tablet of META0 is kept there");
    }
    CellBatchBuilder cells = new CellBatchBuilder();
    TabletCells.save(config, cells);
    CellBatch batch = cells.build();
    return new ByteBuilder(HEADER + batch.length())
        .putInt(MAGIC)
        .putInt(Crc32c.of(batch.array(), batch.offset(), batch.length()))
        .put(batch.array(), batch.offset(), batch.length())
        .toBytes();
  }

  /** Undoes {@link #encode}; damage is a {@link CorruptDataException}. */
  public static TabletConfig decode(Bytes root) {
    byte[] array = root.toArray();
    if (array.length <= HEADER || Binary.getInt(array, 0) != MAGIC) {
      throw corrupt(0, "SRT1 and a checksum", root.length() + " bytes that begin otherwise");
    }
    int length = array.length - HEADER;
    int expected = Binary.getInt(array, 4);
    int found = Crc32c.of(array, HEADER, length);
    if (found != expected) {
      throw corrupt(HEADER, "CRC32C " + Integer.toHexString(expected), Integer.toHexString(found));
    }
    TabletConfig config = TabletCells.load(cells(array, length));
    if (!isRoot(config)) {
      throw corrupt(HEADER, "the tablet of META0", config.key().toString());
    }
    return config;
  }

  private static boolean isRoot(TabletConfig config) {
    return config.table().equals(TableNames.META0)
        && config.first().isEmpty()
        && config.last().isEmpty();
  }

  private static List<Cell> cells(byte[] array, int length) {
    List<Cell> puts = new ArrayList<>();
    try {
      CellBatch.Reader cells = CellBatch.parse(array, HEADER, length).read();
      while (cells.next()) {
        if (cells.cell().kind == CellKind.PUT) {
          puts.add(cells.cell().toCell());
        }
      }
    } catch (InvalidRequestException e) {
      throw corrupt(HEADER, "cells", String.valueOf(e.getMessage()));
    }
    if (puts.isEmpty()) {
      throw corrupt(HEADER, "cells", "none");
    }
    return puts;
  }

  private static CorruptDataException corrupt(int at, String expected, String found) {
    return new CorruptDataException("the root store", at, expected, found);
  }
}
