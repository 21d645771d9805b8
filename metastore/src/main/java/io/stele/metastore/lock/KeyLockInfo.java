package io.stele.metastore.lock;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.FieldCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * A lock as it is stored: who holds it, who waits for it in which order, and whether it is closed
 * for a while.
 *
 * <pre>
 *   lock    := version(1) exclusive(1) list of holder, list of request, hasDelay(1) [ token time ]
 *   holder  := session token count delay
 *   request := session sequence exclusive(1) patience delay        (forms: FieldCodec)
 * </pre>
 *
 * <p>Invariants: exclusive means one holder; no session holds twice; a request waits only while
 * something keeps it from its turn, so after every change {@link #advance} has been called.
 *
 * @param exclusive how it is held; false if it is not
 */
public record KeyLockInfo(
    boolean exclusive,
    List<LockHolder> holders,
    List<LockRequest> queue,
    Optional<LockDelay> delay) {
  public static final KeyLockInfo FREE =
      new KeyLockInfo(false, List.of(), List.of(), Optional.empty());

  private static final int VERSION = 1;

  public KeyLockInfo {
    holders = List.copyOf(holders);
    queue = List.copyOf(queue);
    if (exclusive && holders.size() != 1) {
      throw new IllegalArgumentException("an exclusive lock with holders " + holders);
    }
  }

  /** True if there is nothing to remember. */
  public boolean isFree() {
    return holders.isEmpty() && queue.isEmpty() && delay.isEmpty();
  }

  public Optional<LockHolder> holder(long session) {
    return holders.stream().filter(holder -> holder.session() == session).findFirst();
  }

  public boolean isHeldUnder(long token) {
    return holders.stream().anyMatch(holder -> holder.token() == token);
  }

  public Optional<LockRequest> request(long session, long sequence) {
    return queue.stream().filter(request -> request.is(session, sequence)).findFirst();
  }

  /** Could the request have the lock now, if nobody waited before it? */
  boolean admits(LockRequest request) {
    Optional<LockHolder> own = holder(request.session());
    if (own.isPresent() && (exclusive || !request.exclusive())) {
      return true; // once more
    }
    return delay.isEmpty() && (holders.isEmpty() || (!exclusive && !request.exclusive()));
  }

  /** The request becomes a holder, or holds once more. */
  KeyLockInfo grant(LockRequest request, long token) {
    List<LockHolder> next = new ArrayList<>(holders);
    for (int i = 0; i < next.size(); i++) {
      LockHolder holder = next.get(i);
      if (holder.session() == request.session()) {
        next.set(i, holder.withCount(holder.count() + 1));
        return new KeyLockInfo(exclusive, next, queue, delay);
      }
    }
    next.add(new LockHolder(request.session(), token, 1, request.delay()));
    return new KeyLockInfo(request.exclusive(), next, queue, delay);
  }

  KeyLockInfo enqueue(LockRequest request) {
    List<LockRequest> next = new ArrayList<>(queue);
    next.add(request);
    return new KeyLockInfo(exclusive, holders, next, delay);
  }

  KeyLockInfo withoutRequest(long session, long sequence) {
    List<LockRequest> next = new ArrayList<>(queue);
    next.removeIf(request -> request.is(session, sequence));
    return new KeyLockInfo(exclusive, holders, next, delay);
  }

  /** Holds once less, or no longer. */
  KeyLockInfo released(long session) {
    List<LockHolder> next = new ArrayList<>(holders);
    for (int i = 0; i < next.size(); i++) {
      LockHolder holder = next.get(i);
      if (holder.session() == session && holder.count() > 1) {
        next.set(i, holder.withCount(holder.count() - 1));
        return new KeyLockInfo(exclusive, next, queue, delay);
      }
    }
    next.removeIf(holder -> holder.session() == session);
    return new KeyLockInfo(exclusive && !next.isEmpty(), next, queue, delay);
  }

  KeyLockInfo withoutHolder(long session, Optional<LockDelay> newDelay) {
    List<LockHolder> next = new ArrayList<>(holders);
    next.removeIf(holder -> holder.session() == session);
    return new KeyLockInfo(exclusive && !next.isEmpty(), next, queue, newDelay);
  }

  KeyLockInfo withoutDelay() {
    return new KeyLockInfo(exclusive, holders, queue, Optional.empty());
  }

  /** A turn of the queue: who got the lock, and whose session was found dead. */
  record Advance(KeyLockInfo lock, List<LockRequest> granted, List<LockRequest> dead) {}

  /**
   * Grants the lock to those at the head of the queue, strictly in order, as far as it admits them.
   *
   * @param lives whether a session lives: a dead one is never granted
   */
  Advance advance(long token, LongPredicate lives) {
    KeyLockInfo now = this;
    List<LockRequest> granted = new ArrayList<>();
    List<LockRequest> dead = new ArrayList<>();
    while (!now.queue.isEmpty()) {
      LockRequest first = now.queue.getFirst();
      boolean alive = lives.test(first.session());
      if (alive && !now.admits(first)) {
        break;
      }
      KeyLockInfo rest =
          new KeyLockInfo(
              now.exclusive, now.holders, now.queue.subList(1, now.queue.size()), now.delay);
      if (alive) {
        granted.add(first);
        now = rest.grant(first, token);
      } else {
        dead.add(first);
        now = rest;
      }
    }
    return new Advance(now, granted, dead);
  }

  public Bytes encode() {
    ByteBuilder out = new ByteBuilder(64);
    out.putByte(VERSION);
    FieldCodec.putBoolean(out, exclusive);
    FieldCodec.putList(out, holders, KeyLockInfo::putHolder);
    FieldCodec.putList(out, queue, KeyLockInfo::putRequest);
    FieldCodec.putBoolean(out, delay.isPresent());
    if (delay.isPresent()) {
      out.putVarint(delay.get().token());
      FieldCodec.putDuration(out, delay.get().time());
    }
    return out.toBytes();
  }

  public static KeyLockInfo decode(Bytes stored) throws Malformed {
    ByteReader in = new ByteReader(stored.sharedArray(), 0, stored.length());
    int version = in.readByte();
    if (version != VERSION) {
      throw in.malformed("lock of version " + version + " instead of " + VERSION);
    }
    boolean exclusive = FieldCodec.readBoolean(in);
    List<LockHolder> holders = FieldCodec.readList(in, "holders", KeyLockInfo::readHolder);
    List<LockRequest> queue = FieldCodec.readList(in, "requests", KeyLockInfo::readRequest);
    Optional<LockDelay> delay =
        FieldCodec.readBoolean(in)
            ? Optional.of(new LockDelay(in.readVarint(), FieldCodec.readDuration(in)))
            : Optional.empty();
    if (exclusive && holders.size() != 1) {
      throw in.malformed("exclusive lock with " + holders.size() + " holders before");
    }
    return new KeyLockInfo(exclusive, holders, queue, delay);
  }

  private static void putHolder(ByteBuilder out, LockHolder holder) {
    out.putVarint(holder.session()).putVarint(holder.token()).putVarint(holder.count());
    FieldCodec.putDuration(out, holder.delay());
  }

  private static LockHolder readHolder(ByteReader in) throws Malformed {
    return new LockHolder(
        in.readVarint(),
        in.readVarint(),
        in.readVarint(Integer.MAX_VALUE, "count"),
        FieldCodec.readDuration(in));
  }

  private static void putRequest(ByteBuilder out, LockRequest request) {
    out.putVarint(request.session()).putVarint(request.sequence());
    FieldCodec.putBoolean(out, request.exclusive());
    FieldCodec.putDuration(out, request.patience());
    FieldCodec.putDuration(out, request.delay());
  }

  private static LockRequest readRequest(ByteReader in) throws Malformed {
    return new LockRequest(
        in.readVarint(),
        in.readVarint(),
        FieldCodec.readBoolean(in),
        FieldCodec.readDuration(in),
        FieldCodec.readDuration(in));
  }
}
