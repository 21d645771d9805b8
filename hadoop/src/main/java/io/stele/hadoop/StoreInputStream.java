package io.stele.hadoop;

import io.stele.base.file.ReadableFile;
import java.io.EOFException;
import java.io.IOException;
import org.apache.hadoop.fs.FSInputStream;

/** A file of one of our stores as Hadoop's readers want it, in large reads. */
final class StoreInputStream extends FSInputStream {
  private static final int BUFFER_BYTES = 256 << 10;

  private final ReadableFile file;
  private final byte[] buffer;
  private long start; // of the buffer, in the file
  private int at;
  private int filled;

  StoreInputStream(ReadableFile file) {
    this.file = file;
    this.buffer = new byte[Math.clamp(file.length(), 1, BUFFER_BYTES)];
  }

  private boolean fill() throws IOException {
    if (at < filled) {
      return true;
    }
    long next = start + filled;
    int count = (int) Math.min(buffer.length, file.length() - next);
    if (count <= 0) {
      return false;
    }
    file.read(next, buffer, 0, count);
    start = next;
    at = 0;
    filled = count;
    return true;
  }

  @Override
  public int read() throws IOException {
    return fill() ? buffer[at++] & 0xff : -1;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int count = Math.min(length, filled - at);
    System.arraycopy(buffer, at, target, offset, count);
    at += count;
    return count;
  }

  @Override
  public void seek(long position) throws IOException {
    if (position < 0 || position > file.length()) {
      throw new EOFException(
          "cannot go to " + position + " in " + file.path() + ": it ends at " + file.length());
    }
    if (position >= start && position <= start + filled) {
      at = (int) (position - start);
    } else {
      start = position;
      at = 0;
      filled = 0;
    }
  }

  @Override
  public long getPos() {
    return start + at;
  }

  @Override
  public boolean seekToNewSource(long target) {
    return false;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
