package io.stele.bench.measure;

import io.stele.base.error.ExhaustedException;
import io.stele.base.error.InvalidRequestException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The directory in which a benchmark keeps its data. It deletes what it made and nothing else: a
 * directory that somebody else put something in is refused, and one that was there before, empty,
 * is there afterwards.
 *
 * <p>Closing empties it, also when the process is told to end in the middle of a run.
 */
public final class Workspace implements AutoCloseable {
  private static final int DELETE_ATTEMPTS = 20;

  private final Path root;
  private final boolean madeRoot;
  private final List<Path> made = new ArrayList<>(); // guarded by this
  private final Thread hook = new Thread(this::deleteAll, "bench-workspace");
  private boolean closed; // guarded by this

  private Workspace(Path root, boolean madeRoot) {
    this.root = root;
    this.madeRoot = madeRoot;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Takes a directory that is empty or not there yet.
   *
   * @throws InvalidRequestException if something is in it
   */
  public static Workspace in(Path directory) throws IOException {
    Path root = directory.toAbsolutePath();
    if (!Files.exists(root)) {
      Files.createDirectories(root);
      return new Workspace(root, true);
    }
    if (!Files.isDirectory(root)) {
      throw new InvalidRequestException(directory + " is a file: an empty directory is needed");
    }
    try (Stream<Path> children = Files.list(root)) {
      children
          .findAny()
          .ifPresent(
              found -> {
                throw new InvalidRequestException(
                    "directory %s holds '%s': an empty or new one is needed, as only data of the benchmark may be deleted"
                        .formatted(directory, found.getFileName()));
              });
    }
    return new Workspace(root, false);
  }

  /** A new directory of its own inside {@code parent}. */
  public static Workspace inside(Path parent) throws IOException {
    return new Workspace(Files.createTempDirectory(parent.toAbsolutePath(), "stele-bench-"), true);
  }

  public Path root() {
    return root;
  }

  /** Refuses to start what would fill the disk half-way. */
  public void checkSpace(long neededBytes) throws IOException {
    checkSpace(root, neededBytes, Files.getFileStore(root).getUsableSpace());
  }

  static void checkSpace(Path root, long neededBytes, long usableBytes) {
    if (usableBytes < neededBytes) {
      throw new ExhaustedException(
          String.format(
              Locale.ROOT,
              "%s has %.2f GB free and this run needs %.2f GB: use --dir on another disk, or fewer"
                  + " --records",
              root,
              usableBytes / 1e9,
              neededBytes / 1e9));
    }
  }

  /** A new, empty directory; it must not have the name of one that is in use. */
  public synchronized Path directory(String name) throws IOException {
    if (closed) {
      throw new IllegalStateException("workspace " + root + " is closed");
    }
    Path directory = Files.createDirectory(root.resolve(name));
    made.add(directory);
    return directory;
  }

  /** Deletes a directory that {@link #directory} made. */
  public synchronized void delete(Path directory) throws IOException {
    if (!made.remove(directory)) {
      throw new IllegalArgumentException(directory + " was not made by the workspace " + root);
    }
    deleteTree(directory);
  }

  @Override
  public void close() {
    deleteAll();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending, and the hook has run or finds nothing to do.
    }
  }

  private synchronized void deleteAll() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      for (Path directory : made) {
        deleteInUse(directory);
      }
      if (madeRoot) {
        deleteIfEmpty(root);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("data of the benchmark is left in " + root, e);
    }
  }

  /** A store that the end of the process caught open may make another file meanwhile. */
  private static void deleteInUse(Path directory) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        deleteTree(directory);
        return;
      } catch (DirectoryNotEmptyException e) {
        if (attempt == DELETE_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /** What somebody else put beside the data meanwhile stays, and the directory with it. */
  private static void deleteIfEmpty(Path directory) throws IOException {
    try (Stream<Path> children = Files.list(directory)) {
      if (children.findAny().isPresent()) {
        return;
      }
    }
    Files.delete(directory);
  }

  private static void deleteTree(Path directory) throws IOException {
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            if (failure instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE; // its owner, still running, was faster
            }
            throw failure;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            Files.deleteIfExists(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** Bytes of all files below a directory. */
  public static long bytes(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      long bytes = 0;
      for (Path file : (Iterable<Path>) all.filter(Files::isRegularFile)::iterator) {
        bytes += Files.size(file);
      }
      return bytes;
    }
  }
}
