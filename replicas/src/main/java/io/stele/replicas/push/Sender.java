package io.stele.replicas.push;

import io.stele.base.cell.CellBatch;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.replicas.partition.Threads;
import io.stele.replicas.push.Duty.Target;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sends the changes of one replica to one target, on a thread of its own:
 *
 * <pre>
 *   sequences   1 ……… base ]  base+1 ……………… gapEnd ]  gapEnd+1 ……………………………… newest
 *               confirmed      from the files, by       from the ring: own changes at once, those of
 *                              a CatchUp                others if these do not send them in time
 * </pre>
 *
 * Of own changes, up to {@link #MOST_IN_FLIGHT} pushes are on their way at a time; what comes
 * meanwhile goes with the next, together. A waiting caller hears of each answer at once. But {@link
 * #confirmed} is the end of what is confirmed without a hole: it moves only after the target's
 * answer, and over the pushes in the order in which they were sent. When one fails, all behind it
 * are sent again. Own changes never wait for those of others, nor for what a catch-up has still to
 * send.
 */
final class Sender {
  private final LocalReplica replica;
  private final Target target;
  private final PushSettings settings;
  private final Thread thread;
  private final CatchUp catchUp;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Enough to keep the receiver's log busy: one that is synced, one that waits for it, and those on
  // the network. With more, pushes would only be smaller.
  static final int MOST_IN_FLIGHT = 4;

  // Guarded by lock. Invariants: base <= gapEnd if there is a gap; ownDone, foreignDone >= gapEnd;
  // ownDone <= ownSent.
  private long base; // all up to it are confirmed
  private long gapEnd; // up to it a catch-up sends; no gap if it is not above base
  private long ownDone; // own changes behind the gap and up to it are confirmed
  private long ownSent; // those up to it are confirmed or in flight
  private final Deque<Flight> flights = new ArrayDeque<>(); // in the order of their sequences
  private @Nullable SteleException flightFailed; // until the thread has paused because of it
  private long foreignDone; // those of others likewise
  private boolean woken;
  private boolean closed;
  private int failures; // in a row
  private @Nullable String store; // of the target, that all this is true of; null until it answered
  private long epoch; // the number of stores that the target has had
  private long fillUpTo =
      -1; // what is here up to it makes the target's store whole; -1 if not asked

  // The sender's thread alone.
  private List<Push.Confirmed> told = List.of();
  private long lastSent;
  private boolean untold;

  /**
   * A sender to a target.
   *
   * @param held how far the target is known to be; none if nothing was ever known of it
   */
  Sender(
      LocalReplica replica, Target target, Optional<SequenceMap.Held> held, PushSettings settings) {
    long confirmed = held.map(SequenceMap.Held::sequence).orElse(0L);
    this.store = held.map(SequenceMap.Held::store).orElse(null);
    this.replica = replica;
    this.target = target;
    this.settings = settings;
    this.base = confirmed;
    this.gapEnd = confirmed;
    this.ownDone = confirmed;
    this.ownSent = confirmed;
    this.foreignDone = confirmed;
    this.catchUp = new CatchUp(this, replica, target, settings);
    this.thread =
        Thread.ofVirtual()
            .name("push " + replica.name() + " to " + target.assignment())
            .unstarted(this::run);
  }

  void start() {
    if (catchUp.awaitsHeir()) {
      catchUp.startOrWake(); // though the ring may have it all
    }
    thread.start();
  }

  Target target() {
    return target;
  }

  /** Something is new: changes, METADATA or which servers live. */
  void wake() {
    lock.lock();
    try {
      woken = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** As {@link #wake}, and without the pause after failures. */
  void retryNow() {
    lock.lock();
    try {
      failures = 0;
    } finally {
      lock.unlock();
    }
    wake();
    catchUp.wake();
  }

  /** All up to this sequence are confirmed by the target. */
  long confirmed() {
    lock.lock();
    try {
      return confirmedNow();
    } finally {
      lock.unlock();
    }
  }

  /** How far the target is, and of which store that is true; none if it has not answered yet. */
  Optional<SequenceMap.Held> held() {
    lock.lock();
    try {
      return Optional.ofNullable(store).map(known -> new SequenceMap.Held(confirmedNow(), known));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Sends a store everything that is here, if it is not the one that it was sent to before.
   *
   * @return whether it has all that was here when this was first asked about it
   */
  boolean fill(String found) {
    long here = replica.store().sequence();
    boolean filled;
    lock.lock();
    try {
      if (!found.equals(store)) {
        startOver(found, here);
      }
      if (fillUpTo < 0) {
        fillUpTo = here;
      }
      filled = confirmedNow() >= fillUpTo;
    } finally {
      lock.unlock();
    }
    if (!filled) {
      catchUp.startOrWake(); // without the lock: it takes its own before this one
      wake();
    }
    return filled;
  }

  /**
   * Whether the target's store is the one that was known; else it is sent everything.
   *
   * @param since the epoch in which it was asked: an older store than the one that is known by now
   *     may have answered
   */
  private boolean isKnown(String found, long since) {
    long here = replica.store().sequence();
    lock.lock();
    try {
      if (store == null) {
        store = found;
      }
      if (found.equals(store)) {
        return true;
      }
      if (since != epoch) {
        return false;
      }
      startOver(found, here);
    } finally {
      lock.unlock();
    }
    catchUp.startOrWake();
    replica.report(
        new ReplicaEvent.AnotherStore(replica.name().toString(), target.assignment().toString()));
    return false;
  }

  /** Under the lock: all that is here has to be sent, by the catch-up as far as it is here now. */
  private void startOver(String found, long here) {
    store = found;
    epoch++;
    fillUpTo = here;
    base = 0;
    gapEnd = here;
    ownDone = here;
    ownSent = here;
    flights.clear();
    foreignDone = here;
  }

  /** For the catch-up: changes when what was sent before went to another store. */
  long epoch() {
    lock.lock();
    try {
      return epoch;
    } finally {
      lock.unlock();
    }
  }

  private long confirmedNow() {
    return gapEnd > base ? base : Math.max(base, Math.min(ownDone, foreignDone));
  }

  /** How far the target is, for others; nothing is certain of a store that has never answered. */
  Push.Confirmed state() {
    lock.lock();
    try {
      if (store == null) {
        return new Push.Confirmed(target.assignment().id(), 0, 0);
      }
      return new Push.Confirmed(
          target.assignment().id(), confirmedNow(), gapEnd > base ? base : Math.max(base, ownDone));
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    catchUp.close();
  }

  /** Waits until nothing of it reads the store any more. */
  void awaitEnd() {
    Threads.join(thread);
    catchUp.awaitEnd();
  }

  boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  // ---- the thread

  private void run() {
    while (!isClosed()) {
      try {
        if (!step()) {
          rest(idleNanos());
        }
      } catch (SteleException e) {
        failed(e);
      } catch (RuntimeException e) {
        replica.report(new ReplicaEvent.BackgroundFailed(thread.getName(), e));
        failed(new UnavailableException(e.toString(), e));
      }
    }
  }

  /** Sends what there is; false if there is nothing to be sent now. */
  private boolean step() {
    Optional<ReplicaPeer> peer = replica.partners().peer(target.assignment().server());
    if (peer.isEmpty()) {
      settle();
      return false;
    }
    if (held().isEmpty()) {
      // What it has by way of others is worth knowing only of a store that is known.
      var _ = send(peer.get(), List.of(), confirmed(), false);
    }
    giveUpSilent();
    throwIfFlightFailed();
    if (!mayFly()) {
      return false; // an answer wakes it
    }
    Load own = gatherOwn();
    if (own.upTo > own.from) {
      begin(peer.get(), own);
      return true;
    }
    Load foreign = gatherForeign();
    if (foreign.upTo > foreign.from) {
      if (!foreign.batches.isEmpty()) {
        Push.Answer answer = send(peer.get(), foreign.batches, foreign.upTo, true);
        foreign.changes.forEach(each -> acknowledge(each, answer));
      }
      lock.lock();
      try {
        foreignDone = Math.max(foreignDone, foreign.upTo);
      } finally {
        lock.unlock();
      }
      replica.trim();
      return true;
    }
    return tell(peer.get());
  }

  // ---- own changes, several pushes at a time

  /** A push of own changes that is not confirmed, or not all before it are. */
  private static final class Flight {
    final Load load;
    final long epoch;
    final long since; // by the clock's nanoseconds
    boolean answered; // guarded by the sender's lock

    Flight(Load load, long epoch, long since) {
      this.load = load;
      this.epoch = epoch;
      this.since = since;
    }
  }

  /** A push that a peer at fault never answers must not stop those behind it for good. */
  private void giveUpSilent() {
    Flight first;
    lock.lock();
    try {
      first = flights.peek();
    } finally {
      lock.unlock();
    }
    if (first != null && replica.clock().nanos() - first.since > LONGEST_PUSH_NANOS) {
      failed(first, new UnavailableException("no answer from " + target.assignment()));
    }
  }

  private boolean mayFly() {
    lock.lock();
    try {
      return flights.size() < MOST_IN_FLIGHT;
    } finally {
      lock.unlock();
    }
  }

  /** Sends own changes, or moves over those that the target needs nothing of. */
  private void begin(ReplicaPeer peer, Load own) {
    Flight flight;
    lock.lock();
    try {
      if (own.from != ownSent) {
        return; // a flight has failed meanwhile, or the target has another store
      }
      flight = new Flight(own, epoch, replica.clock().nanos());
      flight.answered = own.batches.isEmpty();
      flights.add(flight);
      ownSent = own.upTo;
    } finally {
      lock.unlock();
    }
    if (own.batches.isEmpty()) {
      land();
      return;
    }
    untold = true;
    List<Push.Confirmed> states = replica.confirmedByOthers(target);
    told = states;
    lastSent = replica.clock().nanos();
    var _ =
        peer.push(push(own.batches, own.upTo, false, states))
            .whenComplete(
                (answer, problem) -> {
                  if (problem == null) {
                    arrived(flight, answer);
                  } else {
                    failed(flight, explain(problem));
                  }
                });
  }

  /** On the thread that has the answer: must not wait. */
  private void arrived(Flight flight, Push.Answer answer) {
    try {
      accept(answer, flight.epoch);
    } catch (UnavailableException e) {
      failed(flight, e);
      return;
    }
    flight.load.changes.forEach(each -> acknowledge(each, answer));
    lock.lock();
    try {
      flight.answered = true;
    } finally {
      lock.unlock();
    }
    land();
  }

  /** Moves over what is confirmed with all before it. */
  private void land() {
    boolean full;
    lock.lock();
    try {
      full = flights.size() >= MOST_IN_FLIGHT;
      for (Flight first = flights.peek(); first != null && first.answered; first = flights.peek()) {
        ownDone = Math.max(ownDone, first.load.upTo);
        flights.remove();
      }
    } finally {
      lock.unlock();
    }
    if (full) {
      wake();
    }
    replica.trim();
  }

  /** What was sent with it and behind it is sent again. */
  private void failed(Flight flight, SteleException problem) {
    lock.lock();
    try {
      if (flights.contains(flight)) { // else what it was about has been begun again already
        flights.clear();
        ownSent = ownDone;
        flightFailed = problem;
      }
    } finally {
      lock.unlock();
    }
    wake();
  }

  private void throwIfFlightFailed() {
    SteleException problem;
    lock.lock();
    try {
      problem = flightFailed;
      flightFailed = null;
    } finally {
      lock.unlock();
    }
    if (problem != null) {
      told = List.of(); // perhaps it was not
      throw problem;
    }
  }

  private void acknowledge(Change change, Push.Answer answer) {
    WaitingWrite waiting = change.waiting();
    if (waiting != null) {
      waiting.heldBy(target.assignment().id(), answer.metadata(), replica.metadata());
    }
  }

  /** Changes to be sent, of those with {@code from < sequence <= upTo}. */
  private record Load(long from, long upTo, List<Change> changes, List<CellBatch> batches) {}

  private Load gatherOwn() {
    long from = sent();
    List<Change> changes = new ArrayList<>();
    List<CellBatch> batches = new ArrayList<>();
    long bytes = 0;
    long at = from;
    long end = replica.ring().end();
    while (at + 1 < end && bytes < settings.pushBytes()) {
      Optional<Change> change = replica.ring().get(at + 1);
      if (change.isEmpty()) {
        if (changes.isEmpty()) {
          openGap();
          return new Load(from, from, List.of(), List.of());
        }
        break;
      }
      at++;
      if (change.get().origin() == null) {
        Optional<CellBatch> cut = change.get().cut(target.rows());
        if (cut.isPresent()) {
          changes.add(change.get());
          batches.add(cut.get());
          bytes += cut.get().length();
        }
      }
    }
    return new Load(from, at, changes, batches);
  }

  private Load gatherForeign() {
    long from = position(false);
    List<Change> changes = new ArrayList<>();
    List<CellBatch> batches = new ArrayList<>();
    long bytes = 0;
    long at = from;
    long end = replica.ring().end();
    long late = replica.clock().nanos() - settings.relayAfter().toNanos();
    while (at + 1 < end && bytes < settings.pushBytes()) {
      Optional<Change> change = replica.ring().get(at + 1);
      if (change.isEmpty()) {
        if (changes.isEmpty()) {
          openGap();
          return new Load(from, from, List.of(), List.of());
        }
        break;
      }
      Change.Origin origin = change.get().origin();
      if (origin != null && !replica.isSentBy(origin, target.assignment().id())) {
        // To halves it is sent by the members of the split partition, as long as there is one.
        if (origin.since() - late > 0 || replica.duty().role().isHalf()) {
          break;
        }
        Optional<CellBatch> cut = change.get().cut(target.rows());
        if (cut.isPresent()) {
          changes.add(change.get());
          batches.add(cut.get());
          bytes += cut.get().length();
        }
      }
      at++;
    }
    return new Load(from, at, changes, batches);
  }

  /** Moves over changes of others that the target is known to have, without sending anything. */
  void settle() {
    long from = position(false);
    long at = from;
    long end = replica.ring().end();
    while (at + 1 < end) {
      Optional<Change> change = replica.ring().get(at + 1);
      if (change.isEmpty()) {
        break;
      }
      Change.Origin origin = change.get().origin();
      if (origin != null && !replica.isSentBy(origin, target.assignment().id())) {
        break;
      }
      at++;
    }
    if (at > from) {
      lock.lock();
      try {
        foreignDone = Math.max(foreignDone, at);
      } finally {
        lock.unlock();
      }
    }
  }

  private long sent() {
    lock.lock();
    try {
      return ownSent;
    } finally {
      lock.unlock();
    }
  }

  private long position(boolean own) {
    lock.lock();
    try {
      return own ? ownDone : foreignDone;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The ring does not reach back far enough: the files do. What the ring has is sent from there:
   * somebody may wait for acknowledgements of it.
   */
  private void openGap() {
    long end = replica.ring().begin() - 1;
    lock.lock();
    try {
      base = confirmedNow();
      gapEnd = Math.max(gapEnd, end);
      ownDone = Math.max(ownDone, gapEnd);
      ownSent = Math.max(ownSent, ownDone);
      foreignDone = Math.max(foreignDone, gapEnd);
    } finally {
      lock.unlock();
    }
    catchUp.startOrWake();
  }

  /** For the catch-up: where it goes on, and to where. */
  long base() {
    lock.lock();
    try {
      return base;
    } finally {
      lock.unlock();
    }
  }

  long gapEnd() {
    lock.lock();
    try {
      return gapEnd;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The target has confirmed what the files had up to a sequence.
   *
   * @param since the epoch in which all of it was sent
   */
  void caughtUp(long upTo, long metadata, long since) {
    lock.lock();
    try {
      if (since != epoch) {
        return; // a part of it went to a store that is gone
      }
      base = Math.max(base, upTo);
    } finally {
      lock.unlock();
    }
    replica.acknowledgeUpTo(upTo, target.assignment().id(), metadata);
    replica.trim();
  }

  /** Tells the target what others have by now, so that it need not send that to them. */
  private boolean tell(ReplicaPeer peer) {
    if (!untold || replica.clock().nanos() - lastSent < tellNanos()) {
      return false;
    }
    List<Push.Confirmed> states = replica.confirmedByOthers(target);
    if (!states.equals(told)) {
      send(peer, List.of(), confirmed(), false);
    }
    long sent = position(true);
    untold = states.stream().anyMatch(each -> each.own() < sent);
    lastSent = replica.clock().nanos();
    return false;
  }

  private long tellNanos() {
    return settings.relayAfter().toNanos() / 4;
  }

  /** Sends, and waits for the answer. */
  Push.Answer send(ReplicaPeer peer, List<CellBatch> batches, long upTo, boolean whole) {
    List<Push.Confirmed> states = replica.confirmedByOthers(target);
    long since = epoch();
    Push.Answer answer = await(peer.push(push(batches, upTo, whole, states)));
    accept(answer, since);
    if (Thread.currentThread().equals(thread)) {
      told = states;
      lastSent = replica.clock().nanos();
    }
    return answer;
  }

  private Push push(
      List<CellBatch> batches, long upTo, boolean whole, List<Push.Confirmed> states) {
    return new Push(
        replica.name().table(),
        target.partition(),
        target.assignment(),
        replica.name().assignment(),
        replica.metadata().sequence(),
        upTo,
        whole,
        batches,
        states,
        replica.time().now());
  }

  /**
   * Learns from an answer.
   *
   * @param since the epoch in which it was asked for
   * @throws UnavailableException if it is not from the store that is known: then it counts for
   *     nothing
   */
  private void accept(Push.Answer answer, long since) {
    replica.time().learn(answer.clock());
    if (!isKnown(answer.store(), since)) {
      throw new UnavailableException(
          target.assignment() + " has another store than before: it is sent everything");
    }
    lock.lock();
    try {
      failures = 0;
    } finally {
      lock.unlock();
    }
    if (answer.metadata() > replica.metadata().sequence()) {
      replica.partners().refresh(replica.name().table(), answer.metadata());
    }
  }

  private Push.Answer await(CompletableFuture<Push.Answer> answer) {
    long start = replica.clock().nanos();
    while (true) {
      try {
        return answer.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        // No interrupts: a thread that is interrupted while it reads a file closes it for all.
        if (isClosed() || replica.clock().nanos() - start > LONGEST_PUSH_NANOS) {
          throw new UnavailableException("no answer from " + target.assignment(), e);
        }
      } catch (InterruptedException e) {
        throw new UnavailableException("interrupted", e);
      } catch (ExecutionException e) {
        throw explain(e);
      }
    }
  }

  private static SteleException explain(Throwable problem) {
    Throwable cause = problem;
    while ((cause instanceof ExecutionException || cause instanceof CompletionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause instanceof SteleException failure
        ? failure
        : new UnavailableException(String.valueOf(cause), cause);
  }

  private static final long LOOK_MILLIS = 200;

  // Calls end by themselves; this is for those that do not, of a peer that is at fault.
  private static final long LONGEST_PUSH_NANOS = TimeUnit.SECONDS.toNanos(60);

  private void failed(SteleException e) {
    if (e instanceof NotServingException) {
      replica.partners().refresh(replica.name().table(), replica.metadata().sequence());
    }
    int inRow;
    lock.lock();
    try {
      inRow = ++failures;
      woken = false;
    } finally {
      lock.unlock();
    }
    pause(backoff(inRow));
  }

  /** Longer with each failure, and never quite the same. */
  long backoff(int inRow) {
    long most = settings.retryMost().toNanos();
    long nanos = Math.min(most, settings.retryFirst().toNanos() << Math.min(inRow - 1, 16));
    return (long) (nanos * (0.5 + replica.random().nextDouble() / 2));
  }

  /** Waits, unless the reason for it goes away. */
  private void pause(long nanos) {
    long left = nanos;
    lock.lock();
    try {
      while (left > 0 && failures > 0 && !closed) {
        left = Threads.await(changed, left);
      }
    } finally {
      lock.unlock();
    }
  }

  private long idleNanos() {
    return untold ? tellNanos() : settings.relayAfter().toNanos();
  }

  private void rest(long nanos) {
    long left = nanos;
    lock.lock();
    try {
      while (left > 0 && !woken && !closed) {
        left = Threads.await(changed, left);
      }
      woken = false;
    } finally {
      lock.unlock();
    }
  }
}
