package io.stele.replicas.serve;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.random.RandomGenerator;

/**
 * The name of a data directory, made once: a server whose disk was wiped is another one, and is
 * never taken for having what it had. The file {@code server-id} holds it as text.
 */
public final class ServerId {
  private static final FilePath FILE = FilePath.of("server-id");
  private static final int DIGITS = 16;

  private ServerId() {}

  /** The name of the directory that a store is on; made up if it has none yet. */
  public static String of(FileStore files, RandomGenerator random) {
    try {
      try (ReadableFile file = files.open(FILE)) {
        byte[] text = new byte[(int) Math.min(file.length(), DIGITS + 1)];
        file.read(0, text, 0, text.length);
        String id = new String(text, StandardCharsets.UTF_8);
        if (!id.matches("[0-9a-f]{" + DIGITS + "}")) {
          throw new CorruptDataException(
              FILE + " of " + files.describe(), 0, DIGITS + " hexadecimal digits", id);
        }
        return id;
      } catch (NoSuchFileException e) {
        String id = "%016x".formatted(random.nextLong());
        files.replace(FILE, id.getBytes(StandardCharsets.UTF_8));
        return id;
      }
    } catch (IOException e) {
      throw new UnavailableException(
          "file " + FILE + " of " + files.describe() + " cannot be read or made: " + e, e);
    }
  }
}
