package io.stele.engine.merge;

import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.fragment.CellCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a flush or a compaction keeps by {@link Resolution.ByTime}: every cell that some reader, now
 * or at an open snapshot, can still tell from its absence.
 *
 * <p>A cell that came with transaction {@code x} is made superfluous by another that says the same
 * or more: a version that wins over it, or a wide erasure that hides it. If the first such came
 * with {@code y}, readers in {@code [x, y)} can tell; if {@code y < x}, nobody can. What makes
 * superfluous is itself kept or superfluous beside a third, which then does for both, so the order
 * of these decisions does not matter.
 *
 * <p>An erasure hides cells of other fragments too, older and newer ones. It goes only when that is
 * known not to matter: see {@link ErasureExpiry}; and only if no snapshot is older than it, for
 * which a cell that it hides may have been kept.
 */
public final class TimeRetainCursor implements Retained {
  /** A wide erasure that bears on what is to come. */
  private record Range(ColumnWalk.Step scope, long from, long to, long txn) {
    boolean contains(Range other) {
      return from <= other.from && other.to <= to;
    }
  }

  private final CellCursor source;
  private final SnapshotSet snapshots;
  private final Older older;
  private final ErasureExpiry expiry;
  private final PurgePolicy purge;
  private final long now;
  private final ColumnWalk walk = new ColumnWalk();
  private final List<Range> ranges = new ArrayList<>(); // of the row, then family, then column

  // The cells of one place, in the order in which they came, which is that of falling transactions.
  private final List<CellCopy> place = new ArrayList<>();
  private boolean[] kept = new boolean[8];
  private int count;
  private int at = -1;

  private boolean started;
  private boolean pending; // the source stands on a cell
  private int newer; // versions of the column with newer timestamps that everyone sees

  /**
   * Reads a source that has all cells of all fragments to be rewritten.
   *
   * @param expiry of erasures, in a rewrite without older fragments
   * @param now microseconds, for the purge policy
   */
  public TimeRetainCursor(
      CellCursor source,
      SnapshotSet snapshots,
      Older older,
      ErasureExpiry expiry,
      PurgePolicy purge,
      long now) {
    this.source = source;
    this.snapshots = snapshots;
    this.older = older;
    this.expiry = older.any() ? ErasureExpiry.NEVER : expiry;
    this.purge = purge;
    this.now = now;
  }

  @Override
  public boolean next() {
    while (true) {
      while (++at < count) {
        if (kept[at]) {
          return true;
        }
      }
      if (!readPlace()) {
        return false;
      }
    }
  }

  @Override
  public CellView cell() {
    return place.get(at).view();
  }

  /** Reads the cells of the next place, and decides. */
  private boolean readPlace() {
    if (!started) {
      started = true;
      pending = source.next();
    }
    count = 0;
    at = -1;
    if (!pending) {
      return false;
    }
    ColumnWalk.Step step = walk.step(source.cell());
    if (step != ColumnWalk.Step.SAME_COLUMN) {
      while (!ranges.isEmpty() && ranges.getLast().scope.compareTo(step) <= 0) {
        ranges.removeLast();
      }
      newer = 0;
    }
    do {
      take(source.cell());
      pending = source.next();
    } while (pending && samePlace(source.cell()));
    Arrays.fill(kept, 0, count, false);
    if (place.getFirst().view().kind.isWide()) {
      decideErasures();
    } else {
      decideVersions();
    }
    return true;
  }

  private void take(CellView cell) {
    if (count == place.size()) {
      place.add(new CellCopy());
      if (count == kept.length) {
        kept = new boolean[2 * count];
      }
    }
    place.get(count++).set(cell);
  }

  private boolean samePlace(CellView cell) {
    CellCopy first = place.getFirst();
    return first.sameVersion(cell)
        || (cell.kind.isWide()
            && cell.kind == first.view().kind
            && cell.sameQualifier(first.view())
            && cell.sameFamily(first.view())
            && cell.sameRow(first.view()));
  }

  private void decideErasures() {
    ColumnWalk.Step scope =
        switch (place.getFirst().view().kind) {
          case ERASE_ROW -> ColumnWalk.Step.NEW_ROW;
          case ERASE_FAMILY -> ColumnWalk.Step.NEW_FAMILY;
          default -> ColumnWalk.Step.NEW_COLUMN;
        };
    for (int i = count - 1; i >= 0; i--) { // by rising transactions
      CellView erasure = place.get(i).view();
      Range range = new Range(scope, erasure.rangeFrom(), erasure.rangeTo(), erasure.txn);
      if (isTold(firstContaining(range), erasure.txn)) {
        kept[i] = true;
        for (int k = i + 1; k < count; k++) {
          kept[k] = kept[k] && isToldBeside(k, range);
        }
        ranges.removeIf(other -> isInner(other, scope, range));
        ranges.add(range);
      }
    }
    for (int i = 0; i < count; i++) {
      CellView erasure = place.get(i).view();
      kept[i] = kept[i] && !isExpired(erasure.txn, erasure.rangeTo());
    }
  }

  /** An inner range that no snapshot alone has: what it hides, the other hides. */
  private boolean isInner(Range other, ColumnWalk.Step scope, Range range) {
    return other.scope == scope && range.contains(other) && !snapshots.anyIn(other.txn, range.txn);
  }

  /** Can someone still tell an erasure of this place beside a later one? */
  private boolean isToldBeside(int index, Range later) {
    CellView erasure = place.get(index).view();
    boolean inner = later.from <= erasure.rangeFrom() && erasure.rangeTo() <= later.to;
    return !inner || snapshots.anyIn(erasure.txn, later.txn);
  }

  private long firstContaining(Range range) {
    long first = Long.MAX_VALUE;
    for (Range other : ranges) {
      if (other.contains(range)) {
        first = Math.min(first, other.txn);
      }
    }
    return first;
  }

  private void decideVersions() {
    long timestamp = place.getFirst().view().timestamp;
    long hidden = firstHiding(timestamp);
    int winner = -1;
    // Each that wins over all before it is seen until the next one comes.
    for (int i = count - 1; i >= 0; i--) {
      CellView version = place.get(i).view();
      if (winner < 0 || CellCopy.compareByTime(version, place.get(winner).view()) > 0) {
        if (winner >= 0) {
          decide(winner, Math.min(hidden, version.txn));
        }
        winner = i;
      }
    }
    decide(winner, hidden);
    boolean counts =
        hidden == Long.MAX_VALUE
            && place.get(winner).view().kind == CellKind.PUT
            && place.get(count - 1).view().txn <= snapshots.oldest();
    if (counts) {
      newer++;
    }
  }

  private void decide(int index, long until) {
    CellView version = place.get(index).view();
    if (!isTold(until, version.txn)) {
      return;
    }
    kept[index] =
        version.kind == CellKind.PUT
            ? !purge.purges(version.timestamp, newer, now)
                || older.mayHoldVersion(version.timestamp)
            : !isExpired(version.txn, version.timestamp + 1);
  }

  private long firstHiding(long timestamp) {
    long first = Long.MAX_VALUE;
    for (int i = 0; i < ranges.size(); i++) {
      Range range = ranges.get(i);
      if (range.from <= timestamp && timestamp < range.to) {
        first = Math.min(first, range.txn);
      }
    }
    return first;
  }

  /** Can someone tell a cell that came with a transaction, and is superfluous from another on? */
  private boolean isTold(long until, long txn) {
    return until == Long.MAX_VALUE || snapshots.anyIn(txn, until);
  }

  private boolean isExpired(long txn, long rangeTo) {
    return expiry.includes(txn, rangeTo) && !snapshots.anyBefore(txn);
  }
}
