package io.stele.base.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** Directories with all that is below them. */
public final class FileTree {
  private FileTree() {}

  /** Deletes a file or a directory with its content. Symbolic links are deleted, not followed. */
  public static void delete(Path root) {
    try {
      if (Files.exists(root)) {
        var _ = Files.walkFileTree(root, new Deletion());
      } else {
        Files.deleteIfExists(root); // a symbolic link to nothing
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + root, e);
    }
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException problem)
        throws IOException {
      if (problem != null) {
        throw problem;
      }
      Files.deleteIfExists(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}
