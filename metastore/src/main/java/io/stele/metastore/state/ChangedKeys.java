package io.stele.metastore.state;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.metastore.command.FieldCodec;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The keys that a revision changed, in order: for watches that catch up, and for reclaiming. Of a
 * {@link Sweep} only the range: the keys are those that have a version of the revision.
 *
 * <pre>
 *   changed := list of key(bytes), not empty | 0(1) range    (forms: FieldCodec)
 * </pre>
 */
final class ChangedKeys {
  private static final byte SWEPT = 0;

  private ChangedKeys() {}

  static Bytes encode(Collection<Bytes> keys) {
    ByteBuilder out = new ByteBuilder(16 + 32 * keys.size());
    FieldCodec.putList(out, new ArrayList<>(keys), ByteBuilder::putSized);
    return out.toBytes();
  }

  static Bytes encode(KeyRange swept) {
    ByteBuilder out = new ByteBuilder(64);
    out.putByte(SWEPT);
    FieldCodec.putRange(out, swept);
    return out.toBytes();
  }

  /** The range, if the revision was a sweep. */
  static Optional<KeyRange> swept(long revision, CellView cell) {
    if (cell.valueLength == 0 || cell.valueArray[cell.valueOffset] != SWEPT) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          FieldCodec.readRange(
              new ByteReader(cell.valueArray, cell.valueOffset + 1, cell.valueLength - 1)));
    } catch (Malformed e) {
      throw Rows.corrupt(Rows.change(revision), e);
    }
  }

  static List<Bytes> decode(long revision, CellView cell) {
    return decode(revision, cell.valueArray, cell.valueOffset, cell.valueLength);
  }

  private static List<Bytes> decode(long revision, byte[] array, int offset, int length) {
    try {
      return FieldCodec.readList(
          new ByteReader(array, offset, length), "keys", in -> in.readSized("key"));
    } catch (Malformed e) {
      throw Rows.corrupt(Rows.change(revision), e);
    }
  }
}
