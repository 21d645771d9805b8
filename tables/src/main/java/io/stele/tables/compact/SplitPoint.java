package io.stele.tables.compact;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.fragment.CellCursor;
import io.stele.tables.meta.MetaRows;
import io.stele.tables.read.TabletReader;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.TabletView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Where to split a tablet: at a row that exists, near the median of its bytes on disk, such that
 * both halves have rows.
 *
 * <p>It has to exist for the sake of META1. A split of another table's tablet {@code (a, c]} writes
 * the META rows of {@code b} and {@code c}, which are in one META tablet as long as no META tablet
 * ends between them. One that ends with a row that exists does not: between those of {@code a} and
 * {@code c} there is none.
 */
final class SplitPoint {
  private final String table;
  private final TableView view;
  private final TabletView tablet;
  private final long txn;
  private final long now;

  /**
   * Looks at a tablet whose files are open, in a view that the caller has borrowed.
   *
   * @param txn the newest transaction to be seen
   * @param now microseconds, for purge policies
   */
  SplitPoint(String table, TableView view, TabletView tablet, long txn, long now) {
    this.table = table;
    this.view = view;
    this.tablet = tablet;
    this.txn = txn;
    this.now = now;
  }

  /** The row that is to be the last one of the lower half; nothing if there is none. */
  Optional<Bytes> find() {
    RowRange range = tablet.range();
    TreeMap<Bytes, Long> pieces = new TreeMap<>();
    for (DiskFragment fragment : TabletSize.distinct(tablet).values()) {
      fragment.pieces(range, (upTo, bytes) -> pieces.merge(upTo, bytes, Long::sum));
    }
    long half = pieces.values().stream().mapToLong(Long::longValue).sum() / 2;
    List<Bytes> upToHalf = new ArrayList<>();
    for (Map.Entry<Bytes, Long> piece : pieces.entrySet()) {
      if (range.contains(piece.getKey())) {
        upToHalf.add(piece.getKey());
      }
      half -= piece.getValue();
      if (half <= 0) {
        break;
      }
    }
    return pieces.isEmpty() ? Optional.empty() : lastOf(upToHalf);
  }

  /**
   * The row of the last place from which there is one: the further back, the more rows there are to
   * choose from. Behind the median there may be too few, as most may have been erased.
   */
  private Optional<Bytes> lastOf(List<Bytes> places) {
    Optional<Bytes> best = places.isEmpty() ? Optional.empty() : rowFrom(places.getLast());
    if (best.isPresent()) {
      return best;
    }
    best = rowFrom(tablet.range().from());
    int low = 0;
    int high = best.isEmpty() ? 0 : places.size() - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      Optional<Bytes> row = rowFrom(places.get(middle));
      if (row.isPresent()) {
        best = row;
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return best;
  }

  /** The first row from a row on that can be a tablet's last, and has a row behind it. */
  private Optional<Bytes> rowFrom(Bytes start) {
    Optional<CellCursor> opened = open(new RowRange(start, tablet.range().to()));
    if (opened.isEmpty()) {
      return Optional.empty();
    }
    try (CellCursor cells = opened.get()) {
      Optional<Bytes> last = Optional.empty();
      boolean found = cells.next();
      while (found && last.isEmpty()) {
        Bytes row = cells.cell().row();
        if (MetaRows.canBeLast(table, row)) {
          last = Optional.of(row);
        }
        found = cells.seek(CellView.beforeRow(row.successor()));
      }
      return found ? last : Optional.empty();
    }
  }

  /** Is there a cell in a row of the tablet? */
  boolean exists(Bytes row) {
    Optional<CellCursor> opened = open(RowRange.row(row));
    if (opened.isEmpty()) {
      return false;
    }
    try (CellCursor cells = opened.get()) {
      return cells.next();
    }
  }

  private Optional<CellCursor> open(RowRange rows) {
    return TabletReader.open(view, tablet, ReadPredicate.ALL, List.of(rows), txn, now);
  }
}
