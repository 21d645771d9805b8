package io.stele.bench.metastore;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.stele.base.bytes.Binary;
import java.util.Arrays;

/**
 * Numbered keys in one directory, and the values that they may have: both are made from numbers, so
 * that a value that is read can be told from a wrong one without being remembered.
 *
 * <pre>
 * key    directory '/' number as ten digits
 * value  number (8) edition (8), then bytes that follow from both
 * </pre>
 *
 * @param directory an absolute path, without a slash at its end
 * @param count of the keys, numbered from 0
 * @param valueBytes of every value
 */
record KeySet(String directory, long count, int valueBytes) {
  private static final int DIGITS = 10;
  static final long MOST = 10_000_000_000L;
  private static final int HEAD_BYTES = 16;

  KeySet {
    if (!directory.startsWith("/") || directory.endsWith("/")) {
      throw new IllegalArgumentException(
          "directory '%s' must start with a slash and not end with one".formatted(directory));
    }
    if (count < 1 || count > MOST || valueBytes < HEAD_BYTES) {
      throw new IllegalArgumentException(
          "%d keys with values of %d bytes: 1 to %d keys and at least %d bytes are possible"
              .formatted(count, valueBytes, MOST, HEAD_BYTES));
    }
  }

  byte[] key(long number) {
    byte[] key = new byte[directory.length() + 1 + DIGITS];
    int at = directory.length();
    System.arraycopy(directory.getBytes(ISO_8859_1), 0, key, 0, at);
    key[at] = '/';
    long rest = number;
    for (int digit = key.length - 1; digit > at; digit--) {
      key[digit] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    return key;
  }

  /** What is before all keys, and what is behind them. */
  byte[] first() {
    return (directory + "/").getBytes(ISO_8859_1);
  }

  byte[] end() {
    return (directory + "0").getBytes(ISO_8859_1); // the character after the slash
  }

  byte[] value(long number, long edition) {
    byte[] value = new byte[valueBytes];
    Binary.putLong(value, 0, number);
    Binary.putLong(value, 8, edition);
    long mix = number * 0x9E3779B97F4A7C15L + edition;
    for (int i = HEAD_BYTES; i < valueBytes; i++) {
      mix = mix * 6364136223846793005L + 1442695040888963407L;
      value[i] = (byte) (mix >>> 56);
    }
    return value;
  }

  /**
   * The edition of a value that was read.
   *
   * @throws WrongAnswerException if nobody can have put it under this key
   */
  long edition(long number, byte[] found) {
    if (found.length == valueBytes) {
      long edition = Binary.getLong(found, 8);
      if (Arrays.equals(found, value(number, edition))) {
        return edition;
      }
    }
    throw new WrongAnswerException(
        "key %s/%010d has a value of %d bytes that was never put"
            .formatted(directory, number, found.length));
  }

  /** Checks a key and a value that were read where the key of this number was expected. */
  void check(long number, byte[] foundKey, byte[] foundValue) {
    if (!Arrays.equals(foundKey, key(number))) {
      throw new WrongAnswerException(
          "key %s/%010d was asked for and '%s' found"
              .formatted(directory, number, new String(foundKey, ISO_8859_1)));
    }
    long _ = edition(number, foundValue);
  }

  /** Checks how many keys were found. */
  void checkCount(long first, int expected, int found) {
    if (found != expected) {
      throw new WrongAnswerException(
          "%d keys from %s/%010d on were asked for and %d found"
              .formatted(expected, directory, first, found));
    }
  }

  /** The number of a key of this directory. */
  long number(byte[] key) {
    long number = 0;
    for (int i = directory.length() + 1; i < key.length; i++) {
      number = number * 10 + (key[i] - '0');
    }
    if (number < 0 || number >= count || !Arrays.equals(key, key(number))) {
      throw new WrongAnswerException(
          "key '%s' was never put".formatted(new String(key, ISO_8859_1)));
    }
    return number;
  }
}
