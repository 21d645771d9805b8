package io.stele.metastore.lock;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Applied.WaitEnded;
import io.stele.metastore.lock.KeyLockInfo.Advance;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;

/**
 * All locks that are held, waited for or closed for a while, and the rules by which they change.
 *
 * <p>The rules decide and change nothing; {@link #put} is the only writer, called by the thread
 * that applies commands. Others may look at any time.
 *
 * <p>Tokens are the transaction numbers of the commands that granted, so they ascend.
 */
public final class LockTable {
  private final Map<Bytes, KeyLockInfo> locks = new ConcurrentHashMap<>();

  /** The locks that a session holds or waits for, in order. Only for the applying thread. */
  private final Map<Long, NavigableSet<Bytes>> bySession = new HashMap<>();

  private int maxWaiting; // only for the applying thread

  public LockTable(int maxWaiting) {
    this.maxWaiting = maxWaiting;
  }

  public void setMaxWaiting(int requests) {
    maxWaiting = requests;
  }

  public KeyLockInfo get(Bytes key) {
    return locks.getOrDefault(key, KeyLockInfo.FREE);
  }

  public int size() {
    return locks.size();
  }

  /** Requests that wait, for the leader's deadlines. */
  public List<LockRequest.Waiting> waiting() {
    List<LockRequest.Waiting> all = new ArrayList<>();
    locks.forEach(
        (key, lock) ->
            lock.queue().forEach(request -> all.add(new LockRequest.Waiting(key, request))));
    return all;
  }

  /** Locks that are closed for a while, for the leader's deadlines. */
  public List<LockDelay.Closed> delays() {
    List<LockDelay.Closed> all = new ArrayList<>();
    locks.forEach(
        (key, lock) -> lock.delay().ifPresent(delay -> all.add(new LockDelay.Closed(key, delay))));
    return all;
  }

  /** The locks that a session holds or waits for. */
  public List<Bytes> of(long session) {
    NavigableSet<Bytes> keys = bySession.get(session);
    return keys == null ? List.of() : List.copyOf(keys);
  }

  /** The only writer. */
  public void put(Bytes key, KeyLockInfo lock) {
    KeyLockInfo before = get(key);
    if (lock.isFree()) {
      locks.remove(key);
    } else {
      locks.put(key, lock);
    }
    Set<Long> after = sessions(lock);
    for (long session : sessions(before)) {
      NavigableSet<Bytes> keys = bySession.get(session);
      if (keys != null && !after.contains(session)) {
        keys.remove(key);
        if (keys.isEmpty()) {
          bySession.remove(session);
        }
      }
    }
    for (long session : after) {
      bySession.computeIfAbsent(session, _ -> new TreeSet<>()).add(key);
    }
  }

  private static Set<Long> sessions(KeyLockInfo lock) {
    Set<Long> sessions = new HashSet<>();
    lock.holders().forEach(holder -> sessions.add(holder.session()));
    lock.queue().forEach(request -> sessions.add(request.session()));
    return sessions;
  }

  /** A session asks for a lock. */
  public LockDecision acquire(Bytes key, LockRequest request, long token) {
    KeyLockInfo lock = get(key);
    if (lock.request(request.session(), request.sequence()).isPresent()) {
      return LockDecision.unchanged(key, lock, new Answer.Queued());
    }
    Optional<LockHolder> own = lock.holder(request.session());
    if (own.isPresent() && request.exclusive() && !lock.exclusive()) {
      return refuse(
          key,
          lock,
          Kind.INVALID,
          "lock "
              + key
              + ": session "
              + request.session()
              + " holds it shared and cannot make it exclusive; release it first");
    }
    if (own.isPresent()) {
      if (own.get().count() == Integer.MAX_VALUE) {
        return refuse(key, lock, Kind.EXHAUSTED, "lock " + key + " is held too many times over");
      }
      return granted(key, lock, request, own.get().token(), token);
    }
    if (lock.queue().isEmpty() && lock.admits(request)) {
      return granted(key, lock, request, token, token);
    }
    if (request.patience().isZero() || request.patience().isNegative()) {
      return refuse(key, lock, Kind.LOCKED, taken(key, lock));
    }
    if (lock.queue().size() >= maxWaiting) {
      return refuse(
          key,
          lock,
          Kind.EXHAUSTED,
          "lock " + key + " has " + lock.queue().size() + " requests waiting, at most");
    }
    return new LockDecision(key, lock.enqueue(request), true, new Answer.Queued(), List.of());
  }

  private static LockDecision granted(
      Bytes key, KeyLockInfo lock, LockRequest request, long answered, long token) {
    return new LockDecision(
        key, lock.grant(request, token), true, new Answer.Granted(answered), List.of());
  }

  /** A session gives a lock back, once. */
  public LockDecision release(Bytes key, long session, long token, LongPredicate lives) {
    KeyLockInfo lock = get(key);
    if (lock.holder(session).isEmpty()) {
      return refuse(
          key,
          lock,
          Kind.NOT_FOUND,
          "lock " + key + " is not held by session " + session + ": only its holder releases it");
    }
    return advance(key, lock.released(session), token, lives, List.of());
  }

  /** A request's time in the queue is over. */
  public LockDecision endWait(
      Bytes key, long session, long sequence, long token, LongPredicate lives) {
    KeyLockInfo lock = get(key);
    if (lock.request(session, sequence).isEmpty()) {
      return LockDecision.unchanged(key, lock, new Answer.Done());
    }
    WaitEnded ended =
        new WaitEnded(key, session, sequence, new Answer.Refused(Kind.LOCKED, taken(key, lock)));
    return advance(key, lock.withoutRequest(session, sequence), token, lives, List.of(ended));
  }

  /** A grant has reached nobody; one under another token does not count. */
  public LockDecision endGrant(
      Bytes key, long session, long granted, long token, LongPredicate lives) {
    KeyLockInfo lock = get(key);
    return lock.holder(session).filter(holder -> holder.token() == granted).isEmpty()
        ? LockDecision.unchanged(key, lock, new Answer.Done())
        : advance(key, lock.released(session), token, lives, List.of());
  }

  /** A lock's time of being closed is over; that of an earlier delay does not count. */
  public LockDecision endDelay(Bytes key, long delay, long token, LongPredicate lives) {
    KeyLockInfo lock = get(key);
    if (lock.delay().isEmpty() || lock.delay().get().token() != delay) {
      return LockDecision.unchanged(key, lock, new Answer.Done());
    }
    return advance(key, lock.withoutDelay(), token, lives, List.of());
  }

  /**
   * A session ended.
   *
   * @param expired then a lock that it held stays closed for as long as it was acquired with
   * @param lives says no for the session itself
   */
  public LockDecision endSession(
      Bytes key, long session, boolean expired, long token, LongPredicate lives) {
    KeyLockInfo lock = get(key);
    List<WaitEnded> ended = new ArrayList<>();
    for (LockRequest request : lock.queue()) {
      if (request.session() == session) {
        ended.add(gone(key, request));
        lock = lock.withoutRequest(session, request.sequence());
      }
    }
    Optional<LockHolder> holder = lock.holder(session);
    if (holder.isPresent()) {
      Optional<LockDelay> delay = lock.delay();
      if (expired && holder.get().delay().isPositive()) {
        LockDelay fresh = new LockDelay(token, holder.get().delay());
        boolean longer = delay.isPresent() && delay.get().time().compareTo(fresh.time()) > 0;
        delay = Optional.of(longer ? new LockDelay(token, delay.get().time()) : fresh);
      }
      lock = lock.withoutHolder(session, delay);
    }
    return advance(key, lock, token, lives, ended);
  }

  private static LockDecision advance(
      Bytes key, KeyLockInfo lock, long token, LongPredicate lives, List<WaitEnded> before) {
    Advance advance = lock.advance(token, lives);
    List<WaitEnded> ended = new ArrayList<>(before);
    for (LockRequest request : advance.dead()) {
      ended.add(gone(key, request));
    }
    for (LockRequest request : advance.granted()) {
      long granted = advance.lock().holder(request.session()).orElseThrow().token();
      ended.add(
          new WaitEnded(key, request.session(), request.sequence(), new Answer.Granted(granted)));
    }
    return new LockDecision(key, advance.lock(), true, new Answer.Done(), ended);
  }

  private static WaitEnded gone(Bytes key, LockRequest request) {
    return new WaitEnded(
        key,
        request.session(),
        request.sequence(),
        new Answer.Refused(
            Kind.SESSION_GONE,
            "session " + request.session() + " ended while it waited for lock " + key));
  }

  private static String taken(Bytes key, KeyLockInfo lock) {
    if (!lock.holders().isEmpty()) {
      return "lock "
          + key
          + " is held "
          + (lock.exclusive() ? "exclusively" : "shared")
          + " by session "
          + lock.holders().getFirst().session()
          + (lock.holders().size() > 1 ? " and " + (lock.holders().size() - 1) + " more" : "");
    }
    return lock.delay().isPresent()
        ? "lock " + key + " is closed for a while, as its holder's session expired"
        : "lock " + key + " is waited for by session " + lock.queue().getFirst().session();
  }

  private static LockDecision refuse(Bytes key, KeyLockInfo lock, Kind kind, String message) {
    return LockDecision.unchanged(key, lock, new Answer.Refused(kind, message));
  }
}
