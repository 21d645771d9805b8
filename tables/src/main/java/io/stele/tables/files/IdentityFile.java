package io.stele.tables.files;

import io.stele.base.bytes.Crc32c;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.file.WritableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.util.Optional;
import java.util.UUID;

/**
 * The file {@code CLUSTER}, which names the cluster that a file store belongs to. It is text, so
 * that people can read it too, and is never changed:
 *
 * <pre>
 *   CLUSTER  := body " " crc32c LF          (crc32c: of the body, 8 hexadecimal digits)
 *   body     := "stele-cluster 1 " id       (1: the version of the format; id: a UUID)
 * </pre>
 */
final class IdentityFile {
  static final FilePath PATH = FilePath.of("CLUSTER");
  private static final String PREFIX = "stele-cluster 1 ";

  private IdentityFile() {}

  /** The id in a store; nothing if the store has none. */
  static Optional<UUID> read(FileStore store) throws IOException {
    if (store.stat(PATH).isEmpty()) {
      return Optional.empty();
    }
    try (ReadableFile file = store.open(PATH)) {
      byte[] bytes = new byte[Math.toIntExact(file.length())];
      file.read(0, bytes, 0, bytes.length);
      return Optional.of(parse(store, new String(bytes, StandardCharsets.UTF_8)));
    }
  }

  private static UUID parse(FileStore store, String text) {
    String where = PATH + " in " + store.describe();
    int space = text.lastIndexOf(' ');
    if (!text.startsWith(PREFIX) || space < PREFIX.length() || !text.endsWith("\n")) {
      throw new CorruptDataException(where, 0, "\"" + PREFIX + "ID CRC32C\"", text);
    }
    String body = text.substring(0, space);
    String found = text.substring(space + 1, text.length() - 1);
    if (!found.equals(checksum(body))) {
      throw new CorruptDataException(where, space + 1L, "CRC32C " + checksum(body), found);
    }
    return UUID.fromString(body.substring(PREFIX.length()));
  }

  /**
   * Writes the id into a store that has none. Of several who do so at once, one succeeds.
   *
   * @param attempt makes the name of the temporary file its own
   */
  static void write(FileStore store, UUID id, long attempt) throws IOException {
    String body = PREFIX + id;
    byte[] bytes = (body + " " + checksum(body) + "\n").getBytes(StandardCharsets.UTF_8);
    FilePath temporary = FilePath.of(PATH.name() + ".%016x.tmp".formatted(attempt));
    try (WritableFile file = store.create(temporary)) {
      file.write(bytes, 0, bytes.length);
      file.finish();
    }
    try {
      store.rename(temporary, PATH);
    } catch (FileAlreadyExistsException e) {
      store.delete(temporary); // the caller compares what is there
    }
  }

  private static String checksum(String body) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    return "%08x".formatted(Crc32c.of(bytes, 0, bytes.length));
  }
}
