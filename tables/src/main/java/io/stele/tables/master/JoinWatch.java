package io.stele.tables.master;

import io.stele.base.bytes.Bytes;
import io.stele.base.time.Clock;
import io.stele.tables.master.JoinPolicy.Pair;
import io.stele.tables.meta.TabletKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Since when pairs of tablets have been as they are: small, with these rows, on these servers. A
 * new master knows of none, so it begins to count then. Used by one thread at a time.
 */
final class JoinWatch {
  /** What must stay the same. */
  private record Id(
      TabletKey lower, Bytes first, TabletKey upper, LiveServer lowerAt, LiveServer upperAt) {
    static Id of(Pair pair) {
      return new Id(
          pair.lower().tablet(),
          pair.lower().first(),
          pair.upper().tablet(),
          pair.lower().server(),
          pair.upper().server());
    }
  }

  private final Clock clock;
  private final Duration age;
  private Map<Id, Long> since = new HashMap<>(); // in nanos

  JoinWatch(Clock clock, Duration age) {
    this.clock = clock;
    this.age = age;
  }

  /**
   * Those of all pairs that there are now that have been there in every look for the join age. One
   * that is missing from a look counts from zero when it comes back.
   */
  List<Pair> settled(List<Pair> now) {
    Map<Id, Long> next = new HashMap<>();
    List<Pair> settled = new ArrayList<>();
    long nanos = clock.nanos();
    for (Pair pair : now) {
      long start = since.getOrDefault(Id.of(pair), nanos);
      next.put(Id.of(pair), start);
      if (nanos - start >= age.toNanos()) {
        settled.add(pair);
      }
    }
    since = next;
    return settled;
  }

  /** An attempt was made: the pair counts from zero if it is still there. */
  void attempted(Pair pair) {
    since.remove(Id.of(pair));
  }
}
