package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.engine.Scan;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.OperationResult;
import io.stele.metastore.key.KeyRange;
import java.util.List;

/**
 * Deletes a range of opaque keys of any number, as one revision and without holding them in memory.
 *
 * <pre>
 *   number of the batch                          what it has
 *   that of the command, and those behind it     deletions of some keys each: a part
 *   END                                          the row of the revision, with the range
 * </pre>
 *
 * <p>Nobody sees a part before its revision is the newest: readers read nothing above that. The
 * parts take numbers that are no command's, so a sweep must be the last command of its log entry.
 * After a crash in its midst the row of the revision is absent; the same keys are found again, as
 * they were before the revision, and fall into the same parts, of which those that are stored are
 * passed over.
 */
final class Sweep {
  /** Of the batch with which it is done. */
  static final int END = AppliedPlace.LAST - 1;

  private static final int PART_BYTES = 4 << 20;

  private final StateTables tables;
  private final KeyRange range;
  private final long index;
  private final long stored;
  private final long revision;
  private CellBatchBuilder part = new CellBatchBuilder();
  private int number;
  private int keys; // of the part
  private long bytes; // of the part, about
  private long count; // of all

  /**
   * Sweeps a range.
   *
   * @param index of the log entry
   * @param number of the command in it, counted from 1
   * @param stored batches up to this transaction are in the store already
   */
  Sweep(StateTables tables, KeyRange range, long index, int number, long stored) {
    this.tables = tables;
    this.range = range;
    this.index = index;
    this.number = number;
    this.stored = stored;
    this.revision = tables.revision() + 1;
  }

  Answer run() {
    try (Scan scan = tables.scanKeys(range, tables.revision())) {
      while (scan.next()) {
        if (!StoredVersion.isDeletion(scan.cell())) {
          delete(StoredVersion.decode(Rows.userKey(scan.cell()), scan.cell(), false).keyValue());
        }
      }
    }
    endPart();
    number = END;
    part.put(Rows.change(revision), Rows.OTHERS, Bytes.EMPTY, 0, ChangedKeys.encode(range));
    endPart();
    tables.recent().forget(revision);
    tables.setRevision(revision);
    return new Answer.Transacted(
        true, revision, List.of(new OperationResult.Deleted(count, List.of())));
  }

  private void delete(KeyValue kv) {
    Bytes row = Rows.value(kv.key());
    Bytes deletion = StoredVersion.deletion(kv.key(), revision).encode();
    part.put(row, Rows.VALUES, Bytes.EMPTY, revision, deletion);
    if (kv.lease() != 0) {
      part.add(Cell.eraseCell(Rows.leased(kv.lease(), kv.key()), Rows.OTHERS, Bytes.EMPTY, 0));
    }
    count++;
    keys++;
    bytes += 32L + row.length() + deletion.length();
    boolean full = keys == tables.limits.changedKeys() || bytes >= PART_BYTES;
    if (full && number < END - 1) {
      endPart();
    }
  }

  private void endPart() {
    long txn = AppliedPlace.txn(index, number);
    if (part.size() > 0 && txn > stored) {
      tables.store.applyLogged(part.build(), txn);
    }
    part = new CellBatchBuilder();
    number++;
    keys = 0;
    bytes = 0;
  }
}
