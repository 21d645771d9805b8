package io.stele.datasets.serve;

import java.util.Map;
import java.util.Optional;

/**
 * Which datasets are kept at which version: settings of the cluster, durable where {@link
 * SharedMap} is ephemeral, at {@code /stele/datasets/<cluster>/pins/<dataset>}. Read from a local
 * copy, which may be stale; a node keeps what it last saw on its disk, and says it again if it is
 * lost.
 */
public interface Pins {
  /** All pins as last heard of; nothing as long as none were ever heard of. */
  Optional<Map<String, Pin>> all();

  /**
   * Sets a pin, or takes it away, durably.
   *
   * @param known the last pin that the caller knows of; what is set comes after it
   * @throws io.stele.base.error.UnavailableException if that cannot be recorded now
   */
  void set(String dataset, Optional<String> version, Pin known);

  /**
   * Records a pin again, unless the same or a later one is recorded.
   *
   * @throws io.stele.base.error.UnavailableException if that cannot be recorded now
   */
  void restore(String dataset, Pin pin);

  /** Has {@code changed} called after each change, from any thread; it returns at once. */
  void watch(Runnable changed);
}
