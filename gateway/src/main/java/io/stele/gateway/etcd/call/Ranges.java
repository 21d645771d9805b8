package io.stele.gateway.etcd.call;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.stele.base.bytes.Bytes;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.key.OpaqueKey;
import java.util.Arrays;

/**
 * Keys and ranges of etcd as the metastore knows them.
 *
 * <pre>
 *   range_end    keys
 *   empty        the one key
 *   one 0 byte   all from the key on
 *   else         from the key to before the end; none if the end is not behind the key
 * </pre>
 */
public final class Ranges {
  private static final ByteString NO_END = ByteString.copyFrom(new byte[1]);

  private Ranges() {}

  public static Bytes key(ByteString key) {
    return OpaqueKey.of(key.toByteArray());
  }

  /** A key without what sets it apart from paths. */
  public static ByteString bare(Bytes key) {
    return UnsafeByteOperations.unsafeWrap(key.sharedArray(), 1, key.length() - 1);
  }

  public static ByteString value(Bytes value) {
    return value.isEmpty()
        ? ByteString.EMPTY
        : UnsafeByteOperations.unsafeWrap(value.sharedArray());
  }

  public static Bytes value(ByteString value) {
    return value.isEmpty() ? Bytes.EMPTY : Bytes.wrap(value.toByteArray());
  }

  public static KeyRange of(ByteString key, ByteString rangeEnd) {
    byte[] from = key.toByteArray();
    if (rangeEnd.isEmpty()) {
      return KeyRange.of(OpaqueKey.of(from));
    }
    if (rangeEnd.equals(NO_END)) {
      return OpaqueKey.range(from, null);
    }
    byte[] to = rangeEnd.toByteArray();
    return OpaqueKey.range(from, Arrays.compareUnsigned(from, to) > 0 ? from : to);
  }

  /** All keys that begin with these bytes. */
  public static KeyRange prefix(ByteString prefix) {
    return KeyRange.prefix(key(prefix));
  }
}
