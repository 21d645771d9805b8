package io.stele.tables.write;

import io.stele.base.error.ExhaustedException;
import io.stele.base.file.FileStore;
import io.stele.base.file.StoreSpace;
import io.stele.base.time.Clock;
import io.stele.tables.event.TableEvent;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Refuses writes before a disk is full, while there is still room to flush what is in memory: a log
 * that hits the end of the disk fails, and takes reads with it. Writes are accepted again as soon
 * as there is room.
 *
 * <p>The disks are looked at by those who are about to write: once in a while, and when so much was
 * written since the last look that room may have become short; and by the upkeep. Of a store that
 * does not know its room, nothing is refused.
 */
public final class DiskRoom {
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LOOK_WHEN_LOW_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** No more than this part of a disk is kept free, so that small ones can be used. */
  private static final int SMALLEST_PART = 20;

  /** A change is in the log and in a file at the same time, and both have more than its bytes. */
  private static final int USES_OF_A_BYTE = 4;

  private final List<FileStore> stores;
  private final long reserve;
  private final long preallocated;
  private final LongSupplier unflushed;
  private final Clock clock;
  private final Consumer<TableEvent> events;
  private final Runnable whenLow;
  private final AtomicLong nextLook;
  private final AtomicLong untilLook = new AtomicLong(); // bytes that may be written before it
  private volatile Optional<String> shortage = Optional.empty();

  /**
   * Looks for the first time when somebody is about to write.
   *
   * @param reserve bytes that are kept free on each disk, beside what is unflushed
   * @param preallocated bytes that a log may claim at any time, before it writes to them
   * @param unflushed bytes that are in memory only
   * @param whenLow called when room has become short; not where another program has taken all that
   *     was left, since a new log file would not fit
   */
  DiskRoom(
      List<FileStore> stores,
      long reserve,
      long preallocated,
      LongSupplier unflushed,
      Clock clock,
      Consumer<TableEvent> events,
      Runnable whenLow) {
    this.stores = List.copyOf(stores);
    this.reserve = reserve;
    this.preallocated = preallocated;
    this.unflushed = unflushed;
    this.clock = clock;
    this.events = events;
    this.whenLow = whenLow;
    this.nextLook = new AtomicLong(clock.nanos());
  }

  /**
   * To be called before a write, without locks.
   *
   * @param bytes that are to be written
   * @throws ExhaustedException if there is too little room; names the numbers
   */
  void check(long bytes) {
    if (untilLook.addAndGet(-bytes) < 0 || clock.nanos() - nextLook.get() >= 0) {
      look();
    }
    Optional<String> problem = shortage;
    if (problem.isPresent()) {
      throw new ExhaustedException(problem.get());
    }
  }

  /** Are writes refused, as of the last look? */
  public boolean isLow() {
    return shortage.isPresent();
  }

  /** Looks at the disks now. */
  public synchronized void look() {
    Optional<String> before = shortage;
    Optional<String> found = Optional.empty();
    long spare = Long.MAX_VALUE;
    boolean full = false;
    for (FileStore store : stores) {
      Optional<StoreSpace> space = space(store);
      if (space.isPresent()) {
        long needed = needed(space.get());
        spare = Math.min(spare, space.get().freeBytes() - needed);
        full |= space.get().freeBytes() < needed / 2;
        if (spare < 0 && found.isEmpty()) {
          found = Optional.of(text(store, space.get(), needed));
        }
      }
    }
    shortage = found;
    // When room is short, writes that are refused do not make it shorter.
    untilLook.set(found.isPresent() ? Long.MAX_VALUE : spare / USES_OF_A_BYTE);
    nextLook.set(clock.nanos() + (found.isPresent() ? LOOK_WHEN_LOW_NANOS : LOOK_NANOS));
    if (found.isPresent() && before.isEmpty()) {
      events.accept(new TableEvent.DiskLow(found.get()));
      if (!full) {
        whenLow.run();
      }
    } else if (found.isEmpty() && before.isPresent()) {
      events.accept(new TableEvent.DiskHasRoom());
    }
  }

  private static Optional<StoreSpace> space(FileStore store) {
    try {
      return store.space();
    } catch (IOException e) {
      return Optional.empty(); // whoever writes there is told what is wrong
    }
  }

  private long needed(StoreSpace space) {
    return Math.min(reserve, space.totalBytes() / SMALLEST_PART)
        + preallocated
        + unflushed.getAsLong();
  }

  private static String text(FileStore store, StoreSpace space, long needed) {
    return store.describe()
        + " has "
        + megabytes(space.freeBytes())
        + " free of "
        + megabytes(space.totalBytes())
        + ": writes are refused below "
        + megabytes(needed)
        + ", which the log and the changes in memory may still need; reads go on. Make room, and"
        + " writes are accepted again";
  }

  private static String megabytes(long bytes) {
    return String.format(Locale.ROOT, "%.1f MiB", bytes / (double) (1 << 20));
  }
}
