package io.stele.engine.merge;

import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.cell.RequestMark;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.fragment.CellCursor;

/**
 * What a flush or a compaction keeps by {@link Resolution.ByCommit}: every cell that some reader,
 * now or at an open snapshot, can still tell from its absence.
 *
 * <p>A version written at {@code t} and hidden from {@code u} on, by a newer version of the same
 * cell or by an erasure, is seen only by snapshots in {@code [t, u)}: without one it goes. An
 * erasure hides cells of older fragments too, so it goes only in a <em>rooted</em> rewrite, one
 * that includes the oldest fragment, and only if no snapshot is older than it: then all that it
 * hides is gone as well. For the same reason a rewrite that is not rooted purges a version only if
 * the older fragments cannot hold one with the same timestamp, which it has overwritten. Every
 * snapshot that is opened later reads at or above all transactions of the sources, so the set taken
 * at the start stays right.
 *
 * <p>Below the {@linkplain HistoryFloor floor} of a history, which every snapshot sees, the newest
 * version of a column stays and the older ones go. If it is a deletion it stays only for what older
 * fragments hold: in a rooted rewrite it goes as well.
 *
 * <p>The {@link RequestMark mark} of a request is kept until its lifetime is over, also if its row
 * was erased: a repeated put must not bring back what another request erased.
 */
public final class RetainCursor implements Retained {
  private final CellCursor source;
  private final SnapshotSet snapshots;
  private final Older older;
  private final PurgePolicy purge;
  private final long now;
  private final ColumnWalk walk = new ColumnWalk();
  private final RetainedErasures erasures = new RetainedErasures();
  private final HistoryWalk history;

  // The current column, and in it the current timestamp.
  private boolean inTime;
  private long time;
  private long lastTxn; // of the version of this timestamp that came before
  private boolean onlyPuts; // so far at this timestamp: no snapshot finds it erased
  private boolean timeCounts; // for the purge policy, one of this timestamp is seen by everyone
  private int newer; // older-than-any-snapshot visible versions with newer timestamps

  /**
   * Reads a source that has all cells of all fragments to be rewritten.
   *
   * @param now microseconds, for the purge policy
   */
  public RetainCursor(
      CellCursor source, SnapshotSet snapshots, Older older, PurgePolicy purge, long now) {
    this(source, snapshots, older, purge, HistoryFloor.NONE, now);
  }

  /**
   * As above, of a store with a history.
   *
   * @param floor raised before the oldest snapshot was opened
   */
  public RetainCursor(
      CellCursor source,
      SnapshotSet snapshots,
      Older older,
      PurgePolicy purge,
      HistoryFloor floor,
      long now) {
    this.source = source;
    this.snapshots = snapshots;
    this.older = older;
    this.purge = purge;
    this.history = new HistoryWalk(floor);
    this.now = now;
  }

  @Override
  public boolean next() {
    while (source.next()) {
      if (retains(source.cell())) {
        return true;
      }
    }
    return false;
  }

  @Override
  public CellView cell() {
    return source.cell();
  }

  private boolean retains(CellView cell) {
    if (RequestMark.is(cell)) {
      return RequestMark.expiry(cell) > now; // whatever happened to the row since
    }
    ColumnWalk.Step step = walk.step(cell);
    if (step != ColumnWalk.Step.SAME_COLUMN) {
      erasures.enter(step);
      inTime = false;
      timeCounts = false;
      newer = 0;
      history.enterColumn();
    }
    return cell.kind.isWide() ? retainsErasure(cell) : retainsVersion(cell);
  }

  private boolean retainsErasure(CellView erasure) {
    long hiddenFrom = erasures.firstHidingErasure(erasure);
    if (hiddenFrom != Long.MAX_VALUE && !snapshots.anyIn(erasure.txn, hiddenFrom)) {
      return false;
    }
    erasures.add(erasure);
    return older.any() || snapshots.anyBefore(erasure.txn);
  }

  private boolean retainsVersion(CellView version) {
    boolean superseded = inTime && time == version.timestamp;
    long hiddenFrom = erasures.firstHidingVersion(version);
    if (superseded) {
      hiddenFrom = Math.min(hiddenFrom, lastTxn);
    } else {
      if (timeCounts) {
        newer++;
      }
      inTime = true;
      time = version.timestamp;
      onlyPuts = true;
      timeCounts = false;
    }
    onlyPuts &= version.kind == CellKind.PUT;
    lastTxn = version.txn;
    if (hiddenFrom != Long.MAX_VALUE && !snapshots.anyIn(version.txn, hiddenFrom)) {
      return false;
    }
    if (version.kind == CellKind.ERASE_CELL) {
      return older.any() || snapshots.anyBefore(version.txn);
    }
    if (onlyPuts
        && version.txn <= snapshots.oldest()
        && erasures.firstHidingVersion(version) == Long.MAX_VALUE) {
      timeCounts = true;
    }
    return switch (history.verdict(version)) {
      case READ -> !purge.purges(version.timestamp, newer, now) || mayHaveOverwritten(version);
      case REPLACED -> mayHaveOverwritten(version);
      case DELETED -> older.any();
      case NOTED -> false;
    };
  }

  private boolean mayHaveOverwritten(CellView version) {
    return older.mayHoldVersion(version.timestamp);
  }
}
