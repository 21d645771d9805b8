package io.stele.testkit.process;

import io.stele.testkit.run.Needs;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A file system in memory of some megabytes at a directory, until this is closed. */
public final class SmallDisk implements AutoCloseable {
  private final Path directory;

  private SmallDisk(Path directory) {
    this.directory = directory;
  }

  /** For a test that mounts one. */
  public static void require() {
    Needs.root("mounting a small disk");
    Needs.program("mount", "mount");
  }

  public static SmallDisk mount(Path directory, int megabytes) {
    require();
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    run("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", directory.toString());
    return new SmallDisk(directory);
  }

  /** Takes all the room that is left, as another program might; the answer gives it back. */
  public static Path fill(Path directory) {
    return fillAllBut(directory, 0);
  }

  /** Takes all the room but so many bytes; deleting the answer gives it back. */
  public static Path fillAllBut(Path directory, long bytes) {
    Path filler = directory.resolve("filler");
    byte[] piece = new byte[1 << 12];
    try (RandomAccessFile file = new RandomAccessFile(filler.toFile(), "rw")) {
      while (bytes == 0 || directory.toFile().getUsableSpace() > bytes) {
        file.write(piece);
      }
    } catch (IOException full) {
      // As was asked for.
    }
    return filler;
  }

  private static void run(String... command) {
    try {
      Process process = new ProcessBuilder(command).inheritIO().start();
      int status = process.waitFor();
      if (status != 0) {
        throw new AssertionError(List.of(command) + " ended with " + status);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  @Override
  public void close() {
    run("umount", "-l", directory.toString());
  }
}
