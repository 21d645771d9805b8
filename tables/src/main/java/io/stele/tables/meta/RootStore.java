package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
import java.util.Optional;

/**
 * Where the configuration of META0 is kept, which no table can hold. Small, durable, and changed
 * only by whoever knows what it says.
 */
public interface RootStore {
  /**
   * What is kept.
   *
   * @param version changes with every save; above 0
   */
  record Root(Bytes config, long version) {}

  /** What is kept now; nothing if nothing was ever saved. */
  Optional<Root> load();

  /**
   * Replaces what is kept. Returns when the new configuration is durable.
   *
   * @param expected the version that is to be replaced; 0 if there must be none
   * @return the new version
   * @throws io.stele.base.error.ConflictException if another version is kept
   */
  long save(Bytes config, long expected);
}
