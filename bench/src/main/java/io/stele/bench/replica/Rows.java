package io.stele.bench.replica;

import io.stele.base.bytes.Bytes;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** What is written: rows spread over all of a table, each with one value that does not compress. */
final class Rows {
  /** Of rates: as long as what many write. */
  static final int SMALL_VALUE = 100;

  /** Of tables that are copied. */
  static final int LARGE_VALUE = 1_000;

  /** Where a table is parted, so that each of three servers has something to do. */
  static final List<Bytes> SPLITS =
      List.of(Bytes.utf8("5555555555555555"), Bytes.utf8("aaaaaaaaaaaaaaaa"));

  private static final byte[] POOL = pool();
  private static final int POOL_BYTES = 1 << 20;
  private static final long SCATTER = 0x9e3779b97f4a7c15L;

  private Rows() {}

  private static byte[] pool() {
    byte[] pool = new byte[POOL_BYTES + LARGE_VALUE];
    new SplittableRandom(20_261_116).nextBytes(pool);
    return pool;
  }

  static Bytes key(long record) {
    return Bytes.utf8(text(record));
  }

  /** Neighbours in number are none in the table. */
  static String text(long record) {
    return "%016x".formatted((record + 1) * SCATTER);
  }

  /** Another one for each edition. */
  static Bytes value(long edition, int bytes) {
    int offset = (int) Long.remainderUnsigned(edition * SCATTER, POOL_BYTES);
    return Bytes.wrap(Arrays.copyOfRange(POOL, offset, offset + bytes));
  }
}
