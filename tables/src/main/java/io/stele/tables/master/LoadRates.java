package io.stele.tables.master;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.time.Clock;
import io.stele.tables.master.ServerReport.TabletReport;
import io.stele.tables.meta.TabletKey;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Requests per second, from what servers count. Rates are over the time between two reports, which
 * must be long enough to mean something. Any number of threads.
 */
final class LoadRates {
  /** Of a tablet or a server. */
  record Rate(double reads, double writes) {
    static final Rate NONE = new Rate(0, 0);

    double both() {
      return reads + writes;
    }

    Rate plus(Rate other) {
      return new Rate(reads + other.reads, writes + other.writes);
    }
  }

  /** The last report that was used, and what came of it. */
  private record Known(
      long nanos, Map<TabletKey, TabletReport> counts, Map<TabletKey, Rate> rates) {}

  private static final long SHORTEST = TimeUnit.SECONDS.toNanos(1);

  private final Clock clock;

  @GuardedBy("this")
  private final Map<LiveServer, Known> known = new HashMap<>();

  LoadRates(Clock clock) {
    this.clock = clock;
  }

  synchronized void update(ServerReport report) {
    long now = clock.nanos();
    Optional<Known> before = Optional.ofNullable(known.get(report.server()));
    if (before.isPresent() && now - before.get().nanos() < SHORTEST) {
      return;
    }
    Map<TabletKey, TabletReport> counts = new HashMap<>();
    Map<TabletKey, Rate> rates = new HashMap<>();
    for (TabletReport tablet : report.tablets()) {
      counts.put(tablet.tablet(), tablet);
      before
          .flatMap(last -> Optional.ofNullable(last.counts().get(tablet.tablet())))
          .ifPresent(
              last -> {
                double seconds = (now - before.get().nanos()) / 1e9;
                rates.put(
                    tablet.tablet(),
                    new Rate(
                        Math.max(0, tablet.reads() - last.reads()) / seconds,
                        Math.max(0, tablet.writes() - last.writes()) / seconds));
              });
    }
    known.put(report.server(), new Known(now, counts, rates));
  }

  synchronized void keepOnly(Collection<LiveServer> live) {
    known.keySet().retainAll(List.copyOf(live));
  }

  synchronized Rate of(LiveServer server, TabletKey tablet) {
    return Optional.ofNullable(known.get(server))
        .flatMap(last -> Optional.ofNullable(last.rates().get(tablet)))
        .orElse(Rate.NONE);
  }

  synchronized Rate of(LiveServer server) {
    return Optional.ofNullable(known.get(server)).stream()
        .flatMap(last -> last.rates().values().stream())
        .reduce(Rate.NONE, Rate::plus);
  }
}
