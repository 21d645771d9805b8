package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.Applied.WaitEnded;
import io.stele.metastore.command.ClusterVersion;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Command.Acquire;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.OperationResult;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.ReadSet;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The whole state machine, said plainly: a copy of all keys for each revision, and no thought for
 * time or space. Refusals have no text.
 */
final class Model {
  final List<NavigableMap<Bytes, KeyValue>> revisions =
      new ArrayList<>(List.of(new TreeMap<>(), new TreeMap<>()));
  final NavigableMap<Long, Command.OpenSession> sessions = new TreeMap<>();
  final NavigableMap<Bytes, ModelLock> locks = new TreeMap<>();
  final List<WaitEnded> ended = new ArrayList<>();
  final Map<Long, Map<Long, Answer>> answers = new HashMap<>();
  final int version;
  long compacted;
  long reclaimed;

  /** At a cluster version. */
  Model(int version) {
    this.version = version;
  }

  long revision() {
    return revisions.size() - 1L;
  }

  NavigableMap<Bytes, KeyValue> now() {
    return revisions.getLast();
  }

  private static Answer refuse(Kind kind) {
    return new Refused(kind, "");
  }

  Answer apply(Command command, long txn, long term) {
    return switch (command) {
      case Command.OpenSession c -> open(c, txn);
      case Command.CloseSession c ->
          !sessions.containsKey(c.session())
              ? refuse(Kind.SESSION_GONE)
              : end(c.session(), false, txn);
      case Command.ExpireSession c ->
          !sessions.containsKey(c.session())
              ? refuse(Kind.SESSION_GONE)
              : end(c.session(), true, txn);
      case Command.Transact c ->
          once(c.origin(), changes(c.transaction()), () -> transact(c, term));
      case Acquire c -> once(c.origin(), true, () -> acquire(c, txn));
      case Command.Release c -> once(c.origin(), true, () -> release(c, txn));
      case Command.EndWait c -> endWait(c, txn);
      case Command.EndDelay c -> endDelay(c, txn);
      case Command.Compact c -> compact(c.revision());
      case Command.Reclaim c -> {
        if (version >= ClusterVersion.WITH_FLOOR) {
          yield new Answer.Reclaimed(false);
        }
        reclaimed = Math.max(reclaimed, Math.min(compacted - 1, reclaimed + c.revisions()));
        yield new Answer.Reclaimed(reclaimed < compacted - 1);
      }
      case Command.SetAcl _, Command.SetVersion _, Command.TakeFingerprint _ -> new Answer.Done();
      case Command.EndGrant _ -> throw new AssertionError("histories have no lost callers");
      case Command.GrantLease _, Command.RevokeLease _, Command.ExpireLease _ ->
          throw new AssertionError("histories of sessions have no leases");
    };
  }

  /** Reads are answered anew when they are repeated. */
  private static boolean changes(Transaction transaction) {
    return Stream.concat(transaction.then().stream(), transaction.otherwise().stream())
        .anyMatch(step -> !(step instanceof Operation.Get));
  }

  private Answer once(Origin origin, boolean keep, Supplier<Answer> action) {
    if (origin.session() == 0) {
      return action.get();
    }
    if (!sessions.containsKey(origin.session())) {
      return refuse(Kind.SESSION_GONE);
    }
    Map<Long, Answer> known = answers.computeIfAbsent(origin.session(), _ -> new HashMap<>());
    Answer before = known.get(origin.sequence());
    if (before != null) {
      return before;
    }
    Answer answer = action.get();
    if (keep && !(answer instanceof Answer.Queued)) {
      known.put(origin.sequence(), answer);
    }
    return answer;
  }

  private Answer open(Command.OpenSession command, long txn) {
    for (Map.Entry<Long, Command.OpenSession> entry : sessions.entrySet()) {
      if (entry.getValue().requestId().equals(command.requestId())) {
        return new Answer.SessionOpened(entry.getKey(), entry.getValue().timeToLive());
      }
    }
    sessions.put(txn, command);
    return new Answer.SessionOpened(txn, command.timeToLive());
  }

  private Answer end(long session, boolean expired, long txn) {
    sessions.remove(session);
    answers.remove(session);
    NavigableMap<Bytes, KeyValue> next = new TreeMap<>(now());
    if (next.values().removeIf(kv -> kv.session() == session)) {
      revisions.add(next);
    }
    for (Map.Entry<Bytes, ModelLock> entry : locks.entrySet()) {
      ModelLock lock = entry.getValue();
      for (Acquire request : List.copyOf(lock.queue)) {
        if (request.origin().session() == session) {
          lock.queue.remove(request);
          told(request, refuse(Kind.SESSION_GONE));
        }
      }
      ModelLock.Hold hold = lock.holders.remove(session);
      if (hold != null && expired && hold.delay > 0) {
        lock.delayToken = txn;
        lock.delaySeconds = Math.max(lock.delaySeconds, hold.delay);
      }
      advance(lock, txn);
    }
    return new Answer.Done();
  }

  private void told(Acquire request, Answer answer) {
    Origin origin = request.origin();
    ended.add(new WaitEnded(request.key(), origin.session(), origin.sequence(), answer));
    Map<Long, Answer> known = answers.get(origin.session());
    if (known != null) {
      known.put(origin.sequence(), answer);
    }
  }

  private void advance(ModelLock lock, long txn) {
    while (!lock.queue.isEmpty() && lock.free(lock.queue.getFirst())) {
      Acquire next = lock.queue.removeFirst();
      told(next, new Answer.Granted(lock.take(next, txn)));
    }
  }

  private Answer acquire(Acquire command, long txn) {
    ModelLock lock = locks.computeIfAbsent(command.key(), _ -> new ModelLock());
    for (Acquire request : lock.queue) {
      if (request.origin().equals(command.origin())) {
        return new Answer.Queued();
      }
    }
    boolean own = lock.holders.containsKey(command.origin().session());
    if (own && command.exclusive() && !lock.exclusive) {
      return refuse(Kind.INVALID);
    }
    if (own || (lock.queue.isEmpty() && lock.free(command))) {
      return new Answer.Granted(lock.take(command, txn));
    }
    if (command.patience().isZero()) {
      return refuse(Kind.LOCKED);
    }
    lock.queue.add(command);
    return new Answer.Queued();
  }

  private Answer release(Command.Release command, long txn) {
    ModelLock lock = locks.getOrDefault(command.key(), new ModelLock());
    ModelLock.Hold hold = lock.holders.get(command.origin().session());
    if (hold == null) {
      return refuse(Kind.NOT_FOUND);
    }
    if (--hold.count == 0) {
      lock.holders.remove(command.origin().session());
      advance(lock, txn);
    }
    return new Answer.Done();
  }

  private Answer endWait(Command.EndWait command, long txn) {
    ModelLock lock = locks.getOrDefault(command.key(), new ModelLock());
    for (Acquire request : List.copyOf(lock.queue)) {
      if (request.origin().session() == command.session()
          && request.origin().sequence() == command.sequence()) {
        lock.queue.remove(request);
        told(request, refuse(Kind.LOCKED));
        advance(lock, txn);
      }
    }
    return new Answer.Done();
  }

  private Answer endDelay(Command.EndDelay command, long txn) {
    ModelLock lock = locks.getOrDefault(command.key(), new ModelLock());
    if (lock.delayToken == command.token() && command.token() != 0) {
      lock.delayToken = 0;
      lock.delaySeconds = 0;
      advance(lock, txn);
    }
    return new Answer.Done();
  }

  private Answer compact(long revision) {
    if (revision > revision() || revision < 1) {
      return refuse(revision < 1 ? Kind.INVALID : Kind.FUTURE_REVISION);
    }
    if (revision <= compacted) {
      return refuse(Kind.COMPACTED);
    }
    compacted = revision;
    return new Answer.Done();
  }

  // ---- transactions

  private Answer transact(Command.Transact command, long term) {
    Transaction transaction = command.transaction();
    for (List<Operation> steps : List.of(transaction.then(), transaction.otherwise())) {
      for (Operation step : steps) {
        if (step instanceof Operation.Put put
            && put.session() != 0
            && !sessions.containsKey(put.session())) {
          return refuse(Kind.SESSION_GONE);
        }
      }
    }
    if (transaction.reads().isPresent() && !holds(transaction.reads().get(), term)) {
      return refuse(Kind.ABORTED);
    }
    boolean succeeded = transaction.comparisons().stream().allMatch(this::holds);
    NavigableMap<Bytes, KeyValue> next = new TreeMap<>(now());
    List<OperationResult> results = new ArrayList<>();
    long revision = revision() + 1;
    for (Operation step : succeeded ? transaction.then() : transaction.otherwise()) {
      results.add(perform(step, next, revision));
    }
    boolean changed = !next.equals(now());
    if (changed) {
      revisions.add(next);
    }
    return new Answer.Transacted(succeeded, revision(), results);
  }

  private static OperationResult perform(
      Operation step, NavigableMap<Bytes, KeyValue> keys, long revision) {
    return switch (step) {
      case Operation.Put put -> {
        KeyValue old = keys.get(put.key());
        long created = old == null ? revision : old.created();
        long version =
            old == null ? 1 : old.modified() == revision ? old.version() : old.version() + 1;
        keys.put(
            put.key(),
            new KeyValue(put.key(), put.value(), created, revision, version, put.session()));
        yield new OperationResult.Done(
            put.previous() ? Optional.ofNullable(old) : Optional.empty());
      }
      case Operation.Delete delete -> {
        List<KeyValue> old = inside(keys, delete.range());
        old.forEach(kv -> keys.remove(kv.key()));
        yield new OperationResult.Deleted(old.size(), delete.previous() ? old : List.of());
      }
      case Operation.Get get -> {
        List<KeyValue> all = inside(keys, get.range());
        boolean more = get.limit() > 0 && all.size() > get.limit();
        yield new OperationResult.Found(more ? all.subList(0, get.limit()) : all, more);
      }
      case Operation.Assign _, Operation.Select _, Operation.Branch _ ->
          throw new AssertionError("histories of paths have no steps for opaque keys");
    };
  }

  static List<KeyValue> inside(NavigableMap<Bytes, KeyValue> keys, KeyRange range) {
    return keys.values().stream().filter(kv -> range.contains(kv.key())).toList();
  }

  private boolean holds(ReadSet reads, long term) {
    if (reads.term() != term || reads.revision() < compacted) {
      return false;
    }
    for (long revision = reads.revision() + 1; revision <= revision(); revision++) {
      for (KeyRange range : reads.ranges()) {
        if (!inside(revisions.get((int) revision), range)
            .equals(inside(revisions.get((int) revision - 1), range))) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean holds(Comparison comparison) {
    return switch (comparison) {
      case Comparison.LockHeld c ->
          locks.getOrDefault(c.key(), new ModelLock()).holders.values().stream()
              .anyMatch(hold -> hold.token == c.token());
      case Comparison.Present c -> !inside(now(), c.range()).isEmpty();
      case Comparison.Property c -> {
        List<KeyValue> found = inside(now(), c.range());
        if (found.isEmpty() && c.range().isSingle()) {
          found = List.of(new KeyValue(c.range().from(), Bytes.EMPTY, 0, 0, 0, 0));
        }
        yield found.stream()
            .allMatch(
                kv ->
                    relates(
                        Long.compare(
                            switch (c.field()) {
                              case CREATED -> kv.created();
                              case MODIFIED -> kv.modified();
                              case VERSION -> kv.version();
                              case SESSION -> kv.session();
                              case LEASE -> kv.lease();
                            },
                            c.operand()),
                        c.relation()));
      }
      case Comparison.Value c -> {
        List<KeyValue> found = inside(now(), c.range());
        yield !(found.isEmpty() && c.range().isSingle())
            && found.stream()
                .allMatch(kv -> relates(kv.value().compareTo(c.operand()), c.relation()));
      }
    };
  }

  private static boolean relates(int order, Comparison.Relation relation) {
    return switch (relation) {
      case EQUAL -> order == 0;
      case NOT_EQUAL -> order != 0;
      case LESS -> order < 0;
      case GREATER -> order > 0;
    };
  }
}
