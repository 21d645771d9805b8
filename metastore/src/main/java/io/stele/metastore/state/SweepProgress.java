package io.stele.metastore.state;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.FieldCodec;
import io.stele.metastore.key.KeyRange;

/**
 * What a {@link Sweep} has deleted so far, stored with each part of it.
 *
 * <pre>
 *   progress := count(varint) range      (forms: FieldCodec)
 * </pre>
 *
 * @param count of the keys
 * @param range from the first of them to behind the last; empty if there are none
 */
record SweepProgress(long count, KeyRange range) {
  static final SweepProgress NONE = new SweepProgress(0, new KeyRange(Bytes.EMPTY, Bytes.EMPTY));

  /** With one more key, which comes after the others. */
  SweepProgress and(Bytes key) {
    return new SweepProgress(
        count + 1, new KeyRange(count == 0 ? key : range.from(), key.successor()));
  }

  Bytes encode() {
    ByteBuilder out = new ByteBuilder(64);
    out.putVarint(count);
    FieldCodec.putRange(out, range);
    return out.toBytes();
  }

  static SweepProgress decode(Bytes stored) {
    ByteReader in = new ByteReader(stored.sharedArray(), 0, stored.length());
    try {
      return new SweepProgress(in.readVarint(), FieldCodec.readRange(in));
    } catch (Malformed e) {
      throw Rows.corrupt(Rows.SWEEP, e);
    }
  }
}
