package io.stele.metastore.state;

import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.base.error.CorruptDataException;
import io.stele.base.key.OrderedKeyReader;
import io.stele.base.key.OrderedKeyWriter;
import io.stele.base.predicate.RowRange;
import io.stele.metastore.command.Origin;
import io.stele.metastore.key.KeyRange;

/**
 * Where everything stands in the engine. Rows are put together by {@link OrderedKeyWriter}, so that
 * their order is the order of their fields.
 *
 * <pre>
 *   row                          family qualifier timestamp   value
 *   [1][user key][1]             v      -         revision    a version of the key: StoredVersion
 *   [1][user key][2]             s      -         0           its lock: KeyLockInfo
 *   [2][revision]                s      -         0           the keys it changed: ChangedKeys
 *   [3][session]                 s      -         0           the session: Session
 *                                s      place     0           an answer: KeptAnswer
 *   [4][1]                       s      -         0           the newest compacted revision
 *   [4][2]                       s      -         0           the newest reclaimed revision
 *   [4][3]                       s      -         0           the place in the log: AppliedPlace
 *   [4][4]                       s      -         0           while one is under way: SweepProgress
 *   [4][5]                       s      -         0           what is agreed on: ClusterState
 *   [5][session][user key]       s      -         0           empty: the key dies with the session
 *   [6][directory]               s      -         0           its rules: list of aclEntry
 *   [7][user key]                s      -         0           empty: the key has a lock
 *   [8][lease]                   s      -         0           the lease: Lease
 *   [9][lease][user key]         s      -         0           empty: the key dies with the lease
 * </pre>
 *
 * <p>Only keys have versions. Everything else has the timestamp 0, where a later transaction
 * supersedes an earlier one, and is erased cell by cell: the store holds no wide erasures, which
 * every read would have to look for. A place is two bytes, the sequence modulo the window.
 */
final class Rows {
  static final Bytes VALUES = Bytes.utf8("v");
  static final Bytes OTHERS = Bytes.utf8("s");

  private static final int KEYS = 1;
  private static final int CHANGES = 2;
  private static final int SESSIONS = 3;
  private static final int SINGLETONS = 4;
  private static final int EPHEMERALS = 5;
  private static final int RULES = 6;
  private static final int LOCKED = 7;
  private static final int LEASES = 8;
  private static final int LEASED = 9;
  private static final int VALUE = 1;
  private static final int LOCK = 2;

  static final Bytes COMPACTED = singleton(1);
  static final Bytes RECLAIMED = singleton(2);
  static final Bytes APPLIED = singleton(3);
  static final Bytes SWEEP = singleton(4);
  static final Bytes CLUSTER = singleton(5);

  private Rows() {}

  static Bytes value(Bytes key) {
    return start(KEYS).putBytes(key).putByte(VALUE).toBytes();
  }

  static Bytes lock(Bytes key) {
    return start(KEYS).putBytes(key).putByte(LOCK).toBytes();
  }

  static Bytes change(long revision) {
    return start(CHANGES).putUnsigned(revision).toBytes();
  }

  static Bytes session(long session) {
    return start(SESSIONS).putUnsigned(session).toBytes();
  }

  /** The column of a session's row in which the answer to a sequence is kept. */
  static Bytes place(long sequence) {
    int place = (int) (sequence % Origin.WINDOW);
    return Bytes.wrap(new byte[] {(byte) (place >> 8), (byte) place});
  }

  static Bytes ephemeral(long session, Bytes key) {
    return start(EPHEMERALS).putUnsigned(session).putBytes(key).toBytes();
  }

  static Bytes rules(Bytes directory) {
    return start(RULES).putBytes(directory).toBytes();
  }

  static Bytes lease(long lease) {
    return start(LEASES).putUnsigned(lease).toBytes();
  }

  static RowRange leases() {
    return RowRange.prefix(Bytes.of((byte) LEASES));
  }

  static Bytes leased(long lease, Bytes key) {
    return start(LEASED).putUnsigned(lease).putBytes(key).toBytes();
  }

  static RowRange allLeased() {
    return RowRange.prefix(Bytes.of((byte) LEASED));
  }

  static RowRange leased(long lease) {
    return RowRange.prefix(start(LEASED).putUnsigned(lease).toBytes());
  }

  /** Marks that there is a lock, so that locks are found without a look at every key. */
  static Bytes locked(Bytes key) {
    return start(LOCKED).putBytes(key).toBytes();
  }

  static RowRange allLocked() {
    return RowRange.prefix(Bytes.of((byte) LOCKED));
  }

  /** The rows of the keys of a range, with those of their locks. */
  static RowRange keys(KeyRange range) {
    Bytes to = range.to();
    return new RowRange(
        start(KEYS).putBytes(range.from()).toBytes(),
        to == null ? Bytes.of((byte) CHANGES) : start(KEYS).putBytes(to).toBytes());
  }

  static RowRange changes(long from, long to) {
    return new RowRange(change(from), change(to));
  }

  static RowRange sessions() {
    return RowRange.prefix(Bytes.of((byte) SESSIONS));
  }

  static RowRange allEphemerals() {
    return RowRange.prefix(Bytes.of((byte) EPHEMERALS));
  }

  static RowRange ephemerals(long session) {
    return RowRange.prefix(start(EPHEMERALS).putUnsigned(session).toBytes());
  }

  static RowRange allRules() {
    return RowRange.prefix(Bytes.of((byte) RULES));
  }

  /** True for a version of a key. */
  static boolean isVersion(CellView cell) {
    return cell.rowArray[cell.rowOffset] == KEYS
        && VALUES.compareTo(cell.familyArray, cell.familyOffset, cell.familyLength) == 0;
  }

  /** True for the keys that a revision changed. */
  static boolean isChange(CellView cell) {
    return cell.rowArray[cell.rowOffset] == CHANGES;
  }

  /** The user key of a row of table 1. */
  static Bytes userKey(CellView cell) {
    int end = cell.rowOffset + cell.rowLength - 3; // before the mark of its end and the sub key
    int at = cell.rowOffset + 1;
    while (at < end && cell.rowArray[at] != 0) {
      at++;
    }
    if (at == end) {
      return Bytes.copyOf(cell.rowArray, cell.rowOffset + 1, cell.rowLength - 4);
    }
    return bytesBehind(cell, 0); // it has zeros, which are escaped
  }

  /** The byte string of a row that stands behind the table and some numbers. */
  static Bytes bytesBehind(CellView cell, int numbers) {
    try {
      OrderedKeyReader in = new OrderedKeyReader(cell.rowArray, cell.rowOffset, cell.rowLength);
      in.readByte();
      for (int i = 0; i < numbers; i++) {
        in.readUnsigned();
      }
      return in.readBytes();
    } catch (Malformed e) {
      throw corrupt(cell.row(), e);
    }
  }

  /** The number of a row that stands behind the table. */
  static long numberOf(CellView cell) {
    try {
      OrderedKeyReader in = new OrderedKeyReader(cell.rowArray, cell.rowOffset, cell.rowLength);
      in.readByte();
      return in.readUnsigned();
    } catch (Malformed e) {
      throw corrupt(cell.row(), e);
    }
  }

  static CorruptDataException corrupt(Bytes row, Malformed e) {
    return new CorruptDataException(
        "row " + row + " of the metastore's state", e.offset(), "what was stored", e.problem());
  }

  private static Bytes singleton(int number) {
    return start(SINGLETONS).putByte(number).toBytes();
  }

  private static OrderedKeyWriter start(int table) {
    return new OrderedKeyWriter().putByte(table);
  }
}
