package io.stele.hadoop;

import io.stele.base.file.FilePath;
import io.stele.base.file.ReadableFile;
import java.io.EOFException;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.hadoop.fs.FSDataInputStream;

/** A file of a Hadoop file system, read by position. */
final class HadoopReadableFile implements ReadableFile {
  private final FilePath path;
  private final FSDataInputStream input;
  private final long length;

  /** Readers share it; close waits for them, because some streams break under a racing close. */
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

  private boolean closed;

  HadoopReadableFile(FilePath path, FSDataInputStream input, long length) {
    this.path = path;
    this.input = input;
    this.length = length;
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
    if (position < 0) {
      throw new IndexOutOfBoundsException("position " + position + " in " + path + " is negative");
    }
    if (position > length - count) {
      throw new EOFException(reading(count, position) + ": it ends at " + length);
    }
    lock.readLock().lock();
    try {
      if (closed) {
        throw new IOException("cannot read " + path + ": it was closed");
      }
      if (count > 0) {
        input.readFully(position, target, offset, count);
      }
    } catch (EOFException e) {
      // It was long enough when it was opened, so this is no end of file but a loss.
      throw new IOException(reading(count, position) + ": it was " + length + " bytes long", e);
    } finally {
      lock.readLock().unlock();
    }
  }

  private String reading(int count, long position) {
    return "cannot read " + count + " bytes at " + position + " of " + path;
  }

  @Override
  public void close() throws IOException {
    lock.writeLock().lock();
    try {
      if (!closed) {
        closed = true;
        input.close();
      }
    } finally {
      lock.writeLock().unlock();
    }
  }
}
