package io.stele.testkit.history;

import io.stele.base.time.Clock;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Collects the times in which clients believed to hold locks, from any number of threads. A grant
 * is recorded <em>after</em> its answer, a release <em>before</em> it is sent.
 */
public final class LockRecorder {
  private final Clock clock;
  private final Queue<Held> all = new ConcurrentLinkedQueue<>();

  public LockRecorder(Clock clock) {
    this.clock = clock;
  }

  public Held granted(String lock, String client, boolean exclusive, long token) {
    Held held = new Held(new Hold(lock, client, exclusive, token, clock.nanos(), Long.MAX_VALUE));
    all.add(held);
    return held;
  }

  public List<Hold> holds() {
    return all.stream().map(Held::hold).toList();
  }

  /** A grant that its client has not given back yet. */
  public final class Held {
    private final Hold granted;
    private final AtomicLong until = new AtomicLong(Long.MAX_VALUE);

    private Held(Hold granted) {
      this.granted = granted;
    }

    /** The client is about to release the lock. */
    public void releasing() {
      endedAt(clock.nanos());
    }

    /** The client stopped to believe at that time: its session ended, or it died. */
    public void endedAt(long nanos) {
      long end = Math.max(nanos, granted.from());
      until.accumulateAndGet(end, Math::min);
    }

    private Hold hold() {
      return new Hold(
          granted.lock(),
          granted.client(),
          granted.exclusive(),
          granted.token(),
          granted.from(),
          until.get());
    }
  }
}
