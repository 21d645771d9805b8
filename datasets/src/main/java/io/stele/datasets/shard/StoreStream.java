package io.stele.datasets.shard;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.io.InputStream;

/** A file of a store from its start to its end, in large reads. One thread at a time. */
final class StoreStream extends InputStream {
  private static final int BUFFER_BYTES = 256 << 10;

  private final ReadableFile file;
  private final byte[] buffer;
  private long position; // of what follows the buffer
  private int at;
  private int filled;

  StoreStream(FileStore store, FilePath path) throws IOException {
    this.file = store.open(path);
    this.buffer = new byte[Math.clamp(file.length(), 1, BUFFER_BYTES)];
  }

  /** How many bytes of the file have been handed out. */
  long position() {
    return position - (filled - at);
  }

  long length() {
    return file.length();
  }

  private boolean fill() throws IOException {
    if (at < filled) {
      return true;
    }
    int count = (int) Math.min(buffer.length, file.length() - position);
    if (count <= 0) {
      return false;
    }
    file.read(position, buffer, 0, count);
    position += count;
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
  public int available() {
    // Else the JDK takes the first part of a gzip file that is made of several for the whole.
    return filled - at > 0 || position < file.length() ? 1 : 0;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
