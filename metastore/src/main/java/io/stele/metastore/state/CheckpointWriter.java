package io.stele.metastore.state;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.Crc32c;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.engine.Snapshot;
import io.stele.engine.Store;
import io.stele.metastore.raft.Position;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.CRC32C;

/** Writes a state as {@link CheckpointFormat} draws it. */
final class CheckpointWriter {
  private static final int BLOCK_BYTES = 256 << 10;

  private final OutputStream out;
  private final CRC32C whole = new CRC32C();
  private long blocks;
  private long cells;

  CheckpointWriter(OutputStream out) {
    this.out = out;
  }

  void write(Store store, Snapshot snapshot, Position position, long revision) throws IOException {
    ByteBuilder header = new ByteBuilder(CheckpointFormat.HEADER);
    header.putInt(CheckpointFormat.MAGIC).putInt(CheckpointFormat.VERSION);
    header.putLong(position.term()).putLong(position.index()).putLong(revision);
    header.putInt(Crc32c.of(header.array(), 0, header.length()));
    write(header.array(), 0, header.length());
    try (ReadableCells readable = new ReadableCells(store, snapshot)) {
      CellBatchBuilder block = new CellBatchBuilder();
      long bytes = 0;
      while (readable.next()) {
        block.add(readable.cell().toCell());
        bytes += readable.cell().size();
        if (bytes >= BLOCK_BYTES) {
          writeBlock(block.build());
          block = new CellBatchBuilder();
          bytes = 0;
        }
      }
      if (block.size() > 0) {
        writeBlock(block.build());
      }
    }
    writeTrailer();
  }

  private void writeBlock(CellBatch batch) throws IOException {
    ByteBuilder head = new ByteBuilder(8);
    head.putInt(batch.length());
    head.putInt(Crc32c.of(batch.array(), batch.offset(), batch.length()));
    write(head.array(), 0, head.length());
    write(batch.array(), batch.offset(), batch.length());
    blocks++;
    cells += batch.cellCount();
  }

  private void writeTrailer() throws IOException {
    ByteBuilder trailer = new ByteBuilder(CheckpointFormat.TRAILER);
    trailer.putInt(0).putLong(blocks).putLong(cells);
    whole.update(trailer.array(), 0, trailer.length());
    trailer.putInt((int) whole.getValue());
    out.write(trailer.array(), 0, trailer.length());
    out.flush();
  }

  private void write(byte[] array, int offset, int length) throws IOException {
    whole.update(array, offset, length);
    out.write(array, offset, length);
  }
}
