package io.stele.metastore.node;

import io.stele.base.event.Events;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Origin;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;

/**
 * Forgets old history, by the leader: it notes the revision once a minute (or sixty times within
 * the time kept, if that is short), and compacts to a note when that has become old enough. What a
 * compaction, also one that a user asked for, leaves behind is dropped in small parts, so that the
 * log is not held up.
 */
final class HistoryRetention {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private record Note(long nanos, long revision) {}

  private final Duration kept;
  private final int chunk;
  private final LongSupplier revision;
  private final LongSupplier oldest;
  private final Proposer proposer;
  private final Events events;
  private final Deque<Note> notes = new ArrayDeque<>();
  private volatile boolean reclaim;
  private volatile boolean underWay;

  HistoryRetention(
      Duration kept,
      int chunk,
      LongSupplier revision,
      LongSupplier oldest,
      Proposer proposer,
      Events events) {
    this.kept = kept;
    this.chunk = chunk;
    this.revision = revision;
    this.oldest = oldest;
    this.proposer = proposer;
    this.events = events;
  }

  /** A leader before may have died in the middle of it. */
  synchronized void leads() {
    notes.clear();
    underWay = false;
    reclaim = true;
  }

  /** There is something to drop. */
  void compacted() {
    reclaim = true;
  }

  synchronized void tick(long now) {
    if (kept.isPositive()) {
      note(now);
      compactTo(aged(now));
    }
    if (reclaim && !underWay) {
      reclaim = false;
      underWay = true;
      reclaimNext();
    }
  }

  private void note(long now) {
    long every = Math.min(MINUTE.toNanos(), kept.toNanos() / 60);
    if (notes.isEmpty() || now - notes.getLast().nanos() >= every) {
      notes.addLast(new Note(now, revision.getAsLong()));
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
    if (target > oldest.getAsLong()) {
      proposer
          .propose(new Command.Compact(Origin.of(Origin.LEADER), target))
          .thenAccept(done -> events.publish(new NodeEvent.HistoryCompacted(target)));
    }
  }

  private void reclaimNext() {
    proposer
        .propose(new Command.Reclaim(chunk))
        .whenComplete(
            (answer, failure) -> {
              underWay = false;
              // The next part, or another attempt, comes with the next tick.
              if (failure != null || (answer instanceof Answer.Reclaimed part && part.more())) {
                reclaim = true;
              }
            });
  }
}
