package io.stele.replicas.metadata;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The METADATA files of a server: {@code <directory>/<table id>/<txn>}, each written once, whole
 * and durable, and read only as it was written.
 */
final class MetadataStore {
  /** A file as it is stored, and what it says. */
  record Stored(Bytes file, Metadata metadata) {}

  private final FileStore files;
  private final FilePath directory;

  MetadataStore(FileStore files, FilePath directory) {
    this.files = files;
    this.directory = directory;
  }

  /**
   * What the file of a transaction says; none if it is not here.
   *
   * @throws CorruptDataException if it is not what was written
   */
  Optional<Stored> read(FileKey key) {
    FilePath path = path(key);
    Bytes content;
    try (ReadableFile file = files.open(path)) {
      byte[] array = new byte[Math.toIntExact(file.length())];
      file.read(0, array, 0, array.length);
      content = Bytes.wrap(array);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UnavailableException(key + " cannot be read from " + path, e);
    }
    Metadata metadata = MetadataFile.decode(path.value(), content);
    if (!new FileKey(metadata.table(), metadata.txn()).equals(key)) {
      throw new CorruptDataException(
          path.value(),
          0,
          key.toString(),
          new FileKey(metadata.table(), metadata.txn()).toString());
    }
    return Optional.of(new Stored(content, metadata));
  }

  boolean has(FileKey key) {
    try {
      return files.stat(path(key)).isPresent();
    } catch (IOException e) {
      throw new UnavailableException(key + " cannot be looked for", e);
    }
  }

  /** Durable on return; in the place of what is there. */
  void write(FileKey key, Bytes file) {
    try {
      files.replace(path(key), file.toArray());
    } catch (IOException e) {
      throw new UnavailableException(key + " cannot be stored", e);
    }
  }

  void drop(FileKey key) {
    try {
      files.delete(path(key));
    } catch (IOException e) {
      throw new UnavailableException(key + " cannot be dropped", e);
    }
  }

  /** All files that are here. */
  List<FileKey> list() {
    List<FileKey> found = new ArrayList<>();
    try {
      for (FileInfo table : files.list(directory)) {
        for (FileInfo file : files.list(table.path())) {
          found.add(new FileKey(table.path().name(), file.path().name()));
        }
      }
    } catch (IOException e) {
      throw new UnavailableException("METADATA files in " + directory + " cannot be listed", e);
    }
    return found;
  }

  /** Removes the directory of a table that has no file any more. */
  void dropDirectory(String table) {
    FilePath path = directory.resolve(plain(table));
    try {
      if (files.list(path).isEmpty()) {
        files.delete(path);
      }
    } catch (IOException e) {
      throw new UnavailableException("directory " + path + " cannot be dropped", e);
    }
  }

  private FilePath path(FileKey key) {
    return directory.resolve(plain(key.table())).resolve(plain(key.txn()));
  }

  /** Names come from other servers: none may lead out of the directory. */
  private static String plain(String name) {
    boolean plain = !name.isEmpty() && name.length() <= 200 && !name.startsWith(".");
    for (int i = 0; i < name.length() && plain; i++) {
      char c = name.charAt(i);
      plain = c > ' ' && c < 0x7f && c != '/' && c != '\\';
    }
    if (!plain) {
      throw new InvalidRequestException(
          "METADATA name \"" + name + "\": must be 1 to 200 printable characters without slashes");
    }
    return name;
  }
}
