package io.stele.datasets.shard;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Writes an unpacked Sparkey log. The library's own writer would do, but it keeps two megabytes of
 * heap for each, and a node fills all its shards at once.
 *
 * <pre>
 * log    = head { entry }
 * head   = magic 0x49b39c95, major 1, minor 0, file id            each i32, little endian, as all
 *          puts, deletions, end of data, longest key, longest value, bytes of deletions    each i64
 *          packing 0, block size 0                                                         each i32
 *          bytes of puts i64, most entries in a block i32         84 bytes together
 * entry  = length of key + 1, length of value, key, value         lengths in 7-bit groups
 * </pre>
 *
 * <p>The head is written last; until then it is zeros, which nobody takes for a log. One thread at
 * a time.
 */
final class ShardLog implements Closeable {
  static final int HEAD_BYTES = 84;
  private static final int MAGIC = 0x49b39c95;
  private static final int BUFFER_BYTES = 64 << 10;

  private final FileChannel channel;
  private final int fileId;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int filled = HEAD_BYTES;
  private long written;
  private long puts;
  private long longestKey;
  private long longestValue;

  /**
   * What a log has.
   *
   * @param longestKey bytes
   * @param longestValue bytes
   */
  record Summary(int fileId, long puts, long longestKey, long longestValue) {}

  ShardLog(Path file, int fileId) throws IOException {
    this.channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
    this.fileId = fileId;
  }

  void put(byte[] key, byte[] value) throws IOException {
    length(key.length + 1);
    length(value.length);
    bytes(key);
    bytes(value);
    puts++;
    longestKey = Math.max(longestKey, key.length);
    longestValue = Math.max(longestValue, value.length);
  }

  /** Where the next entry begins. */
  long position() {
    return written + filled;
  }

  long puts() {
    return puts;
  }

  Summary summary() {
    return new Summary(fileId, puts, longestKey, longestValue);
  }

  private void length(int value) throws IOException {
    int rest = value;
    if (buffer.length - filled < 5) {
      drain();
    }
    while (rest > 0x7f || rest < 0) {
      buffer[filled++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    buffer[filled++] = (byte) rest;
  }

  private void bytes(byte[] source) throws IOException {
    if (source.length > buffer.length - filled) {
      drain();
    }
    if (source.length > buffer.length) {
      write(source, source.length);
    } else {
      System.arraycopy(source, 0, buffer, filled, source.length);
      filled += source.length;
    }
  }

  private void drain() throws IOException {
    write(buffer, filled);
    filled = 0;
  }

  private void write(byte[] source, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(source, 0, length);
    while (bytes.hasRemaining()) {
      written += channel.write(bytes, written);
    }
  }

  /** Writes what is left, and the head. Syncs nothing. */
  void finish() throws IOException {
    drain();
    ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    head.putInt(MAGIC).putInt(1).putInt(0).putInt(fileId);
    head.putLong(puts).putLong(0).putLong(written);
    head.putLong(longestKey).putLong(longestValue).putLong(0);
    head.putInt(0).putInt(0).putLong(written - HEAD_BYTES).putInt(1);
    head.flip();
    while (head.hasRemaining()) {
      channel.write(head, head.position());
    }
    close();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
