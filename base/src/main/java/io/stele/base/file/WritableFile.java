package io.stele.base.file;

import java.io.Closeable;
import java.io.IOException;

/**
 * A new file that grows at its end. One thread at a time.
 *
 * <p>What was written is durable, and so is the file's name, when {@link #sync} returns; before
 * that a crash may keep any part of it. After a failed call the file is in an unknown state: give
 * it up and write another one.
 */
public interface WritableFile extends Closeable {
  FilePath path();

  /** Bytes written so far. */
  long length();

  void write(byte[] source, int offset, int length) throws IOException;

  /**
   * Asks that the next {@code bytes} be made ready for cheap syncs, which a store may ignore. Until
   * {@link #close}, a reader (or a crash) may then find zeros behind the written part.
   */
  void preallocate(long bytes) throws IOException;

  /**
   * Makes all that was written so far, and the file's name, durable, and leaves the file open. A
   * store whose files appear only when they are complete (S3) cannot do this and says so.
   */
  void sync() throws IOException;

  /** Ends the file at its written length and makes it durable: for files written in one go. */
  void finish() throws IOException;

  /** Gives the file up, or ends it after a {@link #sync}, at its written length. Does not sync. */
  @Override
  void close() throws IOException;
}
