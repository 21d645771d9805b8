package io.stele.base.file;

import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The bytes of one file in memory, apart from its name, and how far they are durable.
 *
 * <pre>
 *   0 ....... synced ........ written ........ allocated
 *   | durable | in doubt      | durable zeros  |
 * </pre>
 *
 * <p>Changed under the store's lock. Readers take none: {@link #bytes} and {@link #length} are
 * published after the bytes they cover, and covered bytes change only by {@link #flip}.
 */
final class MemoryContent {
  private static final int SECTOR = 512;

  private volatile byte[] bytes;

  /** What a reader sees: the written part and the zeros allocated behind it. */
  private volatile long length;

  private int written;
  private int synced;

  /** End of zeros that a crash finds; they outlive a close, which does not sync the cut. */
  private int allocated;

  private volatile Instant modified;

  MemoryContent(Instant now) {
    this.bytes = new byte[0];
    this.modified = now;
  }

  /** A file that is durable as it stands. */
  MemoryContent(byte[] content, Instant now) {
    this.bytes = content.clone();
    this.length = content.length;
    this.written = content.length;
    this.synced = content.length;
    this.modified = now;
  }

  /** The same bytes, as durable as they are here. */
  MemoryContent copy() {
    MemoryContent copy = new MemoryContent(modified);
    copy.bytes = bytes.clone();
    copy.length = length;
    copy.written = written;
    copy.synced = synced;
    copy.allocated = allocated;
    return copy;
  }

  long length() {
    return length;
  }

  int written() {
    return written;
  }

  Instant modified() {
    return modified;
  }

  /** How many of {@code wanted} more bytes find their place already taken for this file. */
  int spare(int wanted) {
    return (int) Math.min(wanted, length - written);
  }

  void append(byte[] source, int offset, int count, Instant now) throws IOException {
    reserve((long) written + count);
    System.arraycopy(source, offset, bytes, written, count);
    written += count;
    length = Math.max(length, written);
    modified = now;
  }

  void allocate(long end) throws IOException {
    reserve(end);
    allocated = Math.max(allocated, (int) end);
    length = Math.max(length, end);
  }

  void sync() {
    synced = written;
  }

  /** Ends the file at its written length, for readers. */
  void cut() {
    length = written;
  }

  /** Makes the cut durable. */
  void syncCut() {
    cut();
    synced = written;
    allocated = 0;
  }

  void truncate(int newLength) {
    written = Math.min(written, newLength);
    synced = Math.min(synced, newLength);
    allocated = Math.min(allocated, newLength);
    length = Math.min(length, newLength);
    Arrays.fill(bytes, newLength, bytes.length, (byte) 0);
  }

  void flip(long bit) {
    bytes[(int) (bit / 8)] ^= (byte) (1 << (bit % 8));
  }

  void read(int position, byte[] target, int offset, int count) {
    System.arraycopy(bytes, position, target, offset, count);
  }

  /** What is left of the file after a crash. */
  MemoryContent survivor(CrashMode mode, SplittableRandom random) {
    return switch (mode.unsynced()) {
      case LOST -> new MemoryContent(prefix(synced, Math.max(synced, allocated)), modified);
      case PREFIX -> new MemoryContent(torn(mode.tail(), random), modified);
      case SECTORS -> new MemoryContent(scattered(random), modified);
      case KEPT -> copy();
    };
  }

  private byte[] torn(CrashMode.Tail tail, SplittableRandom random) {
    int kept = random.nextInt(synced, written + 1);
    int end = tail == CrashMode.Tail.NONE ? kept : written;
    byte[] result = prefix(kept, Math.max(end, allocated));
    if (tail == CrashMode.Tail.GARBAGE) {
      for (int i = kept; i < end; i++) {
        result[i] = (byte) random.nextInt();
      }
    }
    return result;
  }

  private byte[] scattered(SplittableRandom random) {
    int end = random.nextInt(synced, written + 1);
    byte[] result = prefix(end, Math.max(end, allocated));
    for (int start = synced; start < end; ) {
      int next = Math.min(end, (start / SECTOR + 1) * SECTOR);
      if (random.nextBoolean()) {
        Arrays.fill(result, start, next, (byte) 0);
      }
      start = next;
    }
    return result;
  }

  private byte[] prefix(int kept, int resultLength) {
    byte[] result = new byte[resultLength];
    System.arraycopy(bytes, 0, result, 0, kept);
    return result;
  }

  private void reserve(long end) throws IOException {
    if (end > Integer.MAX_VALUE - 8) {
      throw new IOException("no space left: a file in memory ends at 2 GiB, " + end + " asked for");
    }
    byte[] old = bytes;
    if (end > old.length) {
      long grown = Math.max(end, Math.min(Math.max(256L, old.length * 2L), Integer.MAX_VALUE - 8));
      bytes = Arrays.copyOf(old, (int) grown);
    }
  }
}
