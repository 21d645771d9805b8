package io.stele.bench.engine;

import io.stele.base.bytes.Binary;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The records that both sides store, each a function of its number, so that every answer can be
 * checked and a larger set holds the smaller one.
 *
 * <ul>
 *   <li>The key has 16 bytes in no order: consecutive numbers are apart, no two are equal.
 *   <li>The value is a slice of a megabyte of bytes of which every second 16 repeat the 16 before,
 *       so that it compresses to a little over half.
 * </ul>
 */
final class Records {
  static final int KEY_BYTES = 16;
  static final int SMALLEST_VALUE = 8; // its first eight bytes are checked
  static final int LARGEST_VALUE = 1 << 19;

  private static final int POOL_BYTES = 1 << 20;
  private static final int PIECE = 16;
  private static final byte[] POOL = pool();

  /**
   * Where results go that nobody needs, so that the compiler cannot leave out the work for them.
   */
  private static volatile long kept;

  private final int valueSize;
  private final long count;
  private @Nullable Long expectedFold; // guarded by this

  Records(int valueSize, long count) {
    if (valueSize < SMALLEST_VALUE || valueSize > LARGEST_VALUE || count < 1) {
      throw new IllegalArgumentException(
          count
              + " records with values of "
              + valueSize
              + " bytes: at least 1, and "
              + SMALLEST_VALUE
              + " to "
              + LARGEST_VALUE
              + " bytes");
    }
    this.valueSize = valueSize;
    this.count = count;
  }

  private static byte[] pool() {
    byte[] pool = new byte[POOL_BYTES];
    new SplittableRandom(42).nextBytes(pool);
    for (int at = PIECE; at < POOL_BYTES; at += 2 * PIECE) {
      System.arraycopy(pool, at - PIECE, pool, at, PIECE);
    }
    return pool;
  }

  int valueSize() {
    return valueSize;
  }

  long count() {
    return count;
  }

  /** Bytes of keys and values. */
  long bytes() {
    return count * (KEY_BYTES + valueSize);
  }

  /** The value size as it stands in the names of cases. */
  static String label(int valueSize) {
    return valueSize % 1024 == 0 ? valueSize / 1024 + "KB" : valueSize + "B";
  }

  void key(long record, byte[] target) {
    long first = mix(record);
    Binary.putLongBigEndian(target, 0, first);
    Binary.putLongBigEndian(target, 8, mix(first));
  }

  /** Where the values are slices of; never to be written to. */
  byte[] values() {
    return POOL;
  }

  int valueOffset(long record) {
    return (int) Math.unsignedMultiplyHigh(mix(~record), POOL_BYTES - valueSize);
  }

  /** Fails unless this is the record's value, by its length and its first eight bytes. */
  void check(long record, byte[] array, int offset, int length) {
    check(record, length, length < SMALLEST_VALUE ? 0 : Binary.getLong(array, offset));
  }

  void check(long record, int length, long firstBytes) {
    if (length != valueSize || firstBytes != Binary.getLong(POOL, valueOffset(record))) {
      throw new IllegalStateException(
          "record "
              + record
              + " came back with "
              + length
              + " bytes of a value of "
              + valueSize
              + ", the first eight "
              + Long.toHexString(firstBytes));
    }
  }

  /** Fails unless a walk over all records has seen them all: see {@link #fold}. */
  void checkScan(long rows, long fold) {
    if (rows != count || fold != expectedFold()) {
      throw new IllegalStateException(
          "a scan of "
              + count
              + " records saw "
              + rows
              + ", folded to "
              + Long.toHexString(fold)
              + " instead of "
              + Long.toHexString(expectedFold()));
    }
  }

  /** Worked out at the first scan, which is a warm-up. */
  private synchronized long expectedFold() {
    if (expectedFold == null) {
      long fold = 0;
      byte[] key = new byte[KEY_BYTES];
      for (long record = 0; record < count; record++) {
        key(record, key);
        fold ^= fold(key, 0, KEY_BYTES) ^ fold(POOL, valueOffset(record), valueSize);
      }
      expectedFold = fold;
    }
    return expectedFold;
  }

  /**
   * Reads every byte: all eight-byte words of a slice, and the bytes behind them, by exclusive or.
   */
  static long fold(byte[] array, int offset, int length) {
    long fold = 0;
    int at = offset;
    int end = offset + length;
    for (; at + 8 <= end; at += 8) {
      fold ^= Binary.getLong(array, at);
    }
    for (; at < end; at++) {
      fold ^= array[at];
    }
    return fold;
  }

  /** The same of the first bytes of a little-endian buffer. */
  static long fold(ByteBuffer buffer, int length) {
    long fold = 0;
    int at = 0;
    for (; at + 8 <= length; at += 8) {
      fold ^= buffer.getLong(at);
    }
    for (; at < length; at++) {
      fold ^= buffer.get(at);
    }
    return fold;
  }

  static void keep(long result) {
    kept = result;
  }

  static long kept() {
    return kept;
  }

  /** A bijection of 64 bits that leaves no order: the finalizer of SplittableRandom's kind. */
  private static long mix(long number) {
    long z = (number + 1) * 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
