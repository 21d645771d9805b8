package io.stele.base.file;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.time.RandomSource;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Files in a directory of the local disk.
 *
 * <p>Written through {@code fsync}, of files and of the directories that name them; read through
 * memory mappings. One process at a time may write; {@link #openExclusive} sees to it.
 *
 * <p>Two kinds of names below the root are the store's own: {@code LOCK}, directly in the root, and
 * the temporaries of {@link #replace}, {@code .stele-<random>.tmp} in any directory. They are never
 * listed and cannot be used. What a crash left of the latter goes at the next exclusive opening.
 * Names that others put there and that are no {@link FilePath} are not listed either.
 *
 * <pre>{@code
 * try (FileStore store = LocalFileStore.openExclusive(Path.of("/var/lib/stele"));
 *     WritableFile file = store.create(FilePath.of("fragments/17"))) {
 *   file.write(bytes, 0, bytes.length);
 *   file.finish();
 * }
 * }</pre>
 */
public final class LocalFileStore implements FileStore {
  private static final String TEMPORARY_PREFIX = ".stele-";
  private static final String TEMPORARY_SUFFIX = ".tmp";

  private final Path root;
  private final LocalDirectories directories;
  private final Syncer syncer;
  private final @Nullable DirectoryLock exclusive;
  private final WriteBuffers buffers = new WriteBuffers();

  /**
   * Held for every change of a name. The JDK offers no rename that refuses an existing target, so
   * looking for it and renaming must be one step for all users of this store.
   */
  private final ReentrantLock names = new ReentrantLock();

  private volatile boolean closed;

  private LocalFileStore(
      LocalDirectories directories, Syncer syncer, @Nullable DirectoryLock exclusive) {
    this.root = directories.root();
    this.directories = directories;
    this.syncer = syncer;
    this.exclusive = exclusive;
  }

  /** Opens a directory, which is made where it does not exist, beside other openers. */
  public static LocalFileStore open(Path root) throws IOException {
    return open(root, Syncer.SYSTEM);
  }

  /**
   * Opens a directory for this store alone, until it is closed or the process ends.
   *
   * @throws io.stele.base.error.UnavailableException if another opener has it
   */
  public static LocalFileStore openExclusive(Path root) throws IOException {
    return openExclusive(root, Syncer.SYSTEM);
  }

  static LocalFileStore open(Path root, Syncer syncer) throws IOException {
    return new LocalFileStore(LocalDirectories.open(root.toAbsolutePath(), syncer), syncer, null);
  }

  static LocalFileStore openExclusive(Path root, Syncer syncer) throws IOException {
    LocalDirectories directories = LocalDirectories.open(root.toAbsolutePath(), syncer);
    DirectoryLock lock = DirectoryLock.take(directories.root());
    boolean opened = false;
    try {
      deleteTemporaries(directories.root());
      LocalFileStore store = new LocalFileStore(directories, syncer, lock);
      opened = true;
      return store;
    } finally {
      if (!opened) {
        lock.close();
      }
    }
  }

  @Override
  public WritableFile create(FilePath path) throws IOException {
    Path file = locate(path);
    names.lock();
    try {
      if (path.equals(FilePath.ROOT)) {
        throw new FileAlreadyExistsException(file.toString());
      }
      Path directory = directoryOf(file);
      directories.create(directory);
      FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      return new LocalWritableFile(
          path, channel, syncer, () -> directories.persist(directory), buffers);
    } finally {
      names.unlock();
    }
  }

  @Override
  public ReadableFile open(FilePath path) throws IOException {
    Path file = locateFile(path, "open");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      try {
        return MappedFile.map(path, channel, channel.size());
      } catch (ClosedChannelException interrupted) {
        throw interrupted;
      } catch (IOException e) {
        return openUnmapped(path, file, e);
      }
    }
  }

  private static ReadableFile openUnmapped(FilePath path, Path file, IOException mapFailure)
      throws IOException {
    try {
      return SeekingFile.open(path, file);
    } catch (FileNotFoundException e) {
      mapFailure.addSuppressed(e);
      throw mapFailure;
    }
  }

  @Override
  public void sync(FilePath path) throws IOException {
    Path file = locateFile(path, "sync");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      syncer.file(channel, true);
      directories.persist(directoryOf(file));
    } catch (FileSystemException e) {
      throw e;
    } catch (IOException e) {
      throw new IOException("cannot sync " + file + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void replace(FilePath path, byte[] content) throws IOException {
    Path file = locate(path);
    if (Files.isDirectory(file)) {
      throw new IOException("cannot replace " + file + ": it is a directory");
    }
    Path directory = directoryOf(file);
    Path temporary = directory.resolve(temporaryName());
    boolean moved = false;
    try {
      writeTemporary(directory, temporary, content);
      names.lock();
      try {
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        names.unlock();
      }
      moved = true;
    } catch (FileSystemException e) {
      throw e;
    } catch (IOException e) {
      throw new IOException("cannot replace " + file + ": " + e.getMessage(), e);
    } finally {
      if (!moved) {
        Files.deleteIfExists(temporary);
      }
    }
    directories.persist(directory);
  }

  private void writeTemporary(Path directory, Path temporary, byte[] content) throws IOException {
    FileChannel channel;
    names.lock();
    try {
      directories.create(directory);
      channel =
          FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    } finally {
      names.unlock();
    }
    ByteBuffer buffer = buffers.take();
    try (channel) {
      for (int done = 0; done < content.length; ) {
        int part = Math.min(content.length - done, buffer.clear().remaining());
        buffer.put(content, done, part).flip();
        while (buffer.hasRemaining()) {
          channel.write(buffer);
        }
        done += part;
      }
      syncer.file(channel, true);
    } finally {
      buffers.giveBack(buffer);
    }
  }

  @Override
  public void rename(FilePath from, FilePath to) throws IOException {
    Path source = locate(from);
    Path target = locate(to);
    names.lock();
    try {
      BasicFileAttributes attributes = attributes(source);
      if (attributes == null) {
        throw new NoSuchFileException(source.toString());
      }
      if (attributes.isDirectory()) {
        throw new IOException("cannot rename " + source + ": it is a directory, not a file");
      }
      if (attributes(target) != null) {
        throw new FileAlreadyExistsException(target.toString());
      }
      directories.create(directoryOf(target));
      Files.move(source, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      names.unlock();
    }
    directories.persist(directoryOf(target));
    if (!directoryOf(source).equals(directoryOf(target))) {
      directories.persist(directoryOf(source));
    }
  }

  @Override
  public boolean delete(FilePath path) throws IOException {
    Path file = locate(path);
    if (path.equals(FilePath.ROOT)) {
      throw new IOException("cannot delete " + file + ": it is the root of this store");
    }
    names.lock();
    try {
      BasicFileAttributes attributes = attributes(file);
      if (attributes == null) {
        return false;
      }
      if (attributes.isDirectory()) {
        directories.delete(file);
        return true;
      }
      return Files.deleteIfExists(file);
    } finally {
      names.unlock();
    }
  }

  @Override
  public void syncDeletions(FilePath directory) throws IOException {
    Path path = locate(directory);
    BasicFileAttributes attributes = attributes(path);
    if (attributes != null && attributes.isDirectory()) {
      directories.persist(path);
    }
  }

  @Override
  public Optional<FileInfo> stat(FilePath path) throws IOException {
    BasicFileAttributes attributes = attributes(locate(path));
    return attributes == null ? Optional.empty() : Optional.of(info(path, attributes));
  }

  @Override
  public List<FileInfo> list(FilePath directory) throws IOException {
    Path location = locate(directory);
    BasicFileAttributes attributes = attributes(location);
    if (attributes == null) {
      return List.of();
    }
    if (!attributes.isDirectory()) {
      throw new NotDirectoryException(location.toString());
    }
    List<FileInfo> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(location)) {
      for (Path entry : entries) {
        FilePath path = listed(directory, entry);
        // The second is null for what was deleted since.
        BasicFileAttributes child = path == null ? null : attributes(entry);
        if (path != null && child != null) {
          found.add(info(path, child));
        }
      }
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    found.sort((a, b) -> a.path().compareTo(b.path()));
    return List.copyOf(found);
  }

  @Override
  public Optional<StoreSpace> space() throws IOException {
    java.nio.file.FileStore disk = Files.getFileStore(root);
    return Optional.of(new StoreSpace(disk.getUsableSpace(), disk.getTotalSpace()));
  }

  @Override
  public String describe() {
    return "file:" + root;
  }

  /** Ends the store and gives up the lock. Close its files first. */
  @Override
  public void close() throws IOException {
    closed = true;
    if (exclusive != null) {
      exclusive.close();
    }
  }

  /** The place of a file that must exist. */
  private Path locateFile(FilePath path, String what) throws IOException {
    Path file = locate(path);
    BasicFileAttributes attributes = attributes(file);
    if (attributes == null) {
      throw new NoSuchFileException(file.toString());
    }
    if (attributes.isDirectory()) {
      throw new IOException("cannot " + what + " " + file + ": it is a directory");
    }
    return file;
  }

  private Path locate(FilePath path) throws IOException {
    if (closed) {
      throw new IOException("file store " + describe() + " was closed");
    }
    for (FilePath at = path; !at.equals(FilePath.ROOT); at = at.parent()) {
      if (reserved(at)) {
        throw new InvalidRequestException(
            "file path \"" + path + "\": the name \"" + at.name() + "\" is the store's own");
      }
    }
    try {
      return path.equals(FilePath.ROOT) ? root : root.resolve(path.value());
    } catch (InvalidPathException e) {
      throw new InvalidRequestException(
          "file path \""
              + path
              + "\" cannot be written in this process's encoding of file names, "
              + System.getProperty("sun.jnu.encoding", StandardCharsets.US_ASCII.name())
              + ": set LC_ALL=C.UTF-8",
          e);
    }
  }

  private static boolean reserved(FilePath path) {
    return path.value().equals(DirectoryLock.FILE_NAME) || temporary(path.name());
  }

  private static boolean temporary(String name) {
    return name.startsWith(TEMPORARY_PREFIX) && name.endsWith(TEMPORARY_SUFFIX);
  }

  private static String temporaryName() {
    // Not a process id and a count: in a container every process is number 1.
    long first = RandomSource.system().nextLong();
    long second = RandomSource.system().nextLong();
    return TEMPORARY_PREFIX + "%016x%016x".formatted(first, second) + TEMPORARY_SUFFIX;
  }

  private static @Nullable FilePath listed(FilePath directory, Path entry) {
    try {
      FilePath path = directory.resolve(String.valueOf(entry.getFileName()));
      return reserved(path) ? null : path;
    } catch (InvalidRequestException foreign) {
      return null;
    }
  }

  private static FileInfo info(FilePath path, BasicFileAttributes attributes) {
    boolean directory = attributes.isDirectory();
    return new FileInfo(
        path,
        directory,
        directory ? 0 : attributes.size(),
        attributes.lastModifiedTime().toInstant());
  }

  /** Null where nothing has that name. */
  private @Nullable BasicFileAttributes attributes(Path file) throws IOException {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class);
    } catch (NoSuchFileException e) {
      return null;
    } catch (FileSystemException e) {
      // Below a file there is nothing; the JDK has no exception of its own for this.
      for (Path at = file; !at.equals(root); at = directoryOf(at)) {
        if (Files.isRegularFile(at)) {
          return null;
        }
      }
      throw e;
    }
  }

  private static Path directoryOf(Path file) {
    return Objects.requireNonNull(file.getParent(), "a file lies below the root");
  }

  private static void deleteTemporaries(Path root) throws IOException {
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (temporary(String.valueOf(file.getFileName()))) {
              Files.deleteIfExists(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
