package io.stele.tables.master;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.error.UnavailableException;
import io.stele.base.time.Clock;
import io.stele.tables.meta.TabletKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Who is busy with which tablet: nothing else of this master touches it meanwhile. So a slow load
 * or move keeps nobody from looking after all other tablets. Any number of threads.
 *
 * <p>This is order within one master; what keeps two of them from giving a tablet to two servers is
 * META.
 */
final class Reservations {
  /** Tablets that are its owner's to move until it is closed. */
  interface Reservation extends AutoCloseable {
    List<TabletKey> tablets();

    @Override
    void close();
  }

  private final Clock clock;

  @GuardedBy("this")
  private final Set<TabletKey> tablets = new HashSet<>();

  @GuardedBy("this")
  private final Set<String> tables = new HashSet<>();

  @GuardedBy("this")
  private final Map<TabletKey, GivenBack> givenBack = new HashMap<>(); // lately

  @GuardedBy("this")
  private long count;

  private record GivenBack(long number, long nanos) {}

  private static final Duration LATELY = Duration.ofMinutes(1);

  Reservations(Clock clock) {
    this.clock = clock;
  }

  /**
   * A moment. What was read of a tablet at or after it counts for nothing if somebody was busy with
   * the tablet at any time since.
   */
  synchronized long mark() {
    long old = clock.nanos() - LATELY.toNanos();
    givenBack.values().removeIf(each -> each.nanos() - old < 0);
    return ++count;
  }

  /** Those of the tablets that nobody is busy with, nor was since a moment. */
  synchronized Reservation takeFree(Collection<TabletKey> wanted, long mark) {
    return take(wanted.stream().filter(key -> isFree(key, mark)).distinct().toList());
  }

  synchronized boolean isFree(TabletKey tablet, long mark) {
    GivenBack back = givenBack.get(tablet);
    return isFree(tablet) && (back == null || back.number() < mark);
  }

  /** All of the tablets; waits for those who are busy with one. */
  synchronized Reservation takeAll(Collection<TabletKey> wanted, Duration patience) {
    await(
        () -> wanted.stream().allMatch(this::isFree),
        patience,
        // One that is interrupted may find them all free by now.
        () ->
            wanted.stream()
                .filter(key -> !isFree(key))
                .findFirst()
                .map(TabletKey::toString)
                .orElse("a tablet"));
    return take(wanted.stream().distinct().toList());
  }

  /** All tablets of a table that there are and that come. */
  synchronized Reservation takeTable(String table, Duration patience) {
    await(() -> isFree(table), patience, () -> "a tablet of table \"" + table + "\"");
    tables.add(table);
    return reservation(List.of(), () -> giveBack(table));
  }

  private synchronized boolean isFree(String table) {
    return !tables.contains(table) && tablets.stream().noneMatch(key -> key.table().equals(table));
  }

  private synchronized void giveBack(String table) {
    tables.remove(table);
  }

  private synchronized boolean isFree(TabletKey tablet) {
    return !tablets.contains(tablet) && !tables.contains(tablet.table());
  }

  @GuardedBy("this")
  private Reservation take(List<TabletKey> free) {
    tablets.addAll(free);
    return reservation(free, () -> giveBack(free));
  }

  private synchronized void giveBack(List<TabletKey> taken) {
    GivenBack now = new GivenBack(++count, clock.nanos());
    for (TabletKey key : taken) {
      tablets.remove(key);
      givenBack.put(key, now);
    }
  }

  private Reservation reservation(List<TabletKey> taken, Runnable giveBack) {
    List<TabletKey> copy = new ArrayList<>(taken);
    return new Reservation() {
      @GuardedBy("Reservations.this")
      private boolean closed;

      @Override
      public List<TabletKey> tablets() {
        return List.copyOf(copy);
      }

      @Override
      public void close() {
        synchronized (Reservations.this) {
          if (!closed) {
            closed = true;
            giveBack.run();
            Reservations.this.notifyAll();
          }
        }
      }
    };
  }

  private void await(BooleanSupplier free, Duration patience, Supplier<String> busy) {
    long end = clock.nanos() + patience.toNanos();
    boolean interrupted = false;
    while (!free.getAsBoolean() && !interrupted) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - clock.nanos());
      if (left <= 0) {
        throw new UnavailableException(busy.get() + " is being loaded or moved: try again");
      }
      try {
        wait(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        interrupted = true;
      }
    }
    if (interrupted) {
      throw new UnavailableException("the master ended while it waited for " + busy.get());
    }
  }
}
