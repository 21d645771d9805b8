package io.stele.engine.disk;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;

/**
 * How fragments are written.
 *
 * @param blockSize uncompressed bytes at which a data block is closed
 * @param label kept with the file's properties, for the caller; may be empty
 */
public record FragmentSettings(Codec codec, int blockSize, Bytes label) {
  public static final FragmentSettings DEFAULT = new FragmentSettings(Codec.NONE, 8 << 10);

  private static final int SMALLEST_BLOCK = 64;
  private static final int LARGEST_BLOCK = 16 << 20;

  /** Without a label. */
  public FragmentSettings(Codec codec, int blockSize) {
    this(codec, blockSize, Bytes.EMPTY);
  }

  public FragmentSettings {
    if (blockSize < SMALLEST_BLOCK || blockSize > LARGEST_BLOCK) {
      throw new InvalidRequestException(
          "block size of "
              + blockSize
              + " bytes: must be "
              + SMALLEST_BLOCK
              + " to "
              + LARGEST_BLOCK);
    }
  }
}
