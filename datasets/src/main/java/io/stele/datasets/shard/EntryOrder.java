package io.stele.datasets.shard;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * From which file of a version each entry of a log comes. Files are read side by side, so entries
 * of several stand in the log as they happened to come; of those with one key the same must count
 * on every node: the last one of the last file.
 *
 * <p>Entries of one file that follow each other are a run. Runs are kept in a file beside the log,
 * which exists only while the log has more than one, and not once there is an index:
 *
 * <pre>
 * order = { run }
 * run   = where it begins in the log i64, number of its file i32      little endian, 12 bytes
 * </pre>
 *
 * <p>One thread at a time.
 */
final class EntryOrder implements Closeable {
  private static final int RUN_BYTES = Long.BYTES + Integer.BYTES;
  private static final int BUFFER_BYTES = 340 * RUN_BYTES;
  private static final ValueLayout.OfLong ADDRESS =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt FILE =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Path log;
  private final Path path;
  private final Path copy; // of the log, while it is sorted
  private final ByteBuffer buffer =
      ByteBuffer.allocate(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private @Nullable Arena arena; // of the thread that finishes it
  private MemorySegment runs = MemorySegment.NULL;
  private long written;
  private int last = -1; // the file of the run at the end
  private boolean ascending = true;

  /** The order of a log without entries, over what is there. */
  EntryOrder(Path log) throws IOException {
    this.log = log;
    this.path = log.resolveSibling(log.getFileName() + ".order");
    this.copy = log.resolveSibling(log.getFileName() + ".sorted");
    delete();
  }

  /** The next entry of the log comes from a file. */
  void add(long address, int file) throws IOException {
    if (file == last) {
      return;
    }
    ascending &= file > last;
    last = file;
    if (buffer.remaining() < RUN_BYTES) {
      drain();
    }
    buffer.putLong(address).putInt(file);
  }

  private void drain() throws IOException {
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      buffer.flip();
      while (buffer.hasRemaining()) {
        written += channel.write(buffer, written);
      }
      buffer.clear();
    }
  }

  /** Whether of two entries the one that comes later in the log is that of the later file, too. */
  boolean isThatOfTheLog() {
    return ascending;
  }

  /** To be called when all entries are there, and before the rest. */
  void finish() throws IOException {
    if (written == 0) {
      runs = MemorySegment.ofArray(Arrays.copyOf(buffer.array(), buffer.position()));
      return;
    }
    drain();
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      Arena mapped = Arena.ofConfined();
      arena = mapped;
      runs = channel.map(FileChannel.MapMode.READ_ONLY, 0, written, mapped);
    }
  }

  /** Whether an entry counts more than another with its key, which comes before it in the log. */
  boolean counts(long address, long earlier) {
    return ascending || file(find(address)) >= file(find(earlier));
  }

  /** The run that an entry is in. */
  private long find(long address) {
    long low = 0;
    long high = count() - 1;
    while (low < high) {
      long middle = (low + high + 1) >>> 1;
      if (start(middle) <= address) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  private long count() {
    return runs.byteSize() / RUN_BYTES;
  }

  private long start(long run) {
    return runs.get(ADDRESS, run * RUN_BYTES);
  }

  private int file(long run) {
    return runs.get(FILE, run * RUN_BYTES + Long.BYTES);
  }

  /**
   * Rewrites the log with its entries in the order of their files. Sparkey's own index maker takes
   * the last entry of a key in the log.
   */
  void sortLog() throws IOException {
    int count = Math.toIntExact(count());
    long[] sorted = new long[count]; // by file, then by place
    for (int run = 0; run < count; run++) {
      sorted[run] = ((long) file(run) << Integer.SIZE) | run;
    }
    Arrays.sort(sorted);
    try (FileChannel from = FileChannel.open(log, StandardOpenOption.READ);
        FileChannel to =
            FileChannel.open(
                copy,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
      transfer(from, 0, ShardLog.HEAD_BYTES, to);
      for (long each : sorted) {
        int run = (int) each;
        transfer(from, start(run), run + 1 < count ? start(run + 1) : from.size(), to);
      }
    }
    Files.move(copy, log, StandardCopyOption.REPLACE_EXISTING);
  }

  private static void transfer(FileChannel from, long begin, long end, FileChannel to)
      throws IOException {
    for (long at = begin; at < end; ) {
      at += from.transferTo(at, end - at, to);
    }
  }

  /** Forgets all of it. */
  @Override
  public void close() throws IOException {
    if (arena != null) {
      arena.close();
      arena = null;
    }
    delete();
  }

  private void delete() throws IOException {
    Files.deleteIfExists(path);
    Files.deleteIfExists(copy);
  }
}
