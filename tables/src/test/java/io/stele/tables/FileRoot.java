package io.stele.tables;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.tables.meta.RootStore;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;

/** A root store in a file of the tables' own store, so that both crash together. */
final class FileRoot implements RootStore {
  private static final FilePath FILE = FilePath.of("ROOT");
  private static final FilePath ID = FilePath.of("ROOT-ID");

  private final FileStore files;

  FileRoot(FileStore files) {
    this.files = files;
  }

  @Override
  public synchronized Optional<Root> load() {
    try {
      if (files.stat(FILE).isEmpty()) {
        return Optional.empty();
      }
      try (ReadableFile file = files.open(FILE)) {
        byte[] bytes = new byte[Math.toIntExact(file.length())];
        file.read(0, bytes, 0, bytes.length);
        Bytes config = Bytes.copyOf(bytes, Long.BYTES, bytes.length - Long.BYTES);
        return Optional.of(new Root(config, Binary.getLong(bytes, 0)));
      }
    } catch (IOException e) {
      throw new UnavailableException("the root cannot be read: " + e, e);
    }
  }

  @Override
  public synchronized long save(Bytes config, long expected) {
    long version = load().map(Root::version).orElse(0L);
    if (version != expected) {
      throw new ConflictException("version " + version + " is kept, not " + expected);
    }
    byte[] bytes = new byte[Long.BYTES + config.length()];
    Binary.putLong(bytes, 0, version + 1);
    System.arraycopy(config.toArray(), 0, bytes, Long.BYTES, config.length());
    try {
      files.replace(FILE, bytes);
    } catch (IOException e) {
      throw new OutcomeUnknownException("the root may or may not have been saved: " + e, e);
    }
    return version + 1;
  }

  @Override
  public synchronized Optional<UUID> identity() {
    try {
      if (files.stat(ID).isEmpty()) {
        return Optional.empty();
      }
      try (ReadableFile file = files.open(ID)) {
        byte[] bytes = new byte[2 * Long.BYTES];
        file.read(0, bytes, 0, bytes.length);
        return Optional.of(new UUID(Binary.getLong(bytes, 0), Binary.getLong(bytes, Long.BYTES)));
      }
    } catch (IOException e) {
      throw new UnavailableException("the id cannot be read: " + e, e);
    }
  }

  @Override
  public synchronized UUID identify(UUID proposed) {
    Optional<UUID> known = identity();
    if (known.isPresent()) {
      return known.get();
    }
    byte[] bytes = new byte[2 * Long.BYTES];
    Binary.putLong(bytes, 0, proposed.getMostSignificantBits());
    Binary.putLong(bytes, Long.BYTES, proposed.getLeastSignificantBits());
    try {
      files.replace(ID, bytes);
    } catch (IOException e) {
      throw new OutcomeUnknownException("the id may or may not have been saved: " + e, e);
    }
    return proposed;
  }
}
