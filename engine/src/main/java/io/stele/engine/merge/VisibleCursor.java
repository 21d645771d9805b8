package io.stele.engine.merge;

import io.stele.base.bytes.Bytes;
import io.stele.engine.cell.CellCursor;
import io.stele.engine.cell.CellKind;
import io.stele.engine.cell.CellView;
import java.util.List;

/**
 * What a reader sees of a merged chain: the puts that are visible at its read transaction, not
 * erased, not superseded, not purged, and wanted by its predicate.
 *
 * <p>The source hands out, for each row: its erasures, then by family the family's erasures, then
 * by column the column's erasures and its versions, newest timestamp first and, for one timestamp,
 * newest transaction first. So everything that can hide a version has come before it.
 */
public final class VisibleCursor implements CellCursor {
  /** How many unwanted cells to step over before a seek is tried. */
  private static final int PATIENCE = 12;

  private final CellCursor source;
  private final boolean wide;
  private final long readTxn;
  private final ReadPredicate predicate;
  private final PurgePolicy purge;
  private final long now;
  private final CellView cell;
  private final ColumnWalk walk = new ColumnWalk();
  private final VisibleErasures erasures = new VisibleErasures();

  private int range = -1; // of predicate.rows(); behind the last one at the end
  private boolean pending; // the source stands on a cell that was not looked at yet

  // The current column.
  private boolean wanted;
  private boolean decided; // the versions at decidedTime are settled
  private long decidedTime;
  private int newer; // visible versions so far, for the purge policy
  private int handedOut;
  private int steppedOver;

  /**
   * Reads a source.
   *
   * @param wide false only if the source surely has no erasures of columns, families or rows
   * @param readTxn the newest transaction to be seen
   * @param now microseconds, for the purge policy
   */
  public VisibleCursor(
      CellCursor source,
      boolean wide,
      long readTxn,
      ReadPredicate predicate,
      PurgePolicy purge,
      long now) {
    this.source = source;
    this.wide = wide;
    this.readTxn = readTxn;
    this.predicate = predicate;
    this.purge = purge;
    this.now = now;
    this.cell = new CellView();
  }

  @Override
  public CellView cell() {
    return cell;
  }

  @Override
  public void close() {
    source.close();
  }

  /**
   * Moves to the first visible cell at or after the target. Erasures and versions before it still
   * count, so the walk starts earlier: at its row, or at its column where no erasure can matter.
   */
  @Override
  public boolean seek(CellView target) {
    List<RowRange> rows = predicate.rows();
    range = 0;
    while (range < rows.size()
        && rows.get(range).endsBefore(target.rowArray, target.rowOffset, target.rowLength)) {
      range++;
    }
    if (range == rows.size()) {
      return false;
    }
    walk.reset();
    if (rows.get(range).from().compareTo(target.rowArray, target.rowOffset, target.rowLength) > 0) {
      enterRange();
    } else if (wide || target.familyLength == 0) {
      pending = source.seek(CellView.beforeRow(target.row()));
    } else {
      pending =
          source.seek(CellView.beforeColumn(target.row(), target.family(), target.qualifier()));
    }
    boolean found = pending && scan();
    while (found && cell.compareTo(target) < 0) {
      found = next();
    }
    return found;
  }

  @Override
  public boolean next() {
    if (range < 0) {
      range = 0;
      enterRange();
      return pending && scan();
    }
    if (range >= predicate.rows().size()) {
      return false;
    }
    pending = source.next();
    return pending && scan();
  }

  /** Looks at the cells from the source's current one on until one is to be handed out. */
  private boolean scan() {
    do {
      CellView candidate = source.cell();
      if (candidate.txn > readTxn) {
        pending = source.next(); // the walk was not told of it: a seek from there could go back
        continue;
      }
      ColumnWalk.Step step = walk.step(candidate);
      if (step == ColumnWalk.Step.NEW_ROW && !inRange(candidate)) {
        if (!pending) {
          return false;
        }
        continue; // the source was moved to another cell
      }
      if (step != ColumnWalk.Step.SAME_COLUMN) {
        enterColumn(step, candidate);
      }
      if (accept(candidate)) {
        cell.pointTo(candidate);
        steppedOver = 0;
        return true;
      }
      advance();
    } while (pending);
    return false;
  }

  private void enterColumn(ColumnWalk.Step step, CellView candidate) {
    erasures.enter(step);
    decided = false;
    newer = 0;
    handedOut = 0;
    wanted = candidate.kind != CellKind.ERASE_ROW && isWanted(candidate);
  }

  private boolean accept(CellView candidate) {
    if (candidate.kind.isWide()) {
      erasures.add(candidate);
      return false;
    }
    if (!wanted || (decided && decidedTime == candidate.timestamp)) {
      return false;
    }
    decided = true;
    decidedTime = candidate.timestamp;
    if (candidate.kind == CellKind.ERASE_CELL
        || erasures.hides(candidate.timestamp, candidate.txn)
        || purge.purges(candidate.timestamp, newer++, now)
        || candidate.timestamp < predicate.timeFrom()
        || candidate.timestamp >= predicate.timeTo()
        || handedOut >= predicate.history()) {
      return false;
    }
    handedOut++;
    return true;
  }

  /** Moves past a cell that is not handed out: a step, or a seek where many lie ahead. */
  private void advance() {
    if (++steppedOver > PATIENCE) {
      steppedOver = 0;
      CellView at = walk.position();
      if (!wanted && at.familyLength > 0) {
        pending = source.seek(nextWanted(at));
        return;
      }
      if (handedOut >= predicate.history()) {
        pending =
            source.seek(CellView.beforeColumn(at.row(), at.family(), at.qualifier().successor()));
        return;
      }
    }
    pending = source.next();
  }

  /** Where the next wanted column can start, in this row or the next; above {@code at}. */
  private CellView nextWanted(CellView at) {
    Bytes row = at.row();
    Bytes family = at.family();
    for (ColumnRange column : predicate.columns()) {
      int byFamily = column.family().compareTo(family);
      if (byFamily > 0) {
        return CellView.beforeFamily(row, column.family());
      }
      if (byFamily == 0 && column.from().compareTo(at.qualifier()) > 0) {
        return CellView.beforeColumn(row, family, column.from());
      }
    }
    return CellView.beforeRow(row.successor());
  }

  private boolean isWanted(CellView candidate) {
    List<ColumnRange> columns = predicate.columns();
    if (columns.isEmpty()) {
      return true;
    }
    for (int i = 0; i < columns.size(); i++) {
      ColumnRange column = columns.get(i);
      if (column
                  .family()
                  .compareTo(candidate.familyArray, candidate.familyOffset, candidate.familyLength)
              == 0
          && column
                  .from()
                  .compareTo(
                      candidate.qualifierArray,
                      candidate.qualifierOffset,
                      candidate.qualifierLength)
              <= 0
          && (column.to() == null
              || column
                      .to()
                      .compareTo(
                          candidate.qualifierArray,
                          candidate.qualifierOffset,
                          candidate.qualifierLength)
                  > 0)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Is the candidate's row in a wanted range? If not, moves the source to the next range, or to the
   * end, and says so.
   */
  private boolean inRange(CellView candidate) {
    List<RowRange> rows = predicate.rows();
    int before = range;
    while (rows.get(range)
        .endsBefore(candidate.rowArray, candidate.rowOffset, candidate.rowLength)) {
      if (++range == rows.size()) {
        pending = false;
        return false;
      }
    }
    if (range != before
        && rows.get(range)
                .from()
                .compareTo(candidate.rowArray, candidate.rowOffset, candidate.rowLength)
            > 0) {
      walk.reset();
      enterRange();
      return false;
    }
    return true;
  }

  private void enterRange() {
    RowRange rows = predicate.rows().get(range);
    boolean oneRow =
        rows.to() != null
            && rows.to().length() == rows.from().length() + 1
            && rows.to().equals(rows.from().successor());
    if (oneRow && !wide && !predicate.columns().isEmpty()) {
      ColumnRange first = predicate.columns().getFirst();
      pending = source.seek(CellView.beforeColumn(rows.from(), first.family(), first.from()));
    } else {
      pending = source.seek(CellView.beforeRow(rows.from()));
    }
  }
}
