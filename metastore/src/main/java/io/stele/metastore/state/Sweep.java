package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.engine.Scan;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Applied.WaitEnded;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.OperationResult;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.session.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Deletes any number of keys as one revision and without holding them in memory: a range of opaque
 * keys, or what a session or a lease leaves behind.
 *
 * <pre>
 *   number of the batch                          what it has
 *   that of the command, and those behind it     a part: some deletions, and the progress so far
 *   END                                          the row of the revision, the end of the owner
 * </pre>
 *
 * <p>Nobody sees a part before its revision is the newest: readers read nothing above that. The
 * parts take numbers that are no command's, so a sweep must be the last command of its log entry.
 * After a crash in its midst the row of the progress is there, and it goes on with what is left
 * under the next number. Parts may then be cut elsewhere than on other members; what they leave
 * behind is the same.
 */
final class Sweep {
  /** What there is to delete. */
  sealed interface Target {
    record Range(KeyRange range) implements Target {}

    record OfLease(long lease) implements Target {}

    record OfSession(long session, boolean expired) implements Target {}

    /** What a command deletes, if that may be too much for one batch. */
    static Optional<Target> of(Command command) {
      return switch (command) {
        case Command.Transact c -> c.deletedRange().map(Range::new);
        case Command.RevokeLease c -> Optional.of(new OfLease(c.id()));
        case Command.ExpireLease c -> Optional.of(new OfLease(c.id()));
        case Command.CloseSession c -> Optional.of(new OfSession(c.session(), false));
        case Command.ExpireSession c -> Optional.of(new OfSession(c.session(), true));
        default -> Optional.empty();
      };
    }
  }

  /** Of the batch with which it is done. */
  static final int END = AppliedPlace.LAST - 1;

  private static final int PART_BYTES = 4 << 20;

  private final StateTables tables;
  private final Target target;
  private final long index;
  private final long token;
  private final long revision;
  private final List<WaitEnded> ended = new ArrayList<>(0);
  private SweepProgress progress;
  private int number;
  private Effects part;
  private int keys; // of the part

  /**
   * Sweeps, or goes on with it.
   *
   * @param index of the log entry
   * @param number of the command in it, counted from 1
   * @param stored batches up to this transaction are in the store already
   */
  Sweep(StateTables tables, Target target, long index, int number, long stored) {
    this.tables = tables;
    this.target = target;
    this.index = index;
    this.token = AppliedPlace.txn(index, number);
    this.revision = tables.revision() + 1;
    this.progress = tables.sweep().map(SweepProgress::decode).orElse(SweepProgress.NONE);
    this.number = (int) Math.max(token, stored + 1) & AppliedPlace.LAST;
    this.part = part();
  }

  /** Waits for locks that it ended. */
  List<WaitEnded> ended() {
    return ended;
  }

  Answer run() {
    switch (target) {
      case Target.Range t -> deleteRange(t.range());
      case Target.OfLease t -> deleteOwned(Rows.leased(t.lease()));
      case Target.OfSession t -> {
        deleteOwned(Rows.ephemerals(t.session()));
        endLocks(t);
      }
    }
    if (!part.isEmpty()) {
      endPart();
    }
    return end();
  }

  private void deleteRange(KeyRange range) {
    try (Scan scan = tables.scanKeys(range, revision)) {
      while (scan.next()) {
        if (!StoredVersion.isDeletion(scan.cell())) {
          KeyValue kv =
              StoredVersion.decode(Rows.userKey(scan.cell()), scan.cell(), false).keyValue();
          long lease = kv.lease();
          if (lease != 0) {
            part.erase(Rows.leased(lease, kv.key()));
            part.then(() -> tables.leases.addKeys(lease, -1));
          }
          delete(kv.key());
        }
      }
    }
  }

  private void deleteOwned(RowRange marks) {
    try (Scan scan = tables.store.scan(ReadPredicate.rows(marks))) {
      while (scan.next()) {
        part.erase(scan.cell().row());
        delete(Rows.bytesBehind(scan.cell(), 1));
      }
    }
  }

  private void delete(Bytes key) {
    part.store(StoredVersion.deletion(key, revision));
    progress = progress.and(key);
    keys++;
    endFullPart();
  }

  private void endLocks(Target.OfSession t) {
    for (Bytes key : tables.locks.of(t.session())) {
      SessionCommands.endLock(tables, key, t.session(), t.expired(), token, part);
      keys++;
      endFullPart();
    }
  }

  private void endFullPart() {
    boolean full = keys == tables.limits().changedKeys() || part.bytes() >= PART_BYTES;
    if (full && number < END - 1) {
      endPart();
    }
  }

  private void endPart() {
    part.put(Rows.SWEEP, progress.encode());
    commit(part);
    number++;
    keys = 0;
    part = part();
  }

  private Effects part() {
    return new Effects(tables, AppliedPlace.txn(index, number));
  }

  private void commit(Effects effects) {
    effects.commit();
    ended.addAll(effects.ended());
  }

  private Answer end() {
    Effects end = new Effects(tables, AppliedPlace.txn(index, END));
    end.erase(Rows.SWEEP);
    Optional<KeyRange> swept =
        switch (target) {
          case Target.Range t -> Optional.of(t.range());
          case Target.OfLease t -> {
            LeaseCommands.remove(tables, t.lease(), end);
            yield owned();
          }
          case Target.OfSession t -> {
            Session session = tables.sessions.get(t.session()).orElseThrow();
            SessionCommands.remove(tables, session, end);
            yield owned();
          }
        };
    Consumer<KeyRange> told =
        range -> {
          end.put(Rows.change(revision), ChangedKeys.encode(range));
          end.then(() -> tables.recent().forget(revision));
          end.then(() -> tables.counts().forget(revision));
          end.then(() -> tables.setRevision(revision));
        };
    swept.ifPresent(told);
    commit(end);
    return target instanceof Target.Range
        ? new Answer.Transacted(
            true, revision, List.of(new OperationResult.Deleted(progress.count(), List.of())))
        : new Answer.Done();
  }

  /** The range of the owner's keys; a session may have had locks alone. */
  private Optional<KeyRange> owned() {
    return progress.count() == 0 ? Optional.empty() : Optional.of(progress.range());
  }
}
