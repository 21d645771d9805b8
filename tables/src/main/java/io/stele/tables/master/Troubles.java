package io.stele.tables.master;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.error.ConflictException;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.DeniedException;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.FencedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.time.Clock;
import io.stele.tables.meta.TabletKey;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Tablets that could not be loaded, and servers that failed, and when each may be tried again: ever
 * later, up to a bound. Any number of threads.
 */
final class Troubles {
  /**
   * Why a tablet is not served.
   *
   * @param failures by server
   */
  record Trouble(
      int attempts, long notBefore, SteleException problem, Map<LiveServer, Integer> failures) {}

  private final Clock clock;
  private final MasterSettings settings;

  @GuardedBy("this")
  private final Map<TabletKey, Trouble> tablets = new HashMap<>();

  @GuardedBy("this")
  private final Map<LiveServer, Long> suspects = new HashMap<>(); // until when

  Troubles(Clock clock, MasterSettings settings) {
    this.clock = clock;
    this.settings = settings;
  }

  /**
   * An attempt of a server to load a tablet failed.
   *
   * @return whether this is news: another problem than last time
   */
  synchronized boolean failed(TabletKey tablet, LiveServer server, SteleException problem) {
    Optional<Trouble> before = Optional.ofNullable(tablets.get(tablet));
    int attempts = before.map(Trouble::attempts).orElse(0) + 1;
    Duration pause = isLasting(problem) ? settings.longestRetry() : pause(attempts);
    Map<LiveServer, Integer> failures =
        new HashMap<>(before.map(Trouble::failures).orElse(Map.of()));
    failures.merge(server, 1, Integer::sum);
    tablets.put(tablet, new Trouble(attempts, clock.nanos() + pause.toNanos(), problem, failures));
    return before.isEmpty()
        || !String.valueOf(before.get().problem().getMessage())
            .equals(String.valueOf(problem.getMessage()));
  }

  private Duration pause(int attempts) {
    Duration doubled = settings.firstRetry().multipliedBy(1L << Math.min(attempts - 1, 20));
    return doubled.compareTo(settings.longestRetry()) < 0 ? doubled : settings.longestRetry();
  }

  /** Whether trying again is of no use before somebody has repaired something. */
  static boolean isLasting(SteleException problem) {
    return switch (problem) {
      case CorruptDataException _, InvalidRequestException _, NotFoundException _ -> true;
      case ConflictException _,
          DeniedException _,
          ExhaustedException _,
          FencedException _,
          NotServingException _,
          OutcomeUnknownException _,
          UnavailableException _ ->
          false;
    };
  }

  synchronized void settled(TabletKey tablet) {
    tablets.remove(tablet);
  }

  /** Forgets tablets that are served, or that there are no more. */
  synchronized void keepOnly(Collection<TabletKey> unserved) {
    tablets.keySet().retainAll(new HashSet<>(unserved));
  }

  synchronized boolean mayBeTried(TabletKey tablet) {
    Trouble trouble = tablets.get(tablet);
    return trouble == null || clock.nanos() - trouble.notBefore() >= 0;
  }

  synchronized Optional<Trouble> of(TabletKey tablet) {
    return Optional.ofNullable(tablets.get(tablet));
  }

  /** A server did not do as it was told: it gets nothing more for a while, if there are others. */
  synchronized void suspect(LiveServer server) {
    suspects.put(server, clock.nanos() + settings.longestRetry().toNanos());
  }

  synchronized Set<LiveServer> suspects() {
    long now = clock.nanos();
    suspects.values().removeIf(until -> now - until >= 0);
    return Set.copyOf(suspects.keySet());
  }

  /** How long until something may be tried again; nothing if nothing is to be. */
  synchronized Optional<Duration> untilNext() {
    long now = clock.nanos();
    return tablets.values().stream()
        .map(trouble -> Duration.ofNanos(Math.max(0, trouble.notBefore() - now)))
        .min(Duration::compareTo);
  }
}
