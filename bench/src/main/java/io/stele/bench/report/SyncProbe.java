package io.stele.bench.report;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;

/**
 * How long a disk takes to make a small append durable: what bounds every synced write.
 *
 * @param p50Micros the middle of all appends
 * @param p99Micros exceeded by one in a hundred
 */
record SyncProbe(double p50Micros, double p99Micros) {
  private static final int APPENDS = 200;
  private static final int BYTES = 512;

  static SyncProbe measure(Path directory) throws IOException {
    Path file = Files.createTempFile(directory, "sync-probe-", ".bin");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      ByteBuffer record = ByteBuffer.allocateDirect(BYTES);
      double[] micros = new double[APPENDS];
      for (int i = 0; i < APPENDS; i++) {
        record.clear();
        long start = System.nanoTime();
        while (record.hasRemaining()) {
          channel.write(record);
        }
        channel.force(false);
        micros[i] = (System.nanoTime() - start) / 1e3;
      }
      Arrays.sort(micros);
      return new SyncProbe(micros[APPENDS / 2], micros[APPENDS * 99 / 100]);
    } finally {
      Files.delete(file);
    }
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "fsync of a %d-byte append p50 %.0f µs, p99 %.0f µs",
        BYTES,
        p50Micros,
        p99Micros);
  }
}
