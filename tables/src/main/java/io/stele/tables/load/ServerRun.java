package io.stele.tables.load;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Numbers the runs of a server, so that no two write to one directory. The file {@code SERVER} has
 * the last number as decimal text.
 */
public final class ServerRun {
  private static final FilePath FILE = FilePath.of("SERVER");

  private ServerRun() {}

  /** A name for a new run: its number, so that names sort as runs follow each other. */
  public static String next(FileStore files) {
    try {
      long last = 0;
      if (files.stat(FILE).isPresent()) {
        try (ReadableFile file = files.open(FILE)) {
          byte[] text = new byte[Math.toIntExact(file.length())];
          file.read(0, text, 0, text.length);
          last = parse(new String(text, StandardCharsets.UTF_8).trim());
        }
      }
      long next = last + 1;
      files.replace(FILE, Long.toString(next).getBytes(StandardCharsets.UTF_8));
      return "%08d".formatted(next);
    } catch (IOException e) {
      throw new UnavailableException(
          "the server's files in " + files.describe() + " cannot be used: " + e, e);
    }
  }

  private static long parse(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new CorruptDataException(FILE.toString(), 0, "the number of a run", text);
    }
  }
}
