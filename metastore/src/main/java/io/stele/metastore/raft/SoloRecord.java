package io.stele.metastore.raft;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.Bytes;

/**
 * A record of a single member's log.
 *
 * <pre>
 * record  = kind   1       1: an opening, 2: an entry
 *           term   varint
 *           index  varint
 *           entry  the rest; nothing in an opening
 * </pre>
 *
 * <p>An opening is the first record of a term and has a place in the log of its own, as the first
 * entry of a new leader has in a larger group. Indexes follow each other without a gap.
 */
sealed interface SoloRecord {
  Position position();

  /** The log was opened, and a new term began. */
  record Opening(Position position) implements SoloRecord {}

  /** Something that was proposed. */
  record Entry(Position position, Bytes entry) implements SoloRecord {}

  int OPENING = 1;
  int ENTRY = 2;

  /** The longest that {@link #writeTo} adds to an entry. */
  int OVERHEAD = 32;

  default void writeTo(ByteBuilder target) {
    switch (this) {
      case Opening(Position position) ->
          target.putByte(OPENING).putVarint(position.term()).putVarint(position.index());
      case Entry(Position position, Bytes entry) ->
          target.putByte(ENTRY).putVarint(position.term()).putVarint(position.index()).put(entry);
    }
  }

  static SoloRecord read(byte[] array, int offset, int length) throws ByteReader.Malformed {
    ByteReader reader = new ByteReader(array, offset, length);
    int kind = reader.readByte();
    long term = reader.readVarint();
    long index = reader.readVarint();
    if (term < 1 || index < 1) {
      throw reader.malformed("position " + term + ":" + index + ", both must be 1 or more");
    }
    Position position = new Position(term, index);
    return switch (kind) {
      case OPENING -> new Opening(position);
      case ENTRY -> new Entry(position, Bytes.copyOf(array, reader.position(), reader.remaining()));
      default -> throw new ByteReader.Malformed(0, "record of kind " + kind + ", must be 1 or 2");
    };
  }
}
