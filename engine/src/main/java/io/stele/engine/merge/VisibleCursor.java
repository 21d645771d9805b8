package io.stele.engine.merge;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.cell.Column;
import io.stele.base.cell.RequestMark;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.fragment.CellCursor;
import java.util.List;

/**
 * What a reader sees of a merged chain: the puts that are visible at its read transaction, not
 * erased, not superseded, not purged, and wanted by its predicate.
 *
 * <p>The source hands out, for each row: its erasures, then by family the family's erasures, then
 * by column the column's erasures and its versions, newest timestamp first and, for one timestamp,
 * newest transaction first. So everything that can hide a version has come before it.
 *
 * <p>{@link RequestMark Marks} of requests are seen only by a predicate whose first column is one
 * of theirs.
 */
public final class VisibleCursor implements CellCursor {
  /** How many unwanted cells to step over before a seek is tried. */
  private static final int PATIENCE = 12;

  private final CellCursor source;
  private final boolean wide;
  private final long readTxn;
  private final ReadPredicate predicate;
  private final int history;
  private final PurgePolicy purge;
  private final long now;
  private final CellView cell;
  private final ColumnWalk walk = new ColumnWalk();
  private final VisibleErasures erasures;
  private final boolean marks; // are all that is wanted; else they are passed over

  private int range = -1; // of predicate.rows(); behind the last one at the end
  private boolean pending; // the source stands on a cell that was not looked at yet

  // The current column.
  private boolean wanted;
  private boolean decided; // the versions at decidedTime are settled
  private long decidedTime;
  private int newer; // visible versions so far, for the purge policy
  private int inTime; // of these, versions with a wanted timestamp
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
    this(source, Resolution.BY_COMMIT, wide, readTxn, predicate, purge, now);
  }

  /** As above, with a choice of who is believed. */
  public VisibleCursor(
      CellCursor source,
      Resolution resolution,
      boolean wide,
      long readTxn,
      ReadPredicate predicate,
      PurgePolicy purge,
      long now) {
    // By time, what comes first for one timestamp has to be the winner, as it is by commit.
    this.source = resolution.isByTime() ? new TimeWinnerCursor(source, readTxn) : source;
    this.erasures = new VisibleErasures(resolution.isByTime());
    this.wide = wide;
    this.readTxn = readTxn;
    this.predicate = predicate;
    this.history = predicate.history();
    this.marks =
        !predicate.columns().isEmpty()
            && predicate.columns().getFirst().from().family().equals(RequestMark.FAMILY);
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
        if (inRange(candidate)) { // or there could be many, of rows that nobody wants
          pending = source.next(); // the walk did not see it: a seek from there could go back
        }
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
    inTime = 0;
    wanted =
        candidate.kind != CellKind.ERASE_ROW
            && marks == RequestMark.is(candidate)
            && predicate.wantsColumn(candidate);
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
    if (marks) {
      return true; // erasures and purges do not concern them
    }
    if (candidate.kind == CellKind.ERASE_CELL
        || erasures.hides(candidate.timestamp, candidate.txn)
        || purge.purges(candidate.timestamp, newer++, now)
        || !predicate.wantsTime(candidate.timestamp)) {
      return false;
    }
    inTime++;
    return history > 0 ? inTime <= history : inTime > -history;
  }

  /** Moves past a cell that is not handed out: a step, or a seek where many lie ahead. */
  private void advance() {
    if (++steppedOver > PATIENCE) {
      steppedOver = 0;
      CellView at = walk.position();
      if (!marks && RequestMark.is(at)) {
        pending = source.seek(CellView.beforeFamily(at.row(), RequestMark.NEXT_FAMILY));
        return;
      }
      if (!wanted && at.familyLength > 0) {
        pending = source.seek(nextWanted(at));
        return;
      }
      if (history > 0 && inTime >= history) {
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
    for (ColumnRange range : predicate.columns()) {
      Column from = range.from();
      if (from.compareTo(at) > 0) {
        // A family's erasures stand before its columns, and count for them.
        return from.family().equals(at.family())
            ? CellView.beforeColumn(row, from.family(), from.qualifier())
            : CellView.beforeFamily(row, from.family());
      }
    }
    return CellView.beforeRow(row.successor());
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
    if (rows.isOneRow() && !wide && !predicate.columns().isEmpty()) {
      Column first = predicate.columns().getFirst().from();
      pending = source.seek(CellView.beforeColumn(rows.from(), first.family(), first.qualifier()));
    } else {
      pending = source.seek(CellView.beforeRow(rows.from()));
    }
  }
}
