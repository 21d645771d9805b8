package io.stele.engine.model;

import io.stele.base.bytes.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A table as a list of all changes ever committed, in their order. What a reader sees is worked out
 * from the list each time: a value is there if it was put, and nothing after that removed it. There
 * are no fragments, no merging and no upkeep, so there is little in it that can be wrong.
 */
public final class ModelTable {
  /** A change in its place; the place in the list is its order, inside a batch too. */
  private record Entry(long txn, Change change) {}

  private final Map<Bytes, List<Entry>> rows = new TreeMap<>();
  private final Purge purge;
  private long txn;

  public ModelTable(Purge purge) {
    this.purge = purge;
  }

  public ModelTable copy() {
    ModelTable copy = new ModelTable(purge);
    rows.forEach((row, entries) -> copy.rows.put(row, new ArrayList<>(entries)));
    copy.txn = txn;
    return copy;
  }

  public long commit(List<Change> changes) {
    txn++;
    for (Change change : changes) {
      rows.computeIfAbsent(change.row(), _ -> new ArrayList<>()).add(new Entry(txn, change));
    }
    return txn;
  }

  public long txn() {
    return txn;
  }

  /** From now on only these families have ever been written. */
  public void restrict(Set<Bytes> families) {
    rows.values().forEach(row -> row.removeIf(entry -> !entry.change.belongsTo(families)));
  }

  /** Undoes all that was committed after a transaction: a crash has lost it. */
  public void forgetAfter(long lastTxn) {
    rows.values().forEach(row -> row.removeIf(entry -> entry.txn > lastTxn));
    txn = Math.min(txn, lastTxn);
  }

  /** What a reader at a transaction sees, in order. */
  public List<Version> read(Question question, long readTxn, long now) {
    return question.select(purged(visible(readTxn), now));
  }

  private List<Version> visible(long readTxn) {
    List<Version> visible = new ArrayList<>();
    for (List<Entry> row : rows.values()) {
      for (int i = 0; i < row.size() && row.get(i).txn <= readTxn; i++) {
        if (row.get(i).change instanceof Change.Put put && !isRemoved(put, row, i + 1, readTxn)) {
          visible.add(
              new Version(
                  put.row(),
                  put.family(),
                  put.qualifier(),
                  put.timestamp(),
                  row.get(i).txn,
                  put.value()));
        }
      }
    }
    visible.sort(null);
    return visible;
  }

  private static boolean isRemoved(Change.Put put, List<Entry> row, int after, long readTxn) {
    for (int i = after; i < row.size() && row.get(i).txn <= readTxn; i++) {
      if (row.get(i).change.removes(put)) {
        return true;
      }
    }
    return false;
  }

  private List<Version> purged(List<Version> visible, long now) {
    List<Version> kept = new ArrayList<>();
    int newer = 0;
    for (int i = 0; i < visible.size(); i++) {
      Version version = visible.get(i);
      newer = i > 0 && visible.get(i - 1).sameColumn(version) ? newer + 1 : 0;
      if (!purge.drops(version.timestamp(), newer, now)) {
        kept.add(version);
      }
    }
    return kept;
  }
}
