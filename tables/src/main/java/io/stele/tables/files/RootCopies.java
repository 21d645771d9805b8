package io.stele.tables.files;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.Bytes;
import io.stele.base.bytes.Crc32c;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.file.WritableFile;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/**
 * Copies of META0's configuration beside the files of tables, so that META can be found if the
 * metastore is lost. The newest copy has the highest number:
 *
 * <pre>
 *   root/0000000042.root
 *
 *   copy := magic "SRC1"(4) crc32c(4) version(8) config       (little-endian)
 *   crc32c: of version and config;  version: of the root store;  config: see RootConfig
 * </pre>
 *
 * <p>Invariant: a copy has a higher version than every copy with a lower number, unless it was
 * written with version 0, by which a new root store begins. A server that was replaced can
 * therefore not put its copy after that of its successor: it finds the higher version and leaves
 * its own out. Any number of processes.
 */
public final class RootCopies {
  static final FilePath ROOT = FilePath.of("root");

  private static final Pattern NAME = Pattern.compile("[0-9]{10}\\.root");
  private static final int MAGIC = 'S' | 'R' << 8 | 'C' << 16 | '1' << 24;
  private static final int HEADER = 16;
  private static final int KEPT = 3;

  private final FileStore files;
  private final RandomGenerator random;

  /**
   * Looks at nothing yet.
   *
   * @param random for names of temporary files
   */
  public RootCopies(FileStore files, RandomGenerator random) {
    this.files = files;
    this.random = random;
  }

  /**
   * A copy.
   *
   * @param version of the root store that it was saved in; 0 if it is to begin a new one
   */
  public record Copy(long number, long version, Bytes config) {}

  /**
   * The newest copy; nothing if there is none.
   *
   * @throws CorruptDataException if it is damaged. An older one is not taken in its place: files
   *     that it names may be gone, and files that it does not name would be lost
   */
  public Optional<Copy> newest() throws IOException {
    while (true) {
      List<FilePath> all = list();
      if (all.isEmpty()) {
        return Optional.empty();
      }
      try {
        return Optional.of(read(all.getLast()));
      } catch (NoSuchFileException e) {
        // It was superseded and deleted meanwhile.
      }
    }
  }

  private List<FilePath> list() throws IOException {
    return files.list(ROOT).stream()
        .map(FileInfo::path)
        .filter(path -> NAME.matcher(path.name()).matches())
        .sorted()
        .toList();
  }

  private Copy read(FilePath path) throws IOException {
    try (ReadableFile file = files.open(path)) {
      byte[] bytes = new byte[Math.toIntExact(file.length())];
      file.read(0, bytes, 0, bytes.length);
      if (bytes.length < HEADER || Binary.getInt(bytes, 0) != MAGIC) {
        throw new CorruptDataException(
            path.toString(),
            0,
            "SRC1 and a checksum",
            bytes.length + " bytes that begin otherwise");
      }
      int expected = Binary.getInt(bytes, 4);
      int found = Crc32c.of(bytes, 8, bytes.length - 8);
      if (expected != found) {
        throw new CorruptDataException(
            path.toString(),
            8,
            "CRC32C " + Integer.toHexString(expected),
            Integer.toHexString(found));
      }
      return new Copy(
          number(path),
          Binary.getLong(bytes, 8),
          Bytes.copyOf(bytes, HEADER, bytes.length - HEADER));
    }
  }

  private static long number(FilePath path) {
    return Long.parseLong(path.name().substring(0, path.name().indexOf('.')));
  }

  private static FilePath path(long number) {
    return ROOT.resolve("%010d.root".formatted(number));
  }

  /** Adds a copy of what was saved in the root store, unless a newer one is here; durable then. */
  public void add(Bytes config, long version) throws IOException {
    while (true) {
      Optional<Copy> newest = newest();
      if (newest.isPresent() && newest.get().version() >= version) {
        return;
      }
      if (put(newest, config, version)) {
        return;
      }
    }
  }

  /** Adds a copy that is the newest whatever was before: a new root store is to begin with it. */
  public void begin(Bytes config) throws IOException {
    while (!put(newest(), config, 0)) {
      // Another process added one: this one comes after it.
    }
  }

  /** False if another process added a copy meanwhile. */
  private boolean put(Optional<Copy> before, Bytes config, long version) throws IOException {
    long number = before.map(Copy::number).orElse(0L) + 1;
    byte[] bytes =
        new ByteBuilder(HEADER + config.length())
            .putInt(MAGIC)
            .putInt(0)
            .putLong(version)
            .put(config)
            .toArray();
    Binary.putInt(bytes, 4, Crc32c.of(bytes, 8, bytes.length - 8));
    FilePath temporary = ROOT.resolve("%010d.%016x.tmp".formatted(number, random.nextLong()));
    try (WritableFile file = files.create(temporary)) {
      file.write(bytes, 0, bytes.length);
      file.finish();
    }
    try {
      files.rename(temporary, path(number));
    } catch (FileAlreadyExistsException e) {
      files.delete(temporary);
      return false;
    }
    for (FileInfo old : files.list(ROOT)) {
      if (old.path().compareTo(path(number - KEPT + 1)) < 0) {
        files.delete(old.path()); // temporary files of processes that were killed, too
      }
    }
    return true;
  }
}
