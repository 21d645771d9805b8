package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.OutcomeUnknownException;
import java.util.Optional;
import java.util.UUID;

/** A root store, which servers may share, and which can lose its answer. */
public final class MemoryRoot implements RootStore {
  private Optional<Root> kept = Optional.empty();
  private Optional<UUID> id = Optional.empty();
  boolean losesAnswer;

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
    if (losesAnswer) {
      losesAnswer = false;
      throw new OutcomeUnknownException("no answer");
    }
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
