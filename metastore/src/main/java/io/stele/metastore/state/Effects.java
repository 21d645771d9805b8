package io.stele.metastore.state;

import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Applied.WaitEnded;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.lock.KeyLockInfo;
import io.stele.metastore.lock.LockDecision;
import io.stele.metastore.session.KeptAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What one command does, gathered before any of it is done: one batch of cells, and what follows in
 * memory once the batch is visible. A command that gathers nothing leaves no trace.
 */
final class Effects {
  private final StateTables tables;
  private final long txn;
  private final CellBatchBuilder cells = new CellBatchBuilder();
  private final List<Runnable> memory = new ArrayList<>(2);
  private final List<KeyChange> changes = new ArrayList<>(1);
  private final List<WaitEnded> ended = new ArrayList<>(0);
  private long bytes; // of the cells, about

  /**
   * For a command.
   *
   * @param txn its transaction number
   */
  Effects(StateTables tables, long txn) {
    this.tables = tables;
    this.txn = txn;
  }

  long txn() {
    return txn;
  }

  /** The revision of the changes of keys, if there will be any. */
  long revision() {
    return tables.revision() + 1;
  }

  List<WaitEnded> ended() {
    return ended;
  }

  /** About how many bytes the batch takes: it must stay far below what a batch may have. */
  long bytes() {
    return bytes;
  }

  boolean isEmpty() {
    return cells.size() == 0;
  }

  private void add(Cell cell) {
    cells.add(cell);
    bytes += 40L + cell.row().length() + cell.qualifier().length() + cell.value().length();
  }

  void put(Bytes row, Bytes value) {
    add(Cell.put(row, Rows.OTHERS, Bytes.EMPTY, 0, value));
  }

  void erase(Bytes row) {
    erase(row, Bytes.EMPTY);
  }

  void erase(Bytes row, Bytes qualifier) {
    add(Cell.eraseCell(row, Rows.OTHERS, qualifier, 0));
  }

  void eraseVersion(Bytes key, long revision) {
    add(Cell.eraseCell(Rows.value(key), Rows.VALUES, Bytes.EMPTY, revision));
  }

  /** Once the batch is visible. */
  void then(Runnable change) {
    memory.add(change);
  }

  /** A key gets a new version. Keys ascend; {@link #endRevision} follows the last one. */
  void change(StoredVersion version, Optional<KeyValue> before) {
    KeyValue now = version.keyValue();
    store(version);
    changes.add(new KeyChange(version.deleted(), now, before));
  }

  /** A version that its revision tells of by a range, so that it needs no memory. */
  void store(StoredVersion version) {
    KeyValue now = version.keyValue();
    add(
        Cell.put(
            Rows.value(now.key()), Rows.VALUES, Bytes.EMPTY, now.modified(), version.encode()));
  }

  /** All changed keys have been told: they become a revision. */
  void endRevision() {
    List<Bytes> keys = new ArrayList<>(changes.size());
    for (KeyChange change : changes) {
      keys.add(change.now().key());
    }
    put(Rows.change(revision()), ChangedKeys.encode(keys));
  }

  private void moveLease(KeyChange change) {
    long old = change.before().map(KeyValue::lease).orElse(0L);
    long fresh = change.now().lease();
    if (old == fresh) {
      return;
    }
    Bytes key = change.now().key();
    if (old != 0) {
      erase(Rows.leased(old, key));
      then(() -> tables.leases.addKeys(old, -1));
    }
    if (fresh != 0) {
      put(Rows.leased(fresh, key), Bytes.EMPTY);
      then(() -> tables.leases.addKeys(fresh, 1));
    }
  }

  /** The rows that say which keys die with which session or lease. */
  void moveEphemerals() {
    for (KeyChange change : changes) {
      moveLease(change);
      long old = change.before().map(KeyValue::session).orElse(0L);
      long fresh = change.now().session();
      if (old == fresh) {
        continue;
      }
      Bytes key = change.now().key();
      if (old != 0) {
        erase(Rows.ephemeral(old, key));
        then(() -> tables.sessions.addEphemeralKeys(old, -1));
      }
      if (fresh != 0) {
        put(Rows.ephemeral(fresh, key), Bytes.EMPTY);
        then(() -> tables.sessions.addEphemeralKeys(fresh, 1));
      }
    }
  }

  /** What was decided about a lock; also the answers to those who waited. */
  void lock(LockDecision decision) {
    if (decision.changed()) {
      Bytes key = decision.key();
      KeyLockInfo lock = decision.lock();
      boolean wasFree = tables.locks.get(key).isFree();
      if (!lock.isFree()) {
        put(Rows.lock(key), lock.encode());
      } else if (!wasFree) {
        erase(Rows.lock(key));
      }
      if (wasFree && !lock.isFree()) {
        put(Rows.locked(key), Bytes.EMPTY);
      } else if (!wasFree && lock.isFree()) {
        erase(Rows.locked(key));
      }
      then(() -> tables.locks.put(key, lock));
    }
    for (WaitEnded wait : decision.ended()) {
      ended.add(wait);
      boolean gone =
          wait.answer() instanceof Answer.Refused refused
              && refused.kind() == Answer.Kind.SESSION_GONE;
      if (!gone) {
        keepUnlessOutdated(wait.session(), wait.sequence(), wait.answer());
      }
    }
  }

  void keepUnlessOutdated(long session, long sequence, Answer answer) {
    if (!isOutdated(session, sequence)) {
      keep(session, sequence, answer);
    }
  }

  /** True if a request that is a window younger has taken its place: that one must stay known. */
  private boolean isOutdated(long session, long sequence) {
    Bytes row = Rows.session(session);
    Optional<Bytes> stored = tables.store.get(row, Rows.OTHERS, Rows.place(sequence));
    try {
      return stored.isPresent()
          && KeptAnswer.sequenceOf(stored.get().sharedArray(), 0, stored.get().length()) > sequence;
    } catch (Malformed e) {
      throw Rows.corrupt(row, e);
    }
  }

  /** Keeps the answer to a request of a session, in case the request comes again. */
  void keep(long session, long sequence, Answer answer) {
    add(
        Cell.put(
            Rows.session(session),
            Rows.OTHERS,
            Rows.place(sequence),
            0,
            new KeptAnswer(sequence, answer).encode()));
    then(() -> tables.sessions.setNewestSequence(session, sequence));
  }

  /** Does it all. Returns the changes of keys, if there were any. */
  Optional<RevisionChanges> commit() {
    if (cells.size() > 0) {
      tables.store.applyLogged(cells.build(), txn);
    }
    for (Runnable change : memory) {
      change.run();
    }
    if (changes.isEmpty()) {
      return Optional.empty();
    }
    long revision = revision();
    for (KeyChange change : changes) {
      tables.recent().add(change.now().key(), revision);
      tables.changed(change);
    }
    tables.counts().change(changes, revision);
    tables.setRevision(revision);
    return Optional.of(new RevisionChanges(revision, changes));
  }
}
