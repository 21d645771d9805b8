package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.engine.Scan;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.ClusterVersion;
import io.stele.metastore.command.Command.Compact;
import io.stele.metastore.command.Command.Reclaim;
import io.stele.metastore.command.Origin;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.key.PathKey;
import io.stele.metastore.state.AccessRules.Right;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Forgets the past: a compaction to revision C says at once that only the state at C and after it,
 * and the changes of C and after it, can be read. The changes of C itself can be watched, as etcd's
 * clients expect, so what nobody can read any more ends at the floor F = C - 1. Of each key the
 * newest version at or below F stays, unless it is a deletion: then nothing is left of the key
 * below C. The engine drops the rest whenever it rewrites a file ({@link StoredHistory}).
 *
 * <p>Before {@link ClusterVersion} 3 it was part of the state until commands of the leader dropped
 * it, some revisions at a time; before version 2, F was C.
 */
final class HistoryCommands {
  private static final int MAX_REVISIONS = 10_000;

  /** Of the keys that one command looks at, and about of what it erases. */
  private static final long MAX_BYTES = 8L << 20;

  private final StateTables tables;

  HistoryCommands(StateTables tables) {
    this.tables = tables;
  }

  Answer compact(Compact command, Effects effects) {
    long revision = command.revision();
    String principal = command.origin().principal();
    Optional<String> denial =
        principal.equals(Origin.LEADER)
            ? Optional.empty()
            : tables.rules().denial(principal, PathKey.ROOT, Right.WRITE);
    if (denial.isPresent()) {
      return new Refused(Kind.DENIED, denial.get());
    }
    if (revision > tables.revision() || revision < 1) {
      return new Refused(
          revision < 1 ? Kind.INVALID : Kind.FUTURE_REVISION,
          "compaction to revision " + revision + ": the newest is " + tables.revision());
    }
    if (revision <= tables.compacted()) {
      return new Refused(
          Kind.COMPACTED,
          "revision " + revision + " has been compacted: the oldest is " + tables.compacted());
    }
    effects.put(Rows.COMPACTED, StateTables.number(revision));
    effects.then(() -> tables.setCompacted(revision));
    effects.then(() -> tables.raiseFloor(effects.txn())); // behind it: readers look there
    return new Answer.Done();
  }

  /** The newest revision whose changes nobody may watch any more. */
  private long floor() {
    return tables.version() < 2 ? tables.compacted() : tables.compacted() - 1;
  }

  private long mostBytes() {
    return tables.version() < 2 ? Long.MAX_VALUE : MAX_BYTES;
  }

  Answer reclaim(Reclaim command, Effects effects) {
    if (tables.version() >= ClusterVersion.WITH_FLOOR) {
      return new Answer.Reclaimed(false); // proposed before the version was raised
    }
    long floor = floor();
    long from = tables.reclaimed() + 1;
    long wanted = from - 1 + Math.clamp(command.revisions(), 1, MAX_REVISIONS);
    long last = Math.min(floor, wanted);
    if (from > last) {
      return new Answer.Reclaimed(false);
    }
    TreeSet<Bytes> keys = new TreeSet<>();
    long bytes = 0;
    List<Long> revisions = new ArrayList<>();
    try (Scan scan = tables.store.scan(ReadPredicate.rows(Rows.changes(from, last + 1)))) {
      while (scan.next()) {
        long revision = Rows.numberOf(scan.cell());
        Optional<KeyRange> swept = ChangedKeys.swept(revision, scan.cell());
        if (swept.isPresent() && revisions.isEmpty()) {
          return reclaimSweep(revision, swept.get(), effects);
        }
        if (swept.isPresent()) {
          last = revision - 1; // it comes next, in commands of its own
          break;
        }
        revisions.add(revision);
        keys.addAll(ChangedKeys.decode(revision, scan.cell()));
        bytes += scan.cell().valueLength;
        if (keys.size() >= tables.limits().changedKeys() || bytes >= mostBytes()) {
          last = revision; // a batch has its bounds too
          break;
        }
      }
    }
    if (revisions.isEmpty()) {
      last = endOfGap(last, floor);
    }
    for (Bytes key : keys) {
      dropVersions(key, last, effects);
      if (effects.bytes() > mostBytes()) {
        return new Answer.Reclaimed(true); // the next command finds nothing left of these
      }
    }
    for (long revision : revisions) {
      effects.erase(Rows.change(revision));
    }
    long reclaimed = last;
    effects.put(Rows.RECLAIMED, StateTables.number(reclaimed));
    effects.then(() -> tables.setReclaimed(reclaimed));
    return new Answer.Reclaimed(reclaimed < floor);
  }

  /** Revisions that a restore has passed over have no rows, and there are very many of them. */
  private long endOfGap(long last, long floor) {
    try (Scan scan = tables.store.scan(ReadPredicate.rows(Rows.changes(last + 1, floor + 1)))) {
      return scan.next() ? Rows.numberOf(scan.cell()) - 1 : floor;
    }
  }

  /** Drops some of the keys that a sweep deleted; the revision is behind us when none is left. */
  private Answer reclaimSweep(long revision, KeyRange range, Effects effects) {
    List<Bytes> keys = new ArrayList<>();
    ReadPredicate deletions =
        ReadPredicate.rows(Rows.keys(range))
            .withColumns(ColumnRange.family(Rows.VALUES))
            .withTime(revision, revision + 1);
    boolean more;
    try (Scan scan = tables.store.scan(deletions)) {
      more = scan.next();
      long bytes = 0;
      while (more && keys.size() < tables.limits().changedKeys() && bytes < mostBytes()) {
        keys.add(Rows.userKey(scan.cell()));
        bytes += keys.getLast().length();
        more = scan.next();
      }
    }
    for (Bytes key : keys) {
      dropVersions(key, revision, effects);
      if (effects.bytes() > mostBytes()) {
        return new Answer.Reclaimed(true);
      }
    }
    if (more) {
      return new Answer.Reclaimed(true);
    }
    effects.erase(Rows.change(revision));
    effects.put(Rows.RECLAIMED, StateTables.number(revision));
    effects.then(() -> tables.setReclaimed(revision));
    return new Answer.Reclaimed(revision < floor());
  }

  /**
   * Drops the versions up to a revision, but for the newest of them if the key lives there. If that
   * is not what a read at the floor sees, then there is a change above it that takes it away later.
   */
  private void dropVersions(Bytes key, long last, Effects effects) {
    ReadPredicate versions =
        ReadPredicate.rows(Rows.keys(KeyRange.of(key)))
            .withColumns(ColumnRange.family(Rows.VALUES))
            .withTime(0, last + 1);
    try (Scan scan = tables.store.scan(versions)) {
      boolean newest = true;
      while (scan.next()) {
        if (!newest || StoredVersion.isDeletion(scan.cell())) {
          effects.eraseVersion(key, scan.cell().timestamp);
        }
        newest = false;
      }
    }
  }
}
