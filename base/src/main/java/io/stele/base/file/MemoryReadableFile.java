package io.stele.base.file;

import java.io.IOException;
import java.util.Objects;

/** A file of a {@link MemoryFileStore}, open for reads. */
final class MemoryReadableFile implements ReadableFile {
  private final MemoryFileStore store;
  private final FilePath path;
  private final MemoryContent content;
  private final long length;
  private volatile boolean closed;

  MemoryReadableFile(MemoryFileStore store, FilePath path, MemoryContent content) {
    this.store = store;
    this.path = path;
    this.content = content;
    this.length = content.length();
  }

  @Override
  public FilePath path() {
    return path;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public void read(long position, byte[] target, int offset, int count) throws IOException {
    Objects.checkFromIndexSize(offset, count, target.length);
    // The file may have been cut since.
    MappedFile.checkRange(path, position, count, Math.min(length, content.length()));
    if (closed) {
      throw new IOException("cannot read " + path + ": it was closed");
    }
    store.check(StoreCall.READ);
    content.read((int) position, target, offset, count);
  }

  @Override
  public void close() {
    closed = true;
  }
}
