package io.stele.base.file;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A local file read by seeking, for files that cannot be mapped (a file system without mappings, or
 * a process that has used up all it may have).
 *
 * <p>One reader at a time, which is slow, but on purpose not a {@link
 * java.nio.channels.FileChannel}: an interrupt of one reading thread would close it for all others.
 */
final class SeekingFile implements ReadableFile {
  private final FilePath path;
  private final long length;
  private final RandomAccessFile file;
  private final ReentrantLock lock = new ReentrantLock();

  private SeekingFile(FilePath path, long length, RandomAccessFile file) {
    this.path = path;
    this.length = length;
    this.file = file;
  }

  static SeekingFile open(FilePath path, Path location) throws IOException {
    RandomAccessFile file = new RandomAccessFile(location.toFile(), "r");
    boolean opened = false;
    try {
      SeekingFile result = new SeekingFile(path, file.length(), file);
      opened = true;
      return result;
    } finally {
      if (!opened) {
        file.close();
      }
    }
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
    MappedFile.checkRange(path, position, count, length);
    lock.lock();
    try {
      file.seek(position);
      file.readFully(target, offset, count);
    } catch (IOException e) {
      throw new IOException(
          "cannot read " + count + " bytes at " + position + " of " + path + ": " + e.getMessage(),
          e);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      file.close();
    } finally {
      lock.unlock();
    }
  }
}
