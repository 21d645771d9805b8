package io.stele.tables.meta;

import io.stele.base.time.Clock;
import io.stele.engine.Threads;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.MetaTable.Change;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Saves the configurations of tablets, behind the back of whoever changed them.
 *
 * <p>Only what a tablet is by the time it is written matters. So all saves of a tablet that wait
 * become one, and all tablets that wait share one batch: while one is being made durable, the next
 * one gathers. A save that fails is tried again, later and later, until it succeeds or the failure
 * is one that will not pass.
 *
 * <p>Each level of META has a lane with a thread of its own: the tablets of META1 must be saved
 * while writes to META1 wait for just that. In a lane changes are made in the order in which they
 * came, one batch at a time, so that a save never undoes a split that came after it.
 */
public final class ConfigWriter implements AutoCloseable {
  private final Map<MetaLevel, ConfigLane> lanes = new EnumMap<>(MetaLevel.class);
  private final List<Thread> threads = new ArrayList<>();

  /**
   * A writer at rest.
   *
   * @param events is told of failures; must not throw
   */
  public ConfigWriter(MetaTable meta, Clock clock, Consumer<TableEvent> events) {
    this(meta, ConfigGuard.NONE, clock, events);
  }

  /**
   * A writer at rest.
   *
   * @param saves of tablets that this server has: one that the guard forbids is not tried again
   */
  public ConfigWriter(MetaTable meta, ConfigGuard saves, Clock clock, Consumer<TableEvent> events) {
    for (MetaLevel level : MetaLevel.values()) {
      lanes.put(level, new ConfigLane(level, meta, saves, clock, events));
    }
  }

  /** Starts the threads; what was asked for before waits for it. */
  public void start() {
    lanes.forEach(
        (level, lane) ->
            threads.add(
                Thread.ofPlatform()
                    .daemon()
                    .name("stele-config-" + level.name().toLowerCase(Locale.ROOT))
                    .start(lane::run)));
  }

  /**
   * Has a tablet saved as it is by the time that it is written.
   *
   * @param config asked in the lane's thread, without locks held; nothing if the tablet is no
   *     longer here, and so no longer this server's to save
   * @return completed in the lane's thread, before it writes again, with the transaction of the
   *     META table in which it is durable; 0 for the root and if there was nothing to save
   */
  public CompletableFuture<Long> save(TabletKey tablet, Supplier<Optional<TabletConfig>> config) {
    return lane(tablet.table()).save(tablet, config);
  }

  /**
   * Has several tablets of a table saved and removed in one batch, behind all that was asked for
   * before: a split, a join, a load of many. It is tried once, so that the caller can decide what a
   * failure means.
   *
   * @param change asked as in {@link #save(TabletKey, Supplier)}, and to be told as of then: other
   *     saves may have been made meanwhile
   */
  public CompletableFuture<Long> replace(String table, Supplier<Change> change) {
    return replace(table, change, ConfigGuard.NONE, () -> {});
  }

  /**
   * The same, if what META says of each tablet is as it must be, and with something to be done
   * between the change and the next write: a split must be in place by then, or a save that waits
   * would still find the whole tablet and write it over its upper half.
   *
   * @param whenDurable called in the lane's thread; what it throws, the future fails with
   */
  public CompletableFuture<Long> replace(
      String table, Supplier<Change> change, ConfigGuard guard, Runnable whenDurable) {
    return lane(table).replace(change, guard, whenDurable);
  }

  /** Completed when all that was asked for by now of a table's level is saved or has failed. */
  public CompletableFuture<Void> drain(String table) {
    return lane(table).drain();
  }

  /** Completed when all that was asked for by now is saved or has failed. */
  public CompletableFuture<Void> drain() {
    return CompletableFuture.allOf(
        lanes.values().stream().map(ConfigLane::drain).toArray(CompletableFuture<?>[]::new));
  }

  /** Stops after the batches under way; what still waits fails. */
  @Override
  public void close() {
    lanes.values().forEach(ConfigLane::close);
    threads.forEach(Threads::join);
  }

  /** The lane of a table. */
  ConfigLane lane(String table) {
    return Objects.requireNonNull(lanes.get(MetaLevel.of(table)), "a lane for each level");
  }
}
