package io.stele.testkit.history;

import io.stele.testkit.history.WatchStream.Delivery;
import io.stele.testkit.history.WatchStream.Event;
import io.stele.testkit.history.WatchStream.Events;
import io.stele.testkit.history.WatchStream.Progress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Says whether watchers were told what happened in their range: every change once, in the order of
 * revisions, those of one revision together, and no progress before its events.
 */
public final class WatchChecker {

  public Verdict check(List<WatchStream> streams, RevisionHistory store) {
    List<Violation> violations = new ArrayList<>();
    long events = 0;
    for (WatchStream stream : streams) {
      Reader reader = new Reader(stream, store, violations);
      reader.run();
      events += reader.events;
    }
    return new Verdict(events, violations);
  }

  /** The changes of one revision that arrived together. */
  private record Piece(long revision, List<Change> changes) {}

  private static final class Reader {
    private final WatchStream stream;
    private final List<Violation> violations;
    private final NavigableMap<Long, Set<Change>> expected = new TreeMap<>();

    /** What has not been told yet; a revision leaves when nothing of it is left. */
    private final NavigableMap<Long, Set<Change>> missing = new TreeMap<>();

    private long highest = Long.MIN_VALUE;
    private int events;

    Reader(WatchStream stream, RevisionHistory store, List<Violation> violations) {
      this.stream = stream;
      this.violations = violations;
      store
          .revisions()
          .tailMap(stream.from(), true)
          .forEach(
              (revision, changes) -> {
                Set<Change> inRange = new LinkedHashSet<>();
                changes.stream()
                    .filter(change -> stream.range().contains(change.key()))
                    .forEach(inRange::add);
                if (!inRange.isEmpty()) {
                  expected.put(revision, inRange);
                  missing.put(revision, new LinkedHashSet<>(inRange));
                }
              });
    }

    void run() {
      for (Delivery delivery : stream.deliveries()) {
        switch (delivery) {
          case Events(List<Event> list) -> pieces(list).forEach(this::take);
          case Progress(long revision) -> progress(revision);
        }
      }
      long told = Math.max(stream.upTo(), highest);
      missing
          .headMap(told, true)
          .forEach(
              (revision, changes) ->
                  add(
                      Anomaly.WATCH_GAP,
                      "revision %d with %s is missing, though told of all up to revision %d"
                          .formatted(revision, changes, told)));
    }

    private static List<Piece> pieces(List<Event> events) {
      List<Piece> pieces = new ArrayList<>();
      for (Event event : events) {
        if (pieces.isEmpty() || pieces.getLast().revision != event.revision()) {
          pieces.add(new Piece(event.revision(), new ArrayList<>()));
        }
        pieces.getLast().changes.add(event.change());
      }
      return pieces;
    }

    private void take(Piece piece) {
      long revision = piece.revision;
      events += piece.changes.size();
      Set<Change> right = expected.getOrDefault(revision, Set.of());
      Set<Change> left = missing.getOrDefault(revision, new LinkedHashSet<>());
      boolean begun = left.size() < right.size();
      boolean news = false;
      for (Change change : piece.changes) {
        if (!right.contains(change)) {
          add(
              Anomaly.WATCH_UNEXPLAINED,
              "revision %d with %s, where the store has %s in %s from revision %d on"
                  .formatted(revision, change, right, stream.range(), stream.from()));
        } else if (left.remove(change)) {
          news = true;
        } else {
          add(
              Anomaly.WATCH_DUPLICATE,
              "revision %d with %s for the second time".formatted(revision, change));
        }
      }
      if (left.isEmpty()) {
        missing.remove(revision);
      }
      if (news && begun) {
        add(
            Anomaly.WATCH_SPLIT,
            "revision %d in pieces, the later one %s".formatted(revision, piece.changes));
      } else if (news && revision < highest) {
        add(Anomaly.WATCH_DISORDER, "revision %d after revision %d".formatted(revision, highest));
      }
      if (!right.isEmpty()) {
        highest = Math.max(highest, revision);
      }
    }

    private void progress(long revision) {
      var untold = missing.headMap(revision, true);
      if (!untold.isEmpty()) {
        add(
            Anomaly.WATCH_PROGRESS_AHEAD,
            "told to have seen all up to revision %d, and had not been told of %s"
                .formatted(revision, untold));
      }
    }

    private void add(Anomaly anomaly, String message) {
      violations.add(new Violation(anomaly, stream.watcher() + ": " + message));
    }
  }
}
