package io.stele.tables.files;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.UnavailableException;
import io.stele.tables.meta.RootStore;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;

/**
 * A root store of which a copy lies beside the files. A save returns when both are durable: until
 * then no log is released that the last copy needs, so a crash in between leaves a copy by which
 * META is found complete.
 */
public final class CopiedRoot implements RootStore {
  private final RootStore store;
  private final RootCopies copies;

  public CopiedRoot(RootStore store, RootCopies copies) {
    this.store = store;
    this.copies = copies;
  }

  @Override
  public Optional<Root> load() {
    return store.load();
  }

  @Override
  public long save(Bytes config, long expected) {
    long version = store.save(config, expected);
    try {
      copies.add(config, version);
    } catch (IOException e) {
      throw new UnavailableException(
          "the configuration of META0 is saved, but its copy beside the files is not: " + e, e);
    }
    return version;
  }

  @Override
  public Optional<UUID> identity() {
    return store.identity();
  }

  @Override
  public UUID identify(UUID proposed) {
    return store.identify(proposed);
  }
}
