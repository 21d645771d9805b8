package io.stele.bench.dataset;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.VersionOutput;
import io.stele.datasets.version.VersionOutputs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;

/** The records of all versions: a hundred bytes each, of which sixteen are the key. */
final class BenchRecords {
  static final int BYTES = 100;
  static final String DATASET = "bench";
  static final int SHARDS = 16;

  private static final int KEY_BYTES = 16;
  private static final int LOWEST = '0';
  private static final int LETTERS = 64; // from there on, none of which is a tab or a line feed

  private BenchRecords() {}

  /** As {@code wrk} is told to ask for it. */
  static final String KEY_FORMAT = "key%013d";

  static byte[] key(long number) {
    byte[] key = new byte[KEY_BYTES];
    long rest = number;
    for (int i = KEY_BYTES - 1; i > 2; i--) {
      key[i] = (byte) (LOWEST + rest % 10);
      rest /= 10;
    }
    key[0] = 'k';
    key[1] = 'e';
    key[2] = 'y';
    return key;
  }

  static byte[] value(long number) {
    SplittableRandom random = new SplittableRandom(number);
    byte[] value = new byte[BYTES - KEY_BYTES];
    for (int i = 0; i < value.length; i += 8) {
      long bits = random.nextLong();
      for (int j = i; j < Math.min(i + 8, value.length); j++) {
        value[j] = (byte) (LOWEST + (bits & (LETTERS - 1)));
        bits >>>= 8;
      }
    }
    return value;
  }

  /** Writes a version as {@code stele dataset build} would; answers how many bytes it has. */
  static long write(Path source, String version, int records, VersionOutput.Format format)
      throws IOException {
    try (VersionOutput output =
        new VersionOutputs().create(source.toString(), DATASET, version, SHARDS, format)) {
      for (int i = 0; i < records; i++) {
        output.put(Bytes.wrap(key(i)), Bytes.wrap(value(i)));
      }
      return output.finish().bytes();
    }
  }

  /** Whether something is the value of a record. */
  static void check(long number, byte[] found) {
    if (!Arrays.equals(found, value(number))) {
      throw new IllegalStateException(
          "key %s: found '%s', which is not its value"
              .formatted(
                  new String(key(number), StandardCharsets.US_ASCII),
                  new String(found, StandardCharsets.ISO_8859_1)));
    }
  }
}
