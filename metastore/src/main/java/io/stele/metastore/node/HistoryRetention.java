package io.stele.metastore.node;

import io.stele.base.event.Events;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.ClusterVersion;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Origin;
import io.stele.metastore.state.MetastoreState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Forgets old history, by the leader: it notes the revision once a minute (or sixty times within
 * the time kept, if that is short), and compacts to a note when that has become old enough; or,
 * once a minute, to all but so many of the newest revisions. Before cluster version 3 it also has
 * dropped, in small parts, what compactions left behind, those that users asked for included.
 */
final class HistoryRetention {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private record Note(long nanos, long revision) {}

  private final Duration kept;
  private final long keptRevisions;
  private final int chunk;
  private final MetastoreState state;
  private final Proposer proposer;
  private final Events events;
  private final Deque<Note> notes = new ArrayDeque<>();
  private volatile boolean underWay;
  private long nextCut; // when the revisions are counted again

  HistoryRetention(
      Duration kept,
      long keptRevisions,
      int chunk,
      MetastoreState state,
      Proposer proposer,
      Events events) {
    this.kept = kept;
    this.keptRevisions = keptRevisions;
    this.chunk = chunk;
    this.state = state;
    this.proposer = proposer;
    this.events = events;
  }

  synchronized void leads(long now) {
    notes.clear();
    nextCut = now;
    underWay = false;
  }

  synchronized void tick(long now) {
    if (kept.isPositive()) {
      note(now);
      compactTo(aged(now));
    }
    if (keptRevisions > 0 && now - nextCut >= 0) {
      nextCut = now + MINUTE.toNanos();
      compactTo(state.revision() - keptRevisions);
    }
    // Until the engine does it by itself: what any compaction has left over is dropped.
    if (state.version() < ClusterVersion.WITH_FLOOR
        && !underWay
        && state.reclaimed() < state.compacted() - 1) {
      underWay = true;
      reclaimNext();
    }
  }

  private void note(long now) {
    long every = Math.min(MINUTE.toNanos(), kept.toNanos() / 60);
    if (notes.isEmpty() || now - notes.getLast().nanos() >= every) {
      notes.addLast(new Note(now, state.revision()));
    }
  }

  /** The newest note that is old enough; 0 for none. */
  private long aged(long now) {
    long aged = 0;
    while (!notes.isEmpty() && now - notes.getFirst().nanos() >= kept.toNanos()) {
      aged = notes.removeFirst().revision();
    }
    return aged;
  }

  private void compactTo(long target) {
    if (target > state.compacted()) {
      var _ =
          proposer
              .propose(new Command.Compact(Origin.of(Origin.LEADER), target))
              .thenAccept(done -> events.publish(new NodeEvent.HistoryCompacted(target)));
    }
  }

  private void reclaimNext() {
    var _ =
        proposer
            .propose(new Command.Reclaim(chunk))
            .whenComplete(
                (answer, failure) -> {
                  if (answer instanceof Answer.Reclaimed part && part.more()) {
                    reclaimNext();
                  } else {
                    underWay = false; // if it failed, the next tick tries again
                  }
                });
  }
}
