package io.stele.datasets.shard;

import io.stele.base.bytes.Bytes;
import java.io.InputStream;

/** What a shard says of a key. */
public sealed interface ShardEntry {
  /** It has the key. */
  record Value(Bytes value) implements ShardEntry {}

  /**
   * It has the key, and a value that is better read in pieces.
   *
   * @param content throws {@link io.stele.base.error.CorruptDataException} at a piece that is not
   *     as it was written, and {@link java.io.IOException} once the shard is let go
   */
  record Large(long length, InputStream content) implements ShardEntry {}

  /** It does not have the key. */
  record Missing() implements ShardEntry {}

  /** It cannot say without reading from the disk. */
  record OnDisk() implements ShardEntry {}
}
