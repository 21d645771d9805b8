package io.stele.engine.disk;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.ByteBuilder;
import java.util.Arrays;

/**
 * A Bloom filter over the rows of one index leaf, in lines of 64 bytes: a row's bits all lie in one
 * line, so a test costs one cache miss.
 *
 * <pre>
 *   content := line(64)*               at least one; 8 little-endian longs each
 * </pre>
 *
 * A row's hash picks the line by its upper 32 bits, and one bit in each of the line's eight longs
 * by six bits each of a second mix. With {@value #BITS_PER_ROW} bits a row about 1 in 150 absent
 * rows passes. The hash is part of the file format and never changes.
 */
final class RowFilter {
  static final int BITS_PER_ROW = 12;
  private static final int LINE = 64;
  private static final long K0 = 0x9ae16a3b2f90404fL;
  private static final long K1 = 0xc3a5c85c97cb3127L;
  private static final long K2 = 0xb492b66fbe98f273L;

  private final byte[] bytes;
  private final int lines;

  RowFilter(byte[] bytes, int length) {
    this.bytes = bytes;
    this.lines = length / LINE;
  }

  int weight() {
    return bytes.length + 32;
  }

  boolean mayContain(long hash) {
    int line = line(hash, lines);
    long picks = picks(hash);
    for (int i = 0; i < 8; i++) {
      long word = Binary.getLong(bytes, line + 8 * i);
      if ((word >>> ((picks >>> (6 * i)) & 63) & 1) == 0) {
        return false;
      }
    }
    return true;
  }

  static long hash(byte[] array, int offset, int length) {
    long h = K2 ^ length;
    int at = offset;
    int left = length;
    while (left >= 8) {
      h = fold(h ^ Binary.getLong(array, at), K0);
      at += 8;
      left -= 8;
    }
    if (left > 0) {
      h = fold(h ^ Binary.prefix(array, at, left), K1);
    }
    return fold(h, K2);
  }

  /** The 128-bit product, its halves folded together. */
  private static long fold(long a, long b) {
    return Math.multiplyHigh(a, b) ^ (a * b);
  }

  private static int line(long hash, int lines) {
    return (int) (((hash >>> 32) * lines) >>> 32) * LINE;
  }

  private static long picks(long hash) {
    return fold(hash, K1);
  }

  /** Collects the rows of one leaf. */
  static final class Builder {
    private long[] hashes = new long[256];
    private int count;

    void add(byte[] array, int offset, int length) {
      if (count == hashes.length) {
        hashes = Arrays.copyOf(hashes, count * 2);
      }
      hashes[count++] = hash(array, offset, length);
    }

    ByteBuilder finish() {
      int lines = (int) Math.max(1, ((long) count * BITS_PER_ROW + 511) / 512);
      byte[] bytes = new byte[lines * LINE];
      for (int i = 0; i < count; i++) {
        int line = line(hashes[i], lines);
        long picks = picks(hashes[i]);
        for (int k = 0; k < 8; k++) {
          int at = line + 8 * k;
          long bit = 1L << ((picks >>> (6 * k)) & 63);
          Binary.putLong(bytes, at, Binary.getLong(bytes, at) | bit);
        }
      }
      return new ByteBuilder(bytes.length).put(bytes, 0, bytes.length);
    }

    void clear() {
      count = 0;
    }
  }
}
