package io.stele.testkit.sim;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Named places at which a schedule stops the threads of a simulated process: before a save, after a
 * fence, between the two halves of a change. Threads announce themselves with {@link #pass}; a
 * schedule stops the next one that does with {@link #arm}, or all threads of a process, as a
 * suspended machine does, with {@link #freeze}.
 *
 * <pre>{@code
 * Hold hold = points.arm("server 1", "log sync");
 * Thread writer = Thread.startVirtualThread(() -> write());   // passes "log sync", and waits there
 * hold.awaitHolding(1, TimeUnit.SECONDS);
 * points.end("server 1");                                     // it dies there
 * }</pre>
 *
 * <p>A thread that waits ignores interrupts: servers interrupt their own threads only.
 */
public final class HoldPoints {
  private enum State {
    ARMED,
    HOLDING,
    RELEASED
  }

  /** One stop of one thread. */
  public final class Hold {
    private final String owner;
    private final String point;
    private State state = State.ARMED; // guarded by lock
    private int skip; // threads that may pass before; guarded by lock

    private Hold(String owner, String point, int skip) {
      this.owner = owner;
      this.point = point;
      this.skip = skip;
    }

    public String owner() {
      return owner;
    }

    /** Whether a thread waits here. */
    public boolean isHolding() {
      lock.lock();
      try {
        return state == State.HOLDING;
      } finally {
        lock.unlock();
      }
    }

    /** Waits until a thread waits here; false if none came in time. */
    public boolean awaitHolding(long time, TimeUnit unit) {
      long left = unit.toNanos(time);
      lock.lock();
      try {
        while (state == State.ARMED && left > 0) {
          left = changed.awaitNanos(left);
        }
        return state == State.HOLDING;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      } finally {
        lock.unlock();
      }
    }

    /** Lets the thread go on, or the next one pass. */
    public void release() {
      lock.lock();
      try {
        state = State.RELEASED;
        holds.remove(this);
        count();
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public String toString() {
      return owner + " at \"" + point + "\"";
    }
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final AtomicLong passes = new AtomicLong();

  // Guarded by lock.
  private final List<Hold> holds = new ArrayList<>();
  private final Set<String> frozen = new HashSet<>();
  private final Set<String> ended = new HashSet<>();
  private int waiting;

  private volatile boolean idle = true; // nobody is to be stopped: passing takes no lock

  private void count() {
    idle = holds.isEmpty() && frozen.isEmpty();
  }

  /** Stops the next thread of a process that passes a point. */
  public Hold arm(String owner, String point) {
    return arm(owner, point, 0);
  }

  /** Stops a thread of a process that passes a point, after so many others have passed it. */
  public Hold arm(String owner, String point, int skip) {
    Hold hold = new Hold(owner, point, skip);
    lock.lock();
    try {
      if (!ended.contains(owner)) {
        holds.add(hold);
        count();
      }
      return hold;
    } finally {
      lock.unlock();
    }
  }

  /** Stops every thread of a process at the next point that it passes, until {@link #thaw}. */
  public void freeze(String owner) {
    lock.lock();
    try {
      if (!ended.contains(owner)) {
        frozen.add(owner);
        count();
      }
    } finally {
      lock.unlock();
    }
  }

  public void thaw(String owner) {
    lock.lock();
    try {
      frozen.remove(owner);
      count();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The process has died: nothing of it waits any more. */
  public void end(String owner) {
    lock.lock();
    try {
      ended.add(owner);
      frozen.remove(owner);
      holds.stream()
          .filter(hold -> hold.owner.equals(owner))
          .forEach(hold -> hold.state = State.RELEASED);
      holds.removeIf(hold -> hold.owner.equals(owner));
      count();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Nobody waits from now on, until something is armed or frozen again. */
  public void releaseAll() {
    lock.lock();
    try {
      holds.forEach(hold -> hold.state = State.RELEASED);
      holds.clear();
      frozen.clear();
      count();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** A thread of a process has come to a point. */
  public void pass(String owner, String point) {
    passes.incrementAndGet();
    if (!idle) {
      stopIfWanted(owner, point);
    }
  }

  private void stopIfWanted(String owner, String point) {
    lock.lock();
    try {
      Hold mine = null;
      for (Hold hold : holds) {
        if (hold.state == State.ARMED
            && hold.owner.equals(owner)
            && hold.point.equals(point)
            && hold.skip-- == 0) {
          mine = hold;
          hold.state = State.HOLDING;
          changed.signalAll();
          break;
        }
      }
      waiting++;
      while ((mine != null && mine.state == State.HOLDING) || frozen.contains(owner)) {
        changed.awaitUninterruptibly();
      }
      waiting--;
    } finally {
      lock.unlock();
    }
  }

  /** Whether a thread waits at a point. */
  public boolean anybodyWaits() {
    lock.lock();
    try {
      return waiting > 0;
    } finally {
      lock.unlock();
    }
  }

  /** Holds that have not been released. */
  public List<Hold> holds() {
    lock.lock();
    try {
      return List.copyOf(holds);
    } finally {
      lock.unlock();
    }
  }

  /** How often points were passed: as long as that grows, something is going on. */
  public long passes() {
    return passes.get();
  }
}
