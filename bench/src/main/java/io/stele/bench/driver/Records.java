package io.stele.bench.driver;

import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Records as YCSB has them: ten fields of a hundred bytes, under keys that are hashes of the
 * records' numbers, so that neighbours in number are none in the table.
 */
public final class Records {
  public static final int FIELDS = 10;
  public static final int FIELD_BYTES = 100;

  /** What a record weighs, without its key and the names of its fields. */
  public static final int BYTES = FIELDS * FIELD_BYTES;

  /** The last rows of all parts of a table but the last, which make four about equal parts. */
  public static final List<String> SPLITS = List.of("user3", "user5", "user7");

  private static final long FNV_BASIS = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private Records() {}

  public static String key(long number) {
    return "user" + hash(number);
  }

  /** FNV-1a of the number's bytes, without its sign, as YCSB has it. */
  static long hash(long number) {
    long hash = FNV_BASIS;
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      hash = (hash ^ ((number >>> shift) & 0xff)) * FNV_PRIME;
    }
    return Math.abs(hash);
  }

  static byte[][] fields(RandomGenerator chance) {
    byte[][] fields = new byte[FIELDS][];
    for (int i = 0; i < FIELDS; i++) {
      fields[i] = field(chance);
    }
    return fields;
  }

  public static byte[] field(RandomGenerator chance) {
    byte[] field = new byte[FIELD_BYTES];
    chance.nextBytes(field);
    return field;
  }
}
