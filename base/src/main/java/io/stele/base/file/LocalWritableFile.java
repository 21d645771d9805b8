package io.stele.base.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A new file on the local disk.
 *
 * <pre>
 *   0 ............ flushed ........ length ............ allocated
 *   | in the file  | in the buffer  | zeros on the disk |
 * </pre>
 */
final class LocalWritableFile implements WritableFile {
  private final FilePath path;
  private final FileChannel channel;
  private final Syncer syncer;
  private final NameSync nameSync;
  private final WriteBuffers buffers;

  /** Written but not yet in the file; null once the file is closed. */
  private @Nullable ByteBuffer buffer;

  /** Invariant: length == flushed + buffer.position(). */
  private long flushed;

  /** End of the zeros written ahead, 0 if there never were any. */
  private long allocated;

  /** How long the file is on the disk for certain; below 0 before the first sync. */
  private long durableLength = -1;

  private boolean nameDurable;

  /**
   * Set by the first failure. The kernel may have dropped the dirty pages of a failed sync and
   * report success to the next one, so no later call may claim that the file is in order.
   */
  private @Nullable IOException failure;

  /** Makes a file's name durable. */
  interface NameSync {
    void run() throws IOException;
  }

  /** A step that may fail. */
  private interface Step {
    void run(ByteBuffer pending) throws IOException;
  }

  LocalWritableFile(
      FilePath path, FileChannel channel, Syncer syncer, NameSync nameSync, WriteBuffers buffers) {
    this.path = path;
    this.channel = channel;
    this.syncer = syncer;
    this.nameSync = nameSync;
    this.buffers = buffers;
    this.buffer = buffers.take();
  }

  @Override
  public FilePath path() {
    return path;
  }

  @Override
  public long length() {
    ByteBuffer pending = buffer;
    return pending == null ? flushed : flushed + pending.position();
  }

  @Override
  public void write(byte[] source, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, source.length);
    attempt(
        "write",
        pending -> {
          int done = 0;
          while (done < length) {
            if (!pending.hasRemaining()) {
              flush(pending);
            }
            int part = Math.min(length - done, pending.remaining());
            pending.put(source, offset + done, part);
            done += part;
          }
        });
  }

  @Override
  public void preallocate(long bytes) throws IOException {
    if (bytes < 0) {
      throw new IllegalArgumentException("cannot preallocate " + bytes + " bytes in " + path);
    }
    attempt(
        "preallocate",
        pending -> {
          flush(pending);
          long end = flushed + bytes;
          long position = Math.max(flushed, allocated);
          if (end <= position) {
            return;
          }
          // Real zeros: a hole, or an extent that is only reserved, would have to be converted in
          // the file system's journal by the very syncs that this is to make cheap.
          while (position < end) {
            position += writeAll(WriteBuffers.zeros(end - position), position);
          }
          allocated = end;
          syncer.file(channel, true);
          durableLength = end;
        });
  }

  @Override
  public void sync() throws IOException {
    attempt(
        "sync",
        pending -> {
          flush(pending);
          syncContent(Math.max(flushed, allocated));
        });
  }

  @Override
  public void finish() throws IOException {
    attempt(
        "finish",
        pending -> {
          flush(pending);
          cutZeros();
          syncContent(flushed);
        });
    close();
  }

  @Override
  public void close() throws IOException {
    ByteBuffer pending = buffer;
    if (pending == null) {
      return;
    }
    try (channel) {
      if (failure == null) {
        attempt(
            "close",
            rest -> {
              flush(rest);
              cutZeros();
            });
      }
    } finally {
      flushed = length();
      buffer = null;
      buffers.giveBack(pending);
    }
  }

  private void syncContent(long fileLength) throws IOException {
    syncer.file(channel, fileLength != durableLength);
    durableLength = fileLength;
    if (!nameDurable) {
      nameSync.run();
      nameDurable = true;
    }
  }

  private void cutZeros() throws IOException {
    if (allocated > flushed) {
      channel.truncate(flushed);
      allocated = 0;
    }
  }

  private void flush(ByteBuffer pending) throws IOException {
    pending.flip();
    flushed += writeAll(pending, flushed);
    pending.clear();
  }

  private int writeAll(ByteBuffer source, long position) throws IOException {
    int start = source.position();
    while (source.hasRemaining()) {
      channel.write(source, position + source.position() - start);
    }
    return source.position() - start;
  }

  private void attempt(String what, Step step) throws IOException {
    ByteBuffer pending = buffer;
    if (pending == null) {
      throw new IOException("cannot " + what + " " + path + ": it was closed");
    }
    if (failure != null) {
      throw new IOException(
          "cannot " + what + " " + path + ": an earlier call failed, write another file", failure);
    }
    try {
      step.run(pending);
    } catch (IOException e) {
      failure = e;
      throw new IOException(
          "cannot " + what + " " + path + " at " + flushed + ": " + e.getMessage(), e);
    }
  }
}
