package io.stele.metastore.state;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.engine.Scan;
import io.stele.engine.Store;
import io.stele.metastore.Alarms;
import io.stele.metastore.command.ClusterState;
import io.stele.metastore.command.ClusterVersion;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.MetastoreLimits;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.lease.Lease;
import io.stele.metastore.lease.LeaseTable;
import io.stele.metastore.lock.KeyLockInfo;
import io.stele.metastore.lock.LockTable;
import io.stele.metastore.raft.Position;
import io.stele.metastore.session.Session;
import io.stele.metastore.session.SessionTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A store, and what of it is kept in memory because every command asks for it: sessions, locks and
 * rules, none of which grow with the number of keys. Everything in memory is read from the rows
 * when the store is opened, and written to them in the batch that changes it.
 *
 * <p>One thread changes it, a batch at a time; the fields that others look at are volatile or
 * concurrent, and follow the batch.
 */
final class StateTables {
  /** The revision of an empty store. */
  static final long FIRST_REVISION = 1;

  private static final int RECENT_WRITES = 32_768;

  final Store store;
  final SessionTable sessions = new SessionTable();
  final LeaseTable leases = new LeaseTable();
  final LockTable locks;

  /**
   * Invariant: reclaimed <= compacted <= revision; a batch is visible before its revision. Since
   * the changes of the compacted revision itself can be watched, reclaimed stays below it; older
   * stores have reclaimed it too. From version 3 on reclaimed stays as it was: what has been
   * compacted is the engine's to drop.
   */
  private volatile long revision;

  private volatile long compacted;
  private volatile long reclaimed;
  private volatile AccessRules rules = AccessRules.NONE;
  private volatile boolean noSpace;
  private volatile ClusterState cluster;
  private final RecentWrites recent;
  private final KeyCounts counts;

  /** The state itself, while it is the one, and backups under way; guarded by this. */
  private int users = 1;

  private final Optional<AppliedPlace> place;

  /**
   * Reads what a store holds.
   *
   * @param limits of a member, which hold until the members have agreed on some
   */
  StateTables(Store store, MetastoreLimits limits) {
    this.store = store;
    this.cluster = findCluster(limits);
    this.locks = new LockTable(cluster.limits().waitingRequests());
    this.compacted = number(Rows.COMPACTED);
    this.reclaimed = number(Rows.RECLAIMED);
    this.place = store.get(Rows.APPLIED, Rows.OTHERS, Bytes.EMPTY).map(AppliedPlace::decode);
    this.revision = findRevision();
    this.recent = new RecentWrites(RECENT_WRITES, revision);
    this.counts = new KeyCounts(revision);
    loadSessions();
    loadLeases();
    loadLocks();
    loadRules();
    noSpace = current(Alarms.NO_SPACE).isPresent();
    raiseFloor(store.assignedTxn());
  }

  /**
   * Has the engine drop what nobody can read any more.
   *
   * @param txn with which that became so
   */
  void raiseFloor(long txn) {
    if (version() >= ClusterVersion.WITH_FLOOR) {
      store.raiseFloor(compacted - 1, txn);
    }
  }

  /** Somebody more needs the store, for as long as it may take. */
  synchronized void retain() {
    users++;
  }

  /** Returns true for the last one: it closes the store. */
  synchronized boolean release() {
    return --users == 0;
  }

  /** Where the log was when the store was flushed on purpose the last time. */
  Position place() {
    return place.map(AppliedPlace::position).orElse(Position.START);
  }

  long revision() {
    return revision;
  }

  long compacted() {
    return compacted;
  }

  long reclaimed() {
    return reclaimed;
  }

  /** The oldest revision whose changes are there. */
  long oldestChanges() {
    return Math.max(compacted, reclaimed + 1);
  }

  boolean noSpace() {
    return noSpace;
  }

  /** What the members have agreed on; see {@link ClusterVersion}. */
  ClusterState cluster() {
    return cluster;
  }

  int version() {
    return cluster.version();
  }

  MetastoreLimits limits() {
    return cluster.limits();
  }

  void setCluster(ClusterState value) {
    cluster = value;
    locks.setMaxWaiting(value.limits().waitingRequests());
  }

  /** A key has changed: it may be an alarm. */
  void changed(KeyChange change) {
    if (change.now().key().equals(Alarms.NO_SPACE)) {
      noSpace = !change.deleted();
    }
  }

  AccessRules rules() {
    return rules;
  }

  RecentWrites recent() {
    return recent;
  }

  KeyCounts counts() {
    return counts;
  }

  void setRevision(long value) {
    revision = value;
  }

  void setCompacted(long value) {
    compacted = value;
  }

  void setReclaimed(long value) {
    reclaimed = value;
  }

  void setRules(AccessRules value) {
    rules = value;
  }

  // ---- reading what is stored, for the applying thread

  /** The newest version of a key, deleted or not. */
  Optional<StoredVersion> newest(Bytes key) {
    return store
        .get(Rows.value(key), Rows.VALUES, Bytes.EMPTY)
        .map(stored -> StoredVersion.decode(key, stored));
  }

  Optional<KeyValue> current(Bytes key) {
    return newest(key).flatMap(StoredVersion::live);
  }

  /** One version each of the keys of a range, at a revision; deletions included. */
  Scan scanKeys(KeyRange range, long at) {
    return store.scan(
        ReadPredicate.rows(Rows.keys(range))
            .withColumns(ColumnRange.family(Rows.VALUES))
            .withTime(Long.MIN_VALUE, at + 1)
            .withHistory(1));
  }

  /** Was a key of the range changed, or deleted, after a revision? */
  boolean changedAfter(KeyRange range, long after) {
    if (after >= revision || range.isEmpty()) {
      return false;
    }
    return after >= recent.floor()
        ? recent.changedAfter(range, after)
        : isStoredAfter(range, after);
  }

  /** What {@link RecentWrites} says, from the store: for what it has forgotten. */
  boolean isStoredAfter(KeyRange range, long after) {
    try (Scan scan =
        store.scan(
            ReadPredicate.rows(Rows.keys(range))
                .withColumns(ColumnRange.family(Rows.VALUES))
                .withTime(after + 1, Long.MAX_VALUE)
                .withHistory(1))) {
      return scan.next();
    }
  }

  // ---- opening

  private ClusterState findCluster(MetastoreLimits own) {
    return store
        .get(Rows.CLUSTER, Rows.OTHERS, Bytes.EMPTY)
        .map(StateTables::cluster)
        .orElseGet(() -> new ClusterState(ClusterVersion.FIRST, own));
  }

  /** What is stored in the row of that. */
  static ClusterState cluster(Bytes stored) {
    try {
      return ClusterState.read(new ByteReader(stored.sharedArray(), 0, stored.length()));
    } catch (Malformed e) {
      throw Rows.corrupt(Rows.CLUSTER, e);
    }
  }

  /**
   * Rows of revisions are there without a gap from the reclaimed one on, and surely from the
   * compacted one on: gallop, then halve.
   */
  private long findRevision() {
    long known =
        Math.max(
            Math.max(Math.max(FIRST_REVISION, reclaimed), compacted),
            place.map(AppliedPlace::revision).orElse(FIRST_REVISION));
    long step = 1;
    while (isRevision(known + step)) {
      known += step;
      step *= 2;
    }
    long absent = known + step;
    while (absent - known > 1) {
      long middle = known + (absent - known) / 2;
      if (isRevision(middle)) {
        known = middle;
      } else {
        absent = middle;
      }
    }
    return known;
  }

  private boolean isRevision(long number) {
    return store.get(Rows.change(number), Rows.OTHERS, Bytes.EMPTY).isPresent();
  }

  private void loadSessions() {
    scanColumn(
        Rows.sessions(),
        cell -> {
          try {
            sessions.add(Session.decode(Rows.numberOf(cell), cell.value()));
          } catch (Malformed e) {
            throw Rows.corrupt(cell.row(), e);
          }
        });
    scanColumn(Rows.allEphemerals(), cell -> sessions.addEphemeralKeys(Rows.numberOf(cell), 1));
  }

  private void loadLeases() {
    scanColumn(
        Rows.leases(),
        cell -> {
          try {
            leases.add(Lease.decode(Rows.numberOf(cell), cell.value()));
          } catch (Malformed e) {
            throw Rows.corrupt(cell.row(), e);
          }
        });
    scanColumn(Rows.allLeased(), cell -> leases.addKeys(Rows.numberOf(cell), 1));
  }

  /** How far the sweep has come that a crash interrupted; its end erases the row. */
  Optional<Bytes> sweep() {
    return store.get(Rows.SWEEP, Rows.OTHERS, Bytes.EMPTY);
  }

  /** The keys that end with a lease, in their order. */
  List<Bytes> leasedKeys(long lease) {
    List<Bytes> keys = new ArrayList<>();
    try (Scan scan = store.scan(ReadPredicate.rows(Rows.leased(lease)))) {
      while (scan.next()) {
        keys.add(Rows.bytesBehind(scan.cell(), 1));
      }
    }
    return keys;
  }

  private void loadLocks() {
    scanColumn(
        Rows.allLocked(),
        cell -> {
          Bytes key = Rows.bytesBehind(cell, 0);
          Bytes row = Rows.lock(key);
          Optional<Bytes> stored = store.get(row, Rows.OTHERS, Bytes.EMPTY);
          try {
            locks.put(key, KeyLockInfo.decode(stored.orElse(Bytes.EMPTY)));
          } catch (Malformed e) {
            throw Rows.corrupt(row, e);
          }
        });
  }

  private void loadRules() {
    scanColumn(
        Rows.allRules(),
        cell -> {
          Bytes directory = Rows.bytesBehind(cell, 0);
          rules = rules.with(directory, AccessRules.decode(directory, cell.value()));
        });
  }

  private void scanColumn(RowRange rows, Consumer<CellView> each) {
    try (Scan scan =
        store.scan(
            ReadPredicate.rows(rows).withColumns(ColumnRange.column(Rows.OTHERS, Bytes.EMPTY)))) {
      while (scan.next()) {
        each.accept(scan.cell());
      }
    }
  }

  private long number(Bytes row) {
    return store.get(row, Rows.OTHERS, Bytes.EMPTY).map(stored -> number(row, stored)).orElse(0L);
  }

  /** What is stored in a row for a number. */
  static long number(Bytes row, Bytes stored) {
    try {
      return new ByteReader(stored.sharedArray(), 0, stored.length()).readVarint();
    } catch (Malformed e) {
      throw Rows.corrupt(row, e);
    }
  }

  static Bytes number(long value) {
    return new ByteBuilder(10).putVarint(value).toBytes();
  }
}
