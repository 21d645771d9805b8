package io.stele.it.metastore;

import io.stele.base.error.ConflictException;
import io.stele.base.error.SteleException;
import io.stele.base.time.Clock;
import io.stele.client.metastore.HeldLock;
import io.stele.client.metastore.LockRequest;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.Session;
import io.stele.client.metastore.Step;
import io.stele.testkit.history.Change;
import io.stele.testkit.history.Hold;
import io.stele.testkit.history.LockChecker;
import io.stele.testkit.history.RevisionHistory;
import io.stele.testkit.history.Verdict;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Sessions of short life that lock shared and exclusively, and write under the protection of their
 * locks' tokens while they believe to hold them.
 */
final class LockWorkload {
  static final String GUARDED = "/guarded/";
  static final String EPHEMERAL = "/ephemeral/";

  private static final Duration TIME_TO_LIVE = Duration.ofSeconds(2);
  private static final int LOCKS = 4;

  private final Clock clock = Clock.system();
  private final Queue<Hold> holds = new ConcurrentLinkedQueue<>();
  private final Queue<String> broken = new ConcurrentLinkedQueue<>();
  private final Set<Long> sessions = ConcurrentHashMap.newKeySet();
  private final AtomicLong numbers = new AtomicLong();
  private final AtomicLong guarded = new AtomicLong();
  private final AtomicLong ended = new AtomicLong();
  private final Workers workers;

  LockWorkload(long seed) {
    this.workers = new Workers("locks", seed);
  }

  Workers workers() {
    return workers;
  }

  void start(String name, MetastoreClient client) {
    Locker locker = new Locker(name, client);
    workers.start(locker::step);
  }

  private final class Locker {
    private final String name;
    private final MetastoreClient client;
    private @Nullable Session session;

    Locker(String name, MetastoreClient client) {
      this.name = name;
      this.client = client;
    }

    void step(RandomGenerator random) throws InterruptedException {
      try {
        Session alive = session();
        String lock = "/locks/" + random.nextInt(LOCKS);
        boolean exclusive = random.nextInt(3) > 0;
        LockRequest request = alive.lock(lock);
        HeldLock held =
            (exclusive ? request.exclusive() : request.shared()).acquire(Duration.ofSeconds(1));
        hold(held, random);
        workers.answered();
        workers.pause(Workers.PACE);
      } catch (ConflictException e) {
        // It was not its turn in time.
      } catch (SteleException e) {
        giveUp();
        workers.refused();
      }
    }

    private Session session() {
      Session current = session;
      if (current == null || !current.isAlive()) {
        if (current != null) {
          ended.incrementAndGet();
        }
        current = client.openSession(TIME_TO_LIVE);
        if (!sessions.add(current.id())) {
          broken.add("session " + current.id() + " was opened twice");
        }
        session = current;
        current.put(EPHEMERAL + current.id(), name);
      }
      return current;
    }

    private void hold(HeldLock lock, RandomGenerator random) throws InterruptedException {
      long from = clock.nanos();
      if (!lock.isHeld()) {
        return; // its session ran out before it heard of the grant
      }
      // Whoever holds it after a moment has held it at that moment: so it is certain up to there.
      long certain = from;
      long now = from;
      int turns = random.nextInt(1, 5);
      for (int i = 0; i < turns && lock.isHeld(); i++) {
        certain = now;
        if (lock.isExclusive()) {
          writeGuarded(lock);
        }
        workers.pause(Duration.ofMillis(random.nextInt(5)));
        now = clock.nanos();
      }
      String holder = name + "/" + lock.session().id();
      boolean stillHeld = lock.isHeld();
      holds.add(
          new Hold(
              lock.key(),
              holder,
              lock.isExclusive(),
              lock.token(),
              from,
              stillHeld ? now : certain));
      if (stillHeld) {
        lock.release();
      }
    }

    private void writeGuarded(HeldLock lock) {
      String value = lock.token() + "#" + numbers.incrementAndGet();
      String key = GUARDED + lock.key().substring("/locks/".length());
      boolean done;
      try {
        done = client.transaction().whenHeld(lock).then(Step.put(key, value)).commit().succeeded();
      } catch (SteleException e) {
        return; // the replay of tokens does not ask which ones were answered
      }
      if (done) {
        guarded.incrementAndGet();
      } else if (lock.isHeld()) {
        broken.add(
            lock.key() + " with token " + lock.token() + " is held, and its write was refused");
      }
    }

    /** What its session holds is unclear: it gets a new one. */
    private void giveUp() {
      Session current = session;
      session = null;
      if (current != null) {
        var _ = current.closeAsync();
      }
    }
  }

  Verdict check(RevisionHistory store) {
    checkTokens(store);
    if (!broken.isEmpty()) {
      throw new AssertionError(broken.size() + " broken promises, first: " + broken.peek());
    }
    return new LockChecker().check(List.copyOf(holds));
  }

  /** As if everybody had gone on to believe for a while: that must be found to be wrong. */
  Verdict checkProlonged(Duration time) {
    return new LockChecker()
        .check(
            holds.stream()
                .map(
                    hold ->
                        new Hold(
                            hold.lock(),
                            hold.client(),
                            hold.exclusive(),
                            hold.token(),
                            hold.from(),
                            hold.until() + time.toNanos()))
                .toList());
  }

  /** Writes under an exclusive lock's tokens follow each other as the tokens do. */
  private void checkTokens(RevisionHistory store) {
    Map<String, Long> highest = new HashMap<>();
    store
        .revisions()
        .forEach(
            (revision, changes) -> {
              for (Change change : guardedChanges(changes)) {
                String value = change.value().orElseThrow();
                long token = Long.parseLong(value.substring(0, value.indexOf('#')));
                long before = highest.merge(change.key(), token, Math::max);
                if (token < before) {
                  broken.add(
                      "%s has a write of token %d at revision %d, after one of token %d"
                          .formatted(change.key(), token, revision, before));
                }
              }
            });
  }

  private static List<Change> guardedChanges(List<Change> changes) {
    return changes.stream().filter(change -> change.key().startsWith(GUARDED)).toList();
  }

  @Override
  public String toString() {
    return "%s, %d guarded writes, %d sessions, of which %d ran out"
        .formatted(workers, guarded.get(), sessions.size(), ended.get());
  }
}
