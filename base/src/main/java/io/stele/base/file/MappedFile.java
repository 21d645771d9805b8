package io.stele.base.file;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A local file read through a memory mapping.
 *
 * <p>The mapping outlives the file descriptor, the name and even the file, so nothing but {@link
 * #close} ends it, and an interrupted reader does not close it under the others as it would a
 * {@link FileChannel}. A shared arena makes a read that races with the close fail cleanly.
 */
final class MappedFile implements ReadableFile {
  private final FilePath path;
  private final Arena arena;
  private final MemorySegment content;

  private MappedFile(FilePath path, Arena arena, MemorySegment content) {
    this.path = path;
    this.arena = arena;
    this.content = content;
  }

  /** Maps all of an open file; the channel may be closed afterwards. */
  static MappedFile map(FilePath path, FileChannel channel, long length) throws IOException {
    Arena arena = Arena.ofShared();
    boolean mapped = false;
    try {
      // The operating system maps no empty range.
      MemorySegment content =
          length == 0
              ? arena.allocate(0)
              : channel.map(FileChannel.MapMode.READ_ONLY, 0, length, arena);
      mapped = true;
      return new MappedFile(path, arena, content);
    } finally {
      if (!mapped) {
        arena.close();
      }
    }
  }

  @Override
  public FilePath path() {
    return path;
  }

  @Override
  public long length() {
    return content.byteSize();
  }

  @Override
  public void read(long position, byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    checkRange(path, position, length, content.byteSize());
    if (!arena.scope().isAlive()) {
      throw closed(null);
    }
    try {
      MemorySegment.copy(content, ValueLayout.JAVA_BYTE, position, target, offset, length);
    } catch (IllegalStateException e) {
      throw closed(e);
    } catch (InternalError e) {
      // How the JVM reports a page that the file system could not deliver: a bad sector, or a file
      // that someone cut short after it was mapped.
      throw new IOException(
          "cannot read " + length + " bytes at " + position + " of " + path + ": I/O error", e);
    }
  }

  private IOException closed(@Nullable Throwable cause) {
    return new IOException("cannot read " + path + ": it was closed", cause);
  }

  /** Refuses a read that does not lie in the file. */
  static void checkRange(FilePath path, long position, int length, long fileLength)
      throws EOFException {
    if (position < 0) {
      throw new IndexOutOfBoundsException("position " + position + " in " + path + " is negative");
    }
    if (position > fileLength - length) {
      throw new EOFException(
          "cannot read "
              + length
              + " bytes at "
              + position
              + " of "
              + path
              + ": it ends at "
              + fileLength);
    }
  }

  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      try {
        arena.close();
      } catch (IllegalStateException e) {
        if (arena.scope().isAlive()) {
          throw e;
        }
        // Closed by another thread in between, which is all that was asked for.
      }
    }
  }
}
