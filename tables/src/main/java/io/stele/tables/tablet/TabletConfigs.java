package io.stele.tables.tablet;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;

/** Has the configurations of tablets saved, wherever those of their table are kept. */
public interface TabletConfigs {
  /**
   * Saves what the tablets are now, or are by the time it is written: saves that wait are joined.
   *
   * @return completed when it is durable, with the newest transaction of META that it became; 0
   *     where META is not involved
   */
  CompletableFuture<Long> save(Table table, Collection<Tablet> tablets);
}
