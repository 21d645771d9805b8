package io.stele.replicas.partition;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchWriter;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.predicate.ReadPredicate;
import io.stele.engine.StoredScan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Packs stored cells into batches, which have no transactions: wide erasures of one place, which
 * the store has in the order of theirs, are put in the order of their ranges.
 */
final class StoredPacker {
  /** A row that is so many times larger than a batch is meant to be is sent in pieces. */
  private static final int LARGE_ROW = 4;

  private final StoredScan scan;
  private final ReadPredicate predicate;
  private boolean started;
  private long skipped; // bytes of cells that are not wanted
  private boolean pending; // the scan stands on a cell

  StoredPacker(StoredScan scan) {
    this(scan, ReadPredicate.ALL);
  }

  /**
   * Packs the puts of the columns that a predicate wants, and all erasures. Its times and history
   * do not count: which version is visible depends on erasures that another replica may have.
   */
  StoredPacker(StoredScan scan, ReadPredicate predicate) {
    this.scan = scan;
    this.predicate = predicate;
  }

  /** Whole rows; at least one of them if there is one, unless much has to be left out first. */
  StoredCells nextRows(int maxBytes) {
    CellBatchWriter out = new CellBatchWriter(Math.min(maxBytes, 64 << 10));
    start();
    long most = LARGE_ROW * (long) maxBytes; // of what is left out: a caller does not wait for ever
    skipped = 0;
    while (pending && (out.count() == 0 || out.size() < maxBytes) && skipped < most) {
      addRow(out, Integer.MAX_VALUE);
    }
    Optional<Bytes> end = pending ? Optional.of(scan.cell().row()) : Optional.empty();
    return new StoredCells(out.finish(0), end);
  }

  /** Whole rows, or pieces of one that is very large. */
  Optional<CellBatch> nextBatch(int maxBytes) {
    CellBatchWriter out = new CellBatchWriter(Math.min(maxBytes, 64 << 10));
    start();
    int most = (int) Math.min((long) LARGE_ROW * Math.max(1, maxBytes), CellBatch.MAX_BYTES / 4);
    while (pending && (out.count() == 0 || out.size() < maxBytes)) {
      addRow(out, most);
    }
    return out.finish(0);
  }

  private void start() {
    if (!started) {
      started = true;
      pending = scan.next();
    }
  }

  /** Adds cells up to the end of a row, or until the batch is large. */
  private void addRow(CellBatchWriter out, int most) {
    Bytes row = scan.cell().row();
    while (pending && isOf(scan.cell(), row) && (out.count() == 0 || out.size() < most)) {
      if (scan.cell().kind.isWide()) {
        addErasures(out);
      } else {
        if (scan.cell().kind != CellKind.PUT || predicate.wantsColumn(scan.cell())) {
          out.add(scan.cell());
        } else {
          skipped += scan.cell().rowLength + scan.cell().valueLength;
        }
        pending = scan.next();
      }
    }
  }

  private static boolean isOf(CellView cell, Bytes row) {
    return row.compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) == 0;
  }

  private void addErasures(CellBatchWriter out) {
    List<Cell> erasures = new ArrayList<>();
    CellView first = scan.cell().toCell().view();
    while (pending && isOfPlace(scan.cell(), first)) {
      erasures.add(scan.cell().toCell().withTxn(0));
      pending = scan.next();
    }
    new TreeSet<>(erasures).forEach(erasure -> out.add(erasure.view()));
  }

  private static boolean isOfPlace(CellView cell, CellView first) {
    return cell.kind == first.kind
        && cell.sameQualifier(first)
        && cell.sameFamily(first)
        && cell.sameRow(first);
  }
}
