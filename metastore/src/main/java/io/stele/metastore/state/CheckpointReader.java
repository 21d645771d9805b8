package io.stele.metastore.state;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.bytes.Crc32c;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellKind;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.engine.Store;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.raft.Position;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Reads what {@link CheckpointWriter} wrote. Nothing may be believed of it before all of it has
 * been read.
 */
final class CheckpointReader {
  private static final String NAME = "checkpoint of the metastore";

  private final InputStream in;
  private final CRC32C whole = new CRC32C();
  private final Position position;
  private final long revision;
  private long offset;
  private long blocks;
  private long cells;
  private boolean ended;

  /** Of log entries, and of revisions: more than a group makes between two backups. */
  static final long JUMP = 1L << 30;

  CheckpointReader(InputStream in) throws IOException {
    this.in = in;
    byte[] header = read(CheckpointFormat.HEADER, "a header");
    if (Binary.getInt(header, 0) != CheckpointFormat.MAGIC) {
      throw corrupt(0, "the magic STLC", "another");
    }
    int crcAt = CheckpointFormat.HEADER - 4;
    checkCrc(0, Binary.getInt(header, crcAt), Crc32c.of(header, 0, crcAt));
    if (Binary.getInt(header, 4) != CheckpointFormat.VERSION) {
      throw corrupt(
          4, "version " + CheckpointFormat.VERSION, String.valueOf(Binary.getInt(header, 4)));
    }
    try {
      position = new Position(Binary.getLong(header, 8), Binary.getLong(header, 16));
    } catch (InvalidRequestException e) {
      throw corrupt(8, "a place in the log", String.valueOf(e.getMessage()));
    }
    revision = Binary.getLong(header, 24);
  }

  /**
   * As {@link #readInto}, with a jump: the place in the log and the revision are far beyond all
   * that the group may have come to after the backup, so that no id of a session, no fencing token
   * and no revision is given twice. The past is compacted away, as it has a gap; the revision
   * itself has a change, of no key.
   */
  void readAheadInto(Store store) throws IOException {
    Position there = new Position(position.term(), position.index() + JUMP);
    long newest = revision + JUMP;
    CellBatch mark =
        new CellBatchBuilder()
            .put(
                Rows.change(newest),
                Rows.OTHERS,
                Bytes.EMPTY,
                0,
                ChangedKeys.encode(new KeyRange(Bytes.EMPTY, Bytes.EMPTY)))
            .put(Rows.COMPACTED, Rows.OTHERS, Bytes.EMPTY, 0, StateTables.number(newest))
            .build();
    readInto(store, there, newest, Optional.of(mark));
  }

  /**
   * Brings all of it into an empty store, and flushes it there. The store then says of itself that
   * it is at the checkpoint's place in the log.
   */
  void readInto(Store store) throws IOException {
    readInto(store, position, revision, Optional.empty());
  }

  private void readInto(Store store, Position there, long newest, Optional<CellBatch> last)
      throws IOException {
    long end = AppliedPlace.txn(there.index(), AppliedPlace.LAST);
    long txn = 0;
    for (Optional<CellBatch> block = next(); block.isPresent(); block = next()) {
      if (++txn == end) {
        throw corrupt(offset, "fewer than " + end + " blocks for its place in the log", "more");
      }
      store.applyLogged(block.get(), txn);
    }
    if (last.isPresent()) {
      store.applyLogged(last.get(), txn + 1); // below the end, which has jumped
    }
    store.applyLogged(new AppliedPlace(there, newest).batch(), end);
    store.flush();
  }

  /** The next cells; nothing when all have been read and everything was right. */
  private Optional<CellBatch> next() throws IOException {
    if (ended) {
      return Optional.empty();
    }
    long start = offset;
    int length = Binary.getInt(read(4, "a block or the end"), 0);
    if (length == 0) {
      end(start);
      return Optional.empty();
    }
    if (length < 0 || length > CellBatch.MAX_BYTES) {
      throw corrupt(start, "a block of up to " + CellBatch.MAX_BYTES + " bytes", "" + length);
    }
    int crc = Binary.getInt(read(4, "a checksum"), 0);
    byte[] bytes = read(length, "a block");
    checkCrc(start, crc, Crc32c.of(bytes, 0, length));
    CellBatch batch;
    try {
      batch = CellBatch.parse(bytes);
    } catch (InvalidRequestException e) {
      throw corrupt(start, "cells", String.valueOf(e.getMessage()));
    }
    CellBatch.Reader each = batch.read();
    while (each.next()) {
      if (each.cell().kind != CellKind.PUT) {
        throw corrupt(start, "values only", each.cell().toString());
      }
    }
    blocks++;
    cells += batch.cellCount();
    return Optional.of(batch);
  }

  private void end(long start) throws IOException {
    byte[] counts = read(16, "the counts at the end");
    int expected = (int) whole.getValue();
    int found = Binary.getInt(read(4, "the checksum at the end"), 0);
    checkCrc(start, found, expected);
    if (Binary.getLong(counts, 0) != blocks || Binary.getLong(counts, 8) != cells) {
      throw corrupt(
          start,
          Binary.getLong(counts, 0) + " blocks with " + Binary.getLong(counts, 8) + " cells",
          blocks + " with " + cells);
    }
    ended = true;
  }

  private byte[] read(int length, String what) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw corrupt(offset, what + " of " + length + " bytes", "the end after " + bytes.length);
    }
    offset += length;
    whole.update(bytes, 0, length);
    return bytes;
  }

  private static void checkCrc(long at, int stored, int computed) {
    if (stored != computed) {
      throw corrupt(
          at,
          "checksum " + Integer.toHexString(stored),
          "bytes with " + Integer.toHexString(computed));
    }
  }

  private static CorruptDataException corrupt(long at, String expected, String found) {
    return new CorruptDataException(NAME, at, expected, found);
  }
}
