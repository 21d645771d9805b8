package io.stele.base.file;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Where files live: a local directory, memory (in tests), or any Hadoop file system.
 *
 * <p>Files are written once, from start to end, and never changed; small files may be replaced as a
 * whole. Directories come into being with the first file in them and need not be made. Every
 * implementation passes the same contract suite ({@code FileStoreContract} in the test kit).
 *
 * <p>A missing file is a {@link java.nio.file.NoSuchFileException}, one that should not be there a
 * {@link java.nio.file.FileAlreadyExistsException}; all other failures are plain {@link
 * IOException}s.
 */
public interface FileStore extends Closeable {
  /** Starts a new file; the path must not exist. */
  WritableFile create(FilePath path) throws IOException;

  ReadableFile open(FilePath path) throws IOException;

  /**
   * Makes a file durable as it is found, name and all, though its writer may have died before it
   * synced: what was read after a restart must not vanish with the next power loss.
   */
  void sync(FilePath path) throws IOException;

  /**
   * True if {@link #sync(FilePath)} ends a writer that is still at work on the file, in whatever
   * process: its next {@link WritableFile#sync} fails.
   */
  default boolean syncEndsWriters() {
    return false;
  }

  /**
   * Puts a small file in place, whether or not the path exists. Readers, and a restart after a
   * crash, find the old content or the new, never a mixture; it is durable on return.
   */
  void replace(FilePath path, byte[] content) throws IOException;

  /** Renames a file; the target must not exist. Atomic, and durable on return. */
  void rename(FilePath from, FilePath to) throws IOException;

  /**
   * Deletes a file, or an empty directory. After a power loss it may be there again, unless {@link
   * #syncDeletions} was called.
   *
   * @return false if it did not exist
   */
  boolean delete(FilePath path) throws IOException;

  /** Makes deletions directly in a directory durable; does nothing if there is no directory. */
  void syncDeletions(FilePath directory) throws IOException;

  Optional<FileInfo> stat(FilePath path) throws IOException;

  /** What lies directly in a directory, by name; nothing if it does not exist. */
  List<FileInfo> list(FilePath directory) throws IOException;

  /** The room that there is; nothing if the store does not know. */
  default Optional<StoreSpace> space() throws IOException {
    return Optional.empty();
  }

  /** How the store would be named to a person, such as {@code file:/var/lib/stele}. */
  String describe();
}
