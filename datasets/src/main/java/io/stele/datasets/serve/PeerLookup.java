package io.stele.datasets.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.Lookup;
import io.stele.base.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Asks the nodes that the map names for a shard.
 *
 * <p>One of them first, which {@link PeerScores} chooses; after each stage, and at once after a
 * failure, one more beside those that have not answered. The first answer wins and the others are
 * cancelled; that a key is missing is an answer. At the time-out, or when all have failed, it is
 * given up. No peer is queried twice.
 *
 * <p>No thread waits for an answer. The thread that delivers a peer's answer continues the lookup,
 * and callers of {@link #tick} start the next stage when it is due. Safe for use by many threads.
 */
final class PeerLookup {
  /** That nothing will be due before something is asked. */
  static final long NOTHING = Long.MAX_VALUE;

  private final DatasetPeer peer;
  private final Clock clock;
  private final RandomGenerator random;
  private final long stageNanos;
  private final Duration timeout;
  private final PeerScores scores = new PeerScores();

  // All wait equally long, so the first is the next that is due: in each queue times ascend, but
  // for threads that overtake each other on the way to it. A lookup that has ended leaves an empty
  // alarm behind for the rest of its time, and no more.
  private final Queue<Alarm> stages = new ConcurrentLinkedQueue<>();
  private final Queue<Alarm> ends = new ConcurrentLinkedQueue<>();
  private volatile boolean idle = true; // tick() has found both empty
  private volatile Runnable wake = () -> {};

  PeerLookup(
      DatasetPeer peer, Clock clock, RandomGenerator random, Duration stage, Duration timeout) {
    this.peer = peer;
    this.clock = clock;
    this.random = random;
    this.stageNanos = stage.toNanos();
    this.timeout = timeout;
  }

  /** What became of it. */
  sealed interface Outcome {
    /** A peer had the shard; an answer for each key. */
    record Answered(List<PeerAnswer> answers, String address) implements Outcome {}

    /** Nobody could say. */
    record GivenUp(Lookup.Failure failure, String reason) implements Outcome {}
  }

  /** A moment at which a lookup is to be looked at; nothing is left of it when there is no need. */
  private static final class Alarm {
    final long nanos;
    volatile @Nullable Question question;

    Alarm(long nanos, Question question) {
      this.nanos = nanos;
      this.question = question;
    }
  }

  /** A lookup under way. What is not final is guarded by the object. */
  private final class Question {
    final ServedVersion version;
    final int shard;
    final List<Bytes> keys;
    final List<String> peers;
    final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    final Alarm end;
    private final List<CompletableFuture<List<PeerAnswer>>> requests = new ArrayList<>(2);
    private final List<String> failures = new ArrayList<>(0);
    private int asked;
    private boolean done;
    private @Nullable Alarm stage;

    Question(ServedVersion version, int shard, List<Bytes> keys, List<String> peers, long now) {
      this.version = version;
      this.shard = shard;
      this.keys = keys;
      this.peers = peers;
      this.end = new Alarm(now + timeout.toNanos(), this);
    }

    /** The next peer, or null if there is none or no need. Restarts the stage. */
    private synchronized @Nullable String next(long now) {
      if (done || asked == peers.size()) {
        return null;
      }
      if (stage != null) {
        stage.question = null;
      }
      stage = asked + 1 == peers.size() ? null : new Alarm(now + stageNanos, this);
      if (stage != null) {
        stages.add(stage);
      }
      return peers.get(asked++);
    }

    private synchronized boolean add(CompletableFuture<List<PeerAnswer>> request) {
      return !done && requests.add(request);
    }

    void askNext() {
      long begun = clock.nanos();
      String address = next(begun);
      if (address == null) {
        return;
      }
      scores.begun(address);
      CompletableFuture<List<PeerAnswer>> request;
      try {
        request = peer.get(address, version.dataset(), version.version(), version.shards(), keys);
      } catch (RuntimeException e) {
        request = CompletableFuture.failedFuture(e);
      }
      boolean wanted = add(request);
      var _ = request.whenComplete((answers, failure) -> replied(address, begun, answers, failure));
      if (!wanted) {
        var _ = request.cancel(true);
      }
    }

    private void replied(
        String address,
        long begun,
        @Nullable List<PeerAnswer> answers,
        @Nullable Throwable failure) {
      String problem = problem(answers, failure);
      long now = clock.nanos();
      if (problem == null && answers != null) {
        scores.answered(address, now - begun, now);
        if (!finish(new Outcome.Answered(answers, address))) {
          close(answers); // another one was faster
        }
        return;
      }
      if (failed(address + ": " + problem)) {
        // As slow as can be: others go first until that has faded.
        scores.answered(address, timeout.toNanos(), now);
        proceed();
      } else {
        scores.ended(address, now - begun, now);
      }
    }

    /** What is wrong with a reply; null if nothing is. */
    private @Nullable String problem(
        @Nullable List<PeerAnswer> answers, @Nullable Throwable failure) {
      if (failure != null || answers == null) {
        return String.valueOf(failure);
      }
      for (PeerAnswer answer : answers) {
        if (answer instanceof PeerAnswer.NotHere(String reason)) {
          return reason;
        }
        if (answer instanceof PeerAnswer.TooLarge) {
          return "a value that is too large to be sent with others";
        }
      }
      return answers.size() == keys.size()
          ? null
          : answers.size() + " answers to " + keys.size() + " keys";
    }

    private synchronized boolean failed(String reason) {
      return !done && failures.add(reason);
    }

    /** After a failure. */
    private void proceed() {
      boolean all;
      String reasons;
      synchronized (this) {
        all = failures.size() == peers.size();
        reasons = told();
      }
      if (all) {
        finish(new Outcome.GivenUp(Lookup.Failure.NO_PEER, what(version, shard) + reasons));
      } else {
        askNext();
      }
    }

    void timedOut() {
      String reasons;
      int count;
      synchronized (this) {
        reasons = told();
        count = asked;
      }
      finish(
          new Outcome.GivenUp(
              Lookup.Failure.TIMED_OUT,
              "%s: %d nodes asked, no answer within %d ms%s"
                  .formatted(what(version, shard), count, timeout.toMillis(), reasons)));
    }

    private String told() {
      return failures.isEmpty() ? "" : "; " + String.join("; ", failures);
    }

    /** Ends it, unless it has ended; whether it had not. */
    private boolean finish(Outcome how) {
      List<CompletableFuture<List<PeerAnswer>>> others;
      synchronized (this) {
        if (done) {
          return false;
        }
        done = true;
        end.question = null;
        if (stage != null) {
          stage.question = null;
        }
        others = List.copyOf(requests);
      }
      others.forEach(request -> request.cancel(true)); // nothing becomes of the one that is done
      outcome.complete(how);
      return true;
    }
  }

  private static String what(ServedVersion version, int shard) {
    return "shard " + shard + " of version " + version.version() + " of " + version.dataset();
  }

  /** Closes what a peer has answered that was overtaken by another one. */
  private static void close(List<PeerAnswer> answers) {
    for (PeerAnswer answer : answers) {
      if (answer instanceof PeerAnswer.Large(LargeValue value)) {
        try {
          value.close();
        } catch (IOException e) {
          // Nobody wants it.
        }
      }
    }
  }

  /** Never completed exceptionally. */
  CompletableFuture<Outcome> ask(ServedVersion version, int shard, List<Bytes> keys) {
    List<String> holders = version.holders().of(shard);
    if (holders.isEmpty()) {
      return CompletableFuture.completedFuture(
          new Outcome.GivenUp(
              Lookup.Failure.NO_PEER,
              what(version, shard) + " is not here, and no node is known to have it"));
    }
    long now = clock.nanos();
    Question question = new Question(version, shard, keys, scores.order(holders, random, now), now);
    ends.add(question.end);
    question.askNext();
    if (idle) {
      idle = false;
      wake.run();
    }
    return question.outcome;
  }

  /** Calls something whenever {@link #tick} has answered {@link #NOTHING} and is needed again. */
  void whenNeeded(Runnable waking) {
    wake = waking;
  }

  /**
   * Does what is due by the clock. One thread at a time.
   *
   * @return after how many nanoseconds something may be due
   */
  long tick() {
    long now = clock.nanos();
    long next = Math.min(due(stages, now, Question::askNext), due(ends, now, Question::timedOut));
    if (next == NOTHING) {
      idle = true; // before it looks again: who asks meanwhile sees it, or is seen
      return stages.isEmpty() && ends.isEmpty() ? NOTHING : 0;
    }
    return next;
  }

  private interface Action {
    void on(Question question);
  }

  private static long due(Queue<Alarm> alarms, long now, Action action) {
    while (true) {
      Alarm first = alarms.peek();
      if (first == null) {
        return NOTHING;
      }
      Question question = first.question;
      if (question != null && first.nanos - now > 0) {
        return first.nanos - now;
      }
      var _ = alarms.poll();
      if (question != null) {
        action.on(question);
      }
    }
  }
}
