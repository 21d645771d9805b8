package io.stele.tables.cluster;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.tables.meta.RootStore;
import java.util.Optional;
import java.util.UUID;

/** A root store that all servers of a cluster share. */
public final class SharedRoot implements RootStore {
  private Optional<Root> kept = Optional.empty();
  private Optional<UUID> id = Optional.empty();

  @Override
  public synchronized Optional<Root> load() {
    return kept;
  }

  @Override
  public synchronized long save(Bytes config, long expected) {
    long version = kept.map(Root::version).orElse(0L);
    if (version != expected) {
      throw new ConflictException("version " + version + " is kept, not " + expected);
    }
    kept = Optional.of(new Root(config, version + 1));
    return version + 1;
  }

  @Override
  public synchronized Optional<UUID> identity() {
    return id;
  }

  @Override
  public synchronized UUID identify(UUID proposed) {
    id = id.or(() -> Optional.of(proposed));
    return id.get();
  }
}
