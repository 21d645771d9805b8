package io.stele.hadoop;

import java.io.IOException;
import java.nio.file.NotDirectoryException;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.jspecify.annotations.Nullable;

/**
 * How a name is put in place. Hadoop's {@link FileSystem#rename(Path, Path)} leaves open what
 * happens to an existing target, so each kind of file system has its own way.
 */
sealed interface Placement {
  /** Starts a file; its directories are made; an existing target is refused. */
  FSDataOutputStream create(Path path) throws IOException;

  /** Renames a file; an existing target is refused. */
  void rename(Path from, Path to) throws IOException;

  /** Renames a file over whatever file has the target's name. */
  void replace(Path from, Path to) throws IOException;

  static Placement of(FileSystem files, Configuration configuration) throws IOException {
    if (files instanceof RawLocalFileSystem) {
      return new Checked(files);
    }
    try {
      return new Atomic(files, FileContext.getFileContext(files.getUri(), configuration));
    } catch (UnsupportedFileSystemException e) {
      // Some file systems come without the newer of Hadoop's two interfaces.
      return new Checked(files);
    }
  }

  /** Makes a directory and all that it lies in; a file in its place is no "already exists". */
  static void makeDirectory(FileSystem files, @Nullable Path directory) throws IOException {
    if (directory == null) {
      return;
    }
    try {
      if (!files.mkdirs(directory)) {
        throw new IOException("the file system refused to make the directory " + directory);
      }
    } catch (FileAlreadyExistsException | ParentNotDirectoryException e) {
      NotDirectoryException refused = new NotDirectoryException(directory.toString());
      refused.initCause(e);
      throw refused;
    }
  }

  private static FSDataOutputStream start(FileSystem files, Path path) throws IOException {
    if (files instanceof DistributedFileSystem hdfs) {
      return hdfs.createFile(path)
          .recursive()
          .overwrite(false)
          // A sync reaches the last block only: this syncs each block when the next one begins.
          .syncBlock()
          // In a directory with erasure coding, files could not be synced at all.
          .replicate()
          .build();
    }
    FSDataOutputStreamBuilder<?, ?> builder = files.createFile(path);
    builder.recursive();
    builder.overwrite(false);
    // Where the store can (S3), the check is made again when the file is put in place.
    builder.opt(Options.CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE, true);
    return builder.build();
  }

  /**
   * Through Hadoop's newer interface, whose renames say what becomes of the target. Atomic on HDFS.
   */
  record Atomic(FileSystem files, FileContext context) implements Placement {
    @Override
    public FSDataOutputStream create(Path path) throws IOException {
      return start(files, path);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
      context.rename(from, to);
    }

    @Override
    public void replace(Path from, Path to) throws IOException {
      context.rename(from, to, Options.Rename.OVERWRITE);
    }
  }

  /**
   * Looks, then acts, one at a time: atomic for the users of one store. The local file system needs
   * it because its newer interface deletes the target before it renames, which the plain rename
   * replaces in one step.
   */
  final class Checked implements Placement {
    private final FileSystem files;
    private final ReentrantLock lock = new ReentrantLock();

    Checked(FileSystem files) {
      this.files = files;
    }

    @Override
    public FSDataOutputStream create(Path path) throws IOException {
      // Else the local file system would report a file in the place of a directory as "exists".
      makeDirectory(files, path.getParent());
      lock.lock();
      try {
        return start(files, path);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
      lock.lock();
      try {
        if (files.exists(to)) {
          throw new FileAlreadyExistsException(to.toString());
        }
        move(from, to);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void replace(Path from, Path to) throws IOException {
      lock.lock();
      try {
        move(from, to);
      } finally {
        lock.unlock();
      }
    }

    private void move(Path from, Path to) throws IOException {
      if (!files.rename(from, to)) {
        throw new IOException("the file system refused to rename " + from + " to " + to);
      }
    }
  }
}
