package io.stele.hadoop;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.file.StoreSpace;
import io.stele.base.file.WritableFile;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumFileSystem;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.security.AccessControlException;
import org.jspecify.annotations.Nullable;

/**
 * Files in a directory of a Hadoop file system.
 *
 * <table>
 * <caption>What is promised where</caption>
 * <tr><th></th><th>HDFS</th><th>S3 and other object stores</th></tr>
 * <tr><td>a file appears</td><td>when it is created</td><td>when it is finished, whole; one that is
 *     closed without that leaves nothing</td></tr>
 * <tr><td>{@link WritableFile#sync}</td><td>durable on the disks of all data nodes that hold the
 *     block ({@code hsync})</td><td>refused: no log can be kept there</td></tr>
 * <tr><td>{@link #create} refuses an existing file</td><td>atomically</td><td>atomically where the
 *     store has conditional puts, else as of the call</td></tr>
 * <tr><td>{@link #replace}</td><td>atomic, by a rename over the target</td><td>atomic, by one
 *     put</td></tr>
 * <tr><td>{@link #rename}</td><td>atomic</td><td>a copy and a deletion: a crash may leave both, and
 *     two renames to one name may both succeed</td></tr>
 * </table>
 *
 * <p>Of other file systems (Azure, Ozone, …) whatever they make of Hadoop's interfaces. Hadoop's
 * local file system does not sync directories, so what is promised there holds for a killed process
 * and not for a power failure; {@link io.stele.base.file.LocalFileStore} does it right. Its layer
 * of checksums cannot sync at all and is left out: our files carry their own.
 *
 * <p>A file on HDFS that a dead writer left unfinished is readable up to what was synced: see
 * {@link LeaseRecovery}.
 *
 * <p>{@code .stele-tmp} in the root is the store's own, for files on their way into place. What is
 * a day old there was left by a crash and goes when the store is opened.
 */
public final class HadoopFileStore implements FileStore {
  private static final FilePath TEMPORARIES = FilePath.of(".stele-tmp");
  private static final Duration LEFTOVER_AGE = Duration.ofDays(1);
  private static final Duration LEASE_PATIENCE = Duration.ofSeconds(60);

  private final FileSystem owner;
  private final FileSystem files;
  private final URI root;
  private final Placement placement;
  private final LeaseRecovery leases;

  /** True once a file of this store has said that it appears only when it is complete. */
  private volatile boolean wholeFilesOnly;

  private HadoopFileStore(FileSystem owner, FileSystem files, URI root, Placement placement) {
    this.owner = owner;
    this.files = files;
    this.root = root;
    this.placement = placement;
    this.leases = new LeaseRecovery(files, LEASE_PATIENCE, Clock.system());
  }

  /** Opens a directory, which is made where it does not exist. */
  public static HadoopFileStore open(URI location, Configuration configuration) throws IOException {
    Configuration own = ClientSettings.derive(configuration);
    FileSystem owner = FileSystem.newInstance(location, own);
    boolean opened = false;
    try {
      FileSystem files =
          owner instanceof ChecksumFileSystem checked ? checked.getRawFileSystem() : owner;
      String path = location.getPath();
      Path root = files.makeQualified(new Path(path == null || path.isEmpty() ? "/" : path));
      Placement.makeDirectory(files, root);
      HadoopFileStore store =
          new HadoopFileStore(owner, files, root.toUri(), Placement.of(files, own));
      store.deleteLeftovers(Clock.system().micros() / 1000 - LEFTOVER_AGE.toMillis());
      opened = true;
      return store;
    } finally {
      if (!opened) {
        owner.close();
      }
    }
  }

  @Override
  public WritableFile create(FilePath path) throws IOException {
    Path file = locate(path);
    if (path.equals(FilePath.ROOT)) {
      throw new FileAlreadyExistsException(path.value());
    }
    FSDataOutputStream output = call("create", path, () -> placement.create(file));
    return new HadoopWritableFile(path, output, () -> files.delete(file, false));
  }

  @Override
  public ReadableFile open(FilePath path) throws IOException {
    Path file = locate(path);
    try {
      return call("open", path, () -> open(path, file));
    } catch (IOException e) {
      FileStatus status = status(path, file);
      if (status == null) {
        throw HadoopFailures.missing(path, e);
      }
      if (status.isDirectory()) {
        throw new IOException("cannot open " + path + ": it is a directory", e);
      }
      if (!leases.unfinished(file)) {
        throw e;
      }
    }
    return call(
        "open",
        path,
        () -> {
          leases.finish(file);
          return open(path, file);
        });
  }

  private ReadableFile open(FilePath path, Path file) throws IOException {
    if (files instanceof DistributedFileSystem) {
      FSDataInputStream input = files.open(file);
      // Of a file with a writer, the name node knows less than the data nodes told this stream.
      if (input instanceof HdfsDataInputStream hdfs) {
        return new HadoopReadableFile(path, input, hdfs.getVisibleLength());
      }
      input.close();
    }
    while (true) {
      FileStatus before = files.getFileStatus(file);
      FSDataInputStream input = files.open(file);
      FileStatus after = files.getFileStatus(file);
      if (before.getLen() == after.getLen()
          && before.getModificationTime() == after.getModificationTime()) {
        return new HadoopReadableFile(path, input, after.getLen());
      }
      // Replaced in between, so the length may belong to another file than the stream.
      input.close();
    }
  }

  @Override
  public void replace(FilePath path, byte[] content) throws IOException {
    Path target = locate(path);
    FileStatus status = status(path, target);
    if (status != null && status.isDirectory()) {
      throw new IOException("cannot replace " + path + ": it is a directory");
    }
    call(
        "replace",
        path,
        () -> {
          if (!wholeFilesOnly) {
            replaceByRename(target, output -> output.write(content));
          }
          if (wholeFilesOnly) {
            put(target, content);
          }
          return true;
        });
  }

  /**
   * HDFS can sync only what it is writing, and the data nodes may have a dead writer's last bytes
   * in memory alone: the file is written once more. Where files appear when they are complete, they
   * are durable then.
   */
  @Override
  public void sync(FilePath path) throws IOException {
    Path file = locate(path);
    FileStatus status = status(path, file);
    if (status == null) {
      throw new NoSuchFileException(path.value());
    }
    if (status.isDirectory()) {
      throw new IOException("cannot sync " + path + ": it is a directory");
    }
    call(
        "sync",
        path,
        () -> {
          if (leases.unfinished(file)) {
            leases.finish(file);
          }
          if (!wholeFilesOnly) {
            replaceByRename(file, output -> copy(file, output));
          }
          return true;
        });
  }

  /** On HDFS the lease of the writer is taken away. */
  @Override
  public boolean syncEndsWriters() {
    return leases.canFinish();
  }

  private void copy(Path file, FSDataOutputStream output) throws IOException {
    try (FSDataInputStream input = files.open(file)) {
      input.transferTo(output);
    }
  }

  /** Writes a file's content. */
  private interface Content {
    void writeTo(FSDataOutputStream output) throws IOException;
  }

  private void replaceByRename(Path target, Content content) throws IOException {
    Path temporary =
        qualify(TEMPORARIES.resolve(Long.toHexString(RandomSource.system().nextLong())));
    FSDataOutputStream output = placement.create(temporary);
    if (HadoopWritableFile.canSync(output)) {
      moveIntoPlace(output, content, temporary, target);
    } else {
      HadoopWritableFile.giveUp(output, () -> files.delete(temporary, false));
      wholeFilesOnly = true;
    }
  }

  private void moveIntoPlace(
      FSDataOutputStream output, Content content, Path temporary, Path target) throws IOException {
    boolean moved = false;
    try {
      try (output) {
        content.writeTo(output);
        output.hsync();
      }
      Placement.makeDirectory(files, target.getParent());
      placement.replace(temporary, target);
      moved = true;
    } finally {
      if (!moved) {
        files.delete(temporary, false);
      }
    }
  }

  /** On a store whose files appear when they are complete, writing over one replaces it at once. */
  private void put(Path target, byte[] content) throws IOException {
    FSDataOutputStream output = files.create(target, true);
    boolean written = false;
    try {
      output.write(content);
      written = true;
    } finally {
      if (written) {
        output.close();
      } else if (output.hasCapability(StreamCapabilities.ABORTABLE_STREAM)) {
        output.abort();
      }
      // Else it stays open: closing it would put half a file in place.
    }
  }

  @Override
  public void rename(FilePath from, FilePath to) throws IOException {
    Path source = locate(from);
    Path target = locate(to);
    FileStatus status = status(from, source);
    if (status == null) {
      throw new NoSuchFileException(from.value());
    }
    if (status.isDirectory()) {
      throw new IOException("cannot rename " + from + ": it is a directory, not a file");
    }
    if (status(to, target) != null) {
      throw new FileAlreadyExistsException(to.value());
    }
    call(
        "rename " + from + " to",
        to,
        () -> {
          Placement.makeDirectory(files, target.getParent());
          placement.rename(source, target);
          return true;
        });
  }

  @Override
  public boolean delete(FilePath path) throws IOException {
    Path file = locate(path);
    if (path.equals(FilePath.ROOT)) {
      throw new IOException("cannot delete " + describe() + ": it is the root of this store");
    }
    return status(path, file) != null && call("delete", path, () -> files.delete(file, false));
  }

  /** Name nodes and object stores record a deletion before they answer. */
  @Override
  public void syncDeletions(FilePath directory) {}

  @Override
  public Optional<FileInfo> stat(FilePath path) throws IOException {
    Path file = locate(path);
    FileStatus status = status(path, file);
    if (status == null) {
      return Optional.empty();
    }
    boolean growing = status.isFile() && call("stat", path, () -> leases.unfinished(file));
    return info(path, status, growing);
  }

  @Override
  public List<FileInfo> list(FilePath directory) throws IOException {
    Path location = locate(directory);
    FileStatus status = status(directory, location);
    if (status == null) {
      return List.of();
    }
    if (!status.isDirectory()) {
      throw new NotDirectoryException(directory.value());
    }
    List<FileInfo> found = new ArrayList<>();
    for (FileStatus child : call("list", directory, () -> children(location))) {
      FilePath path = listed(directory, child);
      if (path != null) {
        boolean growing =
            child instanceof HdfsLocatedFileStatus hdfs
                && hdfs.isFile()
                && hdfs.getLocatedBlocks().isUnderConstruction();
        info(path, child, growing).ifPresent(found::add);
      }
    }
    found.sort((a, b) -> a.path().compareTo(b.path()));
    return List.copyOf(found);
  }

  private List<FileStatus> children(Path directory) throws IOException {
    List<FileStatus> found = new ArrayList<>();
    try {
      // On HDFS, the one listing that tells which files are unfinished.
      RemoteIterator<? extends FileStatus> children =
          files instanceof DistributedFileSystem
              ? files.listLocatedStatus(directory)
              : files.listStatusIterator(directory);
      while (children.hasNext()) {
        found.add(children.next());
      }
    } catch (FileNotFoundException deletedMeanwhile) {
      return List.of();
    }
    return found;
  }

  @Override
  public Optional<StoreSpace> space() throws IOException {
    FsStatus status = call("measure", FilePath.ROOT, files::getStatus);
    boolean known = status.getCapacity() > 0 && status.getCapacity() < Long.MAX_VALUE;
    return known
        ? Optional.of(new StoreSpace(status.getRemaining(), status.getCapacity()))
        : Optional.empty();
  }

  @Override
  public String describe() {
    String user = root.getRawUserInfo();
    return user == null ? root.toString() : root.toString().replace(user + "@", "");
  }

  @Override
  public void close() throws IOException {
    owner.close();
  }

  private void deleteLeftovers(long beforeMillis) throws IOException {
    for (FileStatus leftover : children(qualify(TEMPORARIES))) {
      if (leftover.getModificationTime() < beforeMillis) {
        files.delete(leftover.getPath(), false);
      }
    }
  }

  private Path locate(FilePath path) {
    for (FilePath at = path; !at.equals(FilePath.ROOT); at = at.parent()) {
      if (at.equals(TEMPORARIES)) {
        throw new InvalidRequestException(
            "file path \"" + path + "\": the name \"" + at.name() + "\" is the store's own");
      }
    }
    return qualify(path);
  }

  private Path qualify(FilePath path) {
    String base = root.getPath();
    String separator = base.endsWith("/") || path.equals(FilePath.ROOT) ? "" : "/";
    // By parts: Hadoop would read "a:b" as a scheme.
    return new Path(root.getScheme(), root.getAuthority(), base + separator + path.value());
  }

  private @Nullable FilePath listed(FilePath directory, FileStatus child) {
    try {
      FilePath path = directory.resolve(child.getPath().getName());
      return path.equals(TEMPORARIES) ? null : path;
    } catch (InvalidRequestException foreign) {
      return null;
    }
  }

  /** Null where nothing has that name. */
  private @Nullable FileStatus status(FilePath path, Path file) throws IOException {
    try {
      return call("stat", path, () -> files.getFileStatus(file));
    } catch (IOException e) {
      if (e.getCause() instanceof FileNotFoundException || liesInFile(path, e)) {
        return null;
      }
      throw e;
    }
  }

  private boolean liesInFile(FilePath path, IOException failure) throws IOException {
    boolean possible =
        failure.getCause() instanceof AccessControlException
            || failure.getCause() instanceof ParentNotDirectoryException;
    if (!possible || path.equals(FilePath.ROOT)) {
      return false;
    }
    FileStatus above = status(path.parent(), qualify(path.parent()));
    return above == null || above.isFile();
  }

  /** Absent if the file was deleted meanwhile. */
  private Optional<FileInfo> info(FilePath path, FileStatus status, boolean growing)
      throws IOException {
    long length = status.isDirectory() ? 0 : status.getLen();
    if (growing) {
      try (ReadableFile file = open(path)) {
        length = file.length();
      } catch (NoSuchFileException e) {
        return Optional.empty();
      }
    }
    Instant modified = Instant.ofEpochMilli(status.getModificationTime());
    return Optional.of(new FileInfo(path, status.isDirectory(), length, modified));
  }

  /** A call of the file system. */
  private interface Call<T> {
    T run() throws IOException;
  }

  private static <T> T call(String what, FilePath path, Call<T> body) throws IOException {
    try {
      return body.run();
    } catch (IllegalArgumentException e) {
      throw new InvalidRequestException(
          "file path \"" + path + "\" is not possible in this file system: " + e.getMessage(), e);
    } catch (IOException e) {
      throw HadoopFailures.translate("cannot " + what + " " + path, path, e);
    }
  }
}
