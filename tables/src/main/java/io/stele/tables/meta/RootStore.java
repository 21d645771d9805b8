package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
import java.util.Optional;
import java.util.UUID;

/**
 * Where the configuration of META0 is kept, which no table can hold, with the id of the cluster
 * whose META it is. Small, durable, and changed only by callers that know what it says.
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

  /** The id of the cluster; nothing if none was ever saved. */
  Optional<UUID> identity();

  /**
   * Saves the id of the cluster if there is none. Returns when it is durable.
   *
   * @return the id that is kept now: the proposed one, or the one that was there
   */
  UUID identify(UUID proposed);
}
