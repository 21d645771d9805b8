package io.stele.metastore.state;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.metastore.raft.Position;

/**
 * The newest log entry whose effects are all before this cell, written when the state is flushed.
 *
 * <pre>
 *   applied := term(varint) index(varint) revision(varint)
 * </pre>
 *
 * <p>Commands of an entry have the transaction numbers {@code (index << 16) + 1, + 2, …}; the last
 * number of the entry, {@code + 0xffff}, is that of this cell.
 *
 * @param revision the newest at that place
 */
record AppliedPlace(Position position, long revision) {
  static final int LAST = 0xffff;

  static long txn(long index, int number) {
    return (index << 16) | number;
  }

  Bytes encode() {
    ByteBuilder out = new ByteBuilder(24);
    out.putVarint(position.term()).putVarint(position.index()).putVarint(revision);
    return out.toBytes();
  }

  /** The cell, to be written under the last number of the entry. */
  CellBatch batch() {
    return new CellBatchBuilder().put(Rows.APPLIED, Rows.OTHERS, Bytes.EMPTY, 0, encode()).build();
  }

  static AppliedPlace decode(Bytes stored) {
    ByteReader in = new ByteReader(stored.sharedArray(), 0, stored.length());
    try {
      return new AppliedPlace(new Position(in.readVarint(), in.readVarint()), in.readVarint());
    } catch (Malformed e) {
      throw Rows.corrupt(Rows.APPLIED, e);
    }
  }
}
