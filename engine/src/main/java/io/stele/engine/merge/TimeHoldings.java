package io.stele.engine.merge;

import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.fragment.CellCursor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Tells whether cells that are offered would change anything, by {@link Resolution.ByTime}: whether
 * each is there already, or made superfluous by what is.
 */
public final class TimeHoldings {
  private record Range(long from, long to) {}

  private final Function<CellView, Optional<CellCursor>> rows;
  private final long readTxn;
  private final PurgePolicy purge;
  private final long now;
  private final ColumnWalk walk = new ColumnWalk();

  // Of the row, the family and the column at hand.
  private Optional<CellCursor> row = Optional.empty();
  private final List<Range> rowRanges = new ArrayList<>();
  private final List<Range> familyRanges = new ArrayList<>();
  private final List<Range> columnRanges = new ArrayList<>();
  private boolean inColumn; // columnRanges are those of the column at hand

  /**
   * Looks at what came up to a transaction.
   *
   * @param rows cursors over the cells of single rows
   */
  public TimeHoldings(
      Function<CellView, Optional<CellCursor>> rows, long readTxn, PurgePolicy purge, long now) {
    this.rows = rows;
    this.readTxn = readTxn;
    this.purge = purge;
    this.now = now;
  }

  public boolean hasAll(CellBatch batch) {
    CellBatch.Reader reader = batch.read();
    while (reader.next()) {
      if (!has(reader.cell())) {
        return false;
      }
    }
    return true;
  }

  private boolean has(CellView cell) {
    if (cell.kind == CellKind.PUT && purge.purges(cell.timestamp, 0, now)) {
      return true;
    }
    enter(walk.step(cell), cell);
    if (row.isEmpty()) {
      return false;
    }
    if (isHidden(rowRanges, cell) || isHidden(familyRanges, cell) || isHidden(columnRanges, cell)) {
      return true;
    }
    return !cell.kind.isWide() && hasVersion(row.get(), cell);
  }

  private void enter(ColumnWalk.Step step, CellView cell) {
    if (step == ColumnWalk.Step.NEW_ROW) {
      CellView before = CellView.beforeRow(cell.row());
      row = rows.apply(before);
      collect(before, rowRanges);
    }
    if (cell.kind == CellKind.ERASE_ROW) {
      familyRanges.clear();
      columnRanges.clear();
      inColumn = false;
      return;
    }
    if (step.compareTo(ColumnWalk.Step.NEW_FAMILY) >= 0) {
      collect(CellView.beforeFamily(cell.row(), cell.family()), familyRanges);
    }
    if (cell.kind == CellKind.ERASE_FAMILY) {
      columnRanges.clear();
      inColumn = false;
      return;
    }
    // The column without a name is no new one behind an erasure of its family.
    if (step != ColumnWalk.Step.SAME_COLUMN || !inColumn) {
      collect(CellView.beforeColumn(cell.row(), cell.family(), cell.qualifier()), columnRanges);
      inColumn = true;
    }
  }

  private void collect(CellView from, List<Range> ranges) {
    ranges.clear();
    if (row.isEmpty()) {
      return;
    }
    CellCursor cells = row.get();
    for (boolean more = cells.seek(from); more; more = cells.next()) {
      CellView cell = cells.cell();
      if (cell.kind != from.kind
          || !cell.sameRow(from)
          || !cell.sameFamily(from)
          || !cell.sameQualifier(from)) {
        return;
      }
      if (cell.txn <= readTxn) {
        ranges.add(new Range(cell.rangeFrom(), cell.rangeTo()));
      }
    }
  }

  private static boolean isHidden(List<Range> ranges, CellView cell) {
    boolean wide = cell.kind.isWide();
    long from = wide ? cell.rangeFrom() : cell.timestamp;
    long to = wide ? cell.rangeTo() : cell.timestamp + 1;
    for (Range range : ranges) {
      if (range.from <= from && to <= range.to) {
        return true;
      }
    }
    return false;
  }

  private boolean hasVersion(CellCursor cells, CellView version) {
    CellView first = new CellView();
    first.pointTo(version);
    first.txn = Long.MAX_VALUE;
    for (boolean more = cells.seek(first); more; more = cells.next()) {
      CellView cell = cells.cell();
      if (cell.timestamp != version.timestamp
          || !cell.sameRow(version)
          || !cell.sameFamily(version)
          || !cell.sameQualifier(version)) {
        return false;
      }
      if (cell.txn <= readTxn && CellCopy.compareByTime(cell, version) >= 0) {
        return true;
      }
    }
    return false;
  }
}
