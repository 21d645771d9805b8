package io.stele.engine.disk;

import io.stele.base.error.InvalidRequestException;

/**
 * How fragments are written.
 *
 * @param blockSize uncompressed bytes at which a data block is closed
 */
public record FragmentSettings(Codec codec, int blockSize) {
  public static final FragmentSettings DEFAULT = new FragmentSettings(Codec.NONE, 8 << 10);

  private static final int SMALLEST_BLOCK = 64;
  private static final int LARGEST_BLOCK = 16 << 20;

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
