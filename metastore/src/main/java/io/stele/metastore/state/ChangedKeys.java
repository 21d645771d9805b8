package io.stele.metastore.state;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.FieldCodec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The keys that a revision changed, in order: for watches that catch up, and for reclaiming.
 *
 * <pre>
 *   changed := list of key(bytes)                            (forms: FieldCodec)
 * </pre>
 */
final class ChangedKeys {
  private ChangedKeys() {}

  static Bytes encode(Collection<Bytes> keys) {
    ByteBuilder out = new ByteBuilder(16 + 32 * keys.size());
    FieldCodec.putList(out, new ArrayList<>(keys), ByteBuilder::putSized);
    return out.toBytes();
  }

  static List<Bytes> decode(long revision, byte[] array, int offset, int length) {
    try {
      return FieldCodec.readList(
          new ByteReader(array, offset, length), "keys", in -> in.readSized("key"));
    } catch (Malformed e) {
      throw Rows.corrupt(Rows.change(revision), e);
    }
  }
}
