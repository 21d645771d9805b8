package io.stele.cli;

import io.stele.base.error.InvalidRequestException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/**
 * A file that is there whole or not at all: written under another name beside it, synced, and only
 * then given its own. One that exists is never touched.
 */
public final class NewFile {

  private static final int BUFFER_BYTES = 1 << 16;

  /** Writes the content. */
  @FunctionalInterface
  public interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  private NewFile() {}

  /** Refuses a place where no new file can be, before any work is done for it. */
  public static void check(Path file) {
    if (Files.exists(file)) {
      throw new InvalidRequestException("file '" + file + "' exists: name one that does not");
    }
    if (!Files.isDirectory(directoryOf(file))) {
      throw new InvalidRequestException(
          "there is no directory '" + directoryOf(file) + "' to put the file in");
    }
  }

  /** Answers how many bytes it has. */
  public static long write(Path file, Content content) throws IOException {
    check(file);
    Path draft =
        directoryOf(file).resolve("." + file.getFileName() + "." + ProcessHandle.current().pid());
    boolean done = false;
    try {
      long bytes = writeDraft(draft, content);
      check(file);
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
      done = true;
      try (FileChannel directory = FileChannel.open(directoryOf(file), StandardOpenOption.READ)) {
        directory.force(true);
      }
      return bytes;
    } finally {
      if (!done) {
        Files.deleteIfExists(draft);
      }
    }
  }

  private static long writeDraft(Path draft, Content content) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            draft,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
      content.writeTo(out);
      out.flush();
      channel.force(true);
      return channel.size();
    }
  }

  private static Path directoryOf(Path file) {
    return Objects.requireNonNull(file.toAbsolutePath().getParent(), "a file is in a directory");
  }
}
