package io.stele.tables.load;

import io.stele.tables.meta.MetaLevel;
import io.stele.tables.tablet.OrderedLock;
import io.stele.tables.tablet.OrderedLock.Place;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * One change of tables at a time: loads, unloads, splits, schemas. Each level of META has its own
 * turn: a load that waits for META1 must not keep META1 itself from being loaded here.
 */
public final class ChangeLocks {
  private final Map<MetaLevel, OrderedLock> locks = new EnumMap<>(MetaLevel.class);
  private final CompletableFuture<Void> started = new CompletableFuture<>();

  /** Makes locks that nobody gets before the start has ended. */
  public ChangeLocks() {
    for (MetaLevel level : MetaLevel.values()) {
      locks.put(level, new OrderedLock(Place.CHANGE));
    }
  }

  /** Runs something while no table that is described in a level comes, goes or changes. */
  public <T> T changing(MetaLevel level, Supplier<T> action) {
    started.join(); // a tablet on its way here would come as it was before the change
    OrderedLock lock = Objects.requireNonNull(locks.get(level), "a lock for each level");
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  /** The same for the level of a table. */
  public <T> T changing(String table, Supplier<T> action) {
    return changing(MetaLevel.of(table), action);
  }

  /** The same, without an answer. */
  void changing(String table, Runnable change) {
    changing(
        table,
        () -> {
          change.run();
          return change;
        });
  }

  /** Whoever waits for the start waits no longer, however it ended. */
  public void endStart() {
    started.complete(null);
  }
}
