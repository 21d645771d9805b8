package io.stele.base.file;

import io.stele.base.error.UnavailableException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a second opener, in this process or another, out of a directory.
 *
 * <p>The lock is the operating system's, on the file {@code LOCK}, so it goes with the process that
 * holds it, however that ends. The file holds the holder's process id as text, for people, and is
 * left in place: deleting it would let a third opener lock a new file beside a second one that
 * still waits on the old.
 */
final class DirectoryLock implements Closeable {
  static final String FILE_NAME = "LOCK";

  /**
   * Locks of this process. Looked at before the file is opened: POSIX drops a process's lock when
   * the process closes <em>any</em> descriptor of the file, so a refused opener must not touch it.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final FileChannel channel;

  private DirectoryLock(Path directory, FileChannel channel) {
    this.directory = directory;
    this.channel = channel;
  }

  /** Locks a directory, which must be given by its real path. */
  static DirectoryLock take(Path directory) throws IOException {
    if (!HELD.add(directory)) {
      throw inUse(directory, "this process, " + ProcessHandle.current().pid(), null);
    }
    boolean taken = false;
    try {
      DirectoryLock lock = takeFile(directory);
      taken = true;
      return lock;
    } finally {
      if (!taken) {
        HELD.remove(directory);
      }
    }
  }

  private static DirectoryLock takeFile(Path directory) throws IOException {
    FileChannel channel =
        FileChannel.open(
            directory.resolve(FILE_NAME),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    boolean taken = false;
    try {
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw inUse(directory, "process " + holder(channel), null);
      }
      writeHolder(channel);
      taken = true;
      return new DirectoryLock(directory, channel);
    } catch (OverlappingFileLockException e) {
      throw inUse(directory, "this process, " + ProcessHandle.current().pid(), e);
    } finally {
      if (!taken) {
        channel.close();
      }
    }
  }

  private static UnavailableException inUse(
      Path directory, String holder, @Nullable Throwable cause) {
    return new UnavailableException(
        "directory " + directory + " is in use by " + holder + ": end it or use another directory",
        cause);
  }

  private static void writeHolder(FileChannel channel) throws IOException {
    byte[] pid = (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII);
    ByteBuffer buffer = ByteBuffer.wrap(pid);
    while (buffer.hasRemaining()) {
      channel.write(buffer, buffer.position());
    }
    channel.truncate(pid.length);
  }

  private static String holder(FileChannel channel) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(32);
    channel.read(buffer, 0);
    String pid =
        new String(buffer.array(), 0, buffer.position(), StandardCharsets.US_ASCII).strip();
    return pid.isEmpty() ? "(its id is not known)" : pid;
  }

  @Override
  public void close() throws IOException {
    if (channel.isOpen()) {
      channel.close();
      HELD.remove(directory);
    }
  }
}
