package io.stele.replicas.partition;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.engine.Scan;
import io.stele.engine.Store;
import io.stele.engine.chain.Link;
import io.stele.engine.disk.DiskFragment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Where to cut a replica: by the indexes of its files where they are large, by its rows where it is
 * small.
 */
final class Cuts {
  /** What is no larger is read. */
  private static final long SMALL = 8L << 20;

  /** Fewer pieces of files than this are too coarse to choose from. */
  private static final int COARSE = 8;

  private final Store store;
  private final RowRange rows;

  Cuts(Store store, RowRange rows) {
    this.store = store;
    this.rows = rows;
  }

  /** Rows of the range that have rows behind them, ascending. */
  List<Bytes> find(int pieces) {
    SortedMap<Bytes, Long> sizes = new TreeMap<>(); // bytes up to a row, behind the one before
    long onDisk = 0;
    for (Link link : store.chain().links()) {
      if (link.fragment() instanceof DiskFragment disk) {
        onDisk += disk.bytesIn(rows);
        disk.pieces(rows, (upTo, bytes) -> sizes.merge(upTo, bytes, Long::sum));
      }
    }
    if (onDisk <= SMALL || sizes.size() < COARSE) {
      sizes.clear();
      addRows(sizes);
    }
    return choose(sizes, pieces);
  }

  private void addRows(SortedMap<Bytes, Long> sizes) {
    try (Scan scan = store.scan(ReadPredicate.rows(rows))) {
      Bytes row = Bytes.EMPTY;
      long bytes = 0;
      while (scan.next()) {
        CellView cell = scan.cell();
        if (row.compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) != 0) {
          if (bytes > 0) {
            sizes.put(row, bytes);
          }
          row = cell.row();
          bytes = 0;
        }
        bytes += cell.size();
      }
      if (bytes > 0) {
        sizes.put(row, bytes);
      }
    }
  }

  private List<Bytes> choose(SortedMap<Bytes, Long> sizes, int pieces) {
    sizes.keySet().removeIf(row -> rows.from().compareTo(row) > 0);
    long total = sizes.values().stream().mapToLong(Long::longValue).sum();
    List<Bytes> cuts = new ArrayList<>();
    long before = 0; // bytes up to a row
    Bytes row = Bytes.EMPTY;
    int wanted = 1; // the next cut is where so many of the pieces end, or near it
    for (Map.Entry<Bytes, Long> next : sizes.entrySet()) {
      long after = before + next.getValue();
      boolean near = false;
      while (wanted < pieces && before + after >= 2 * (total * wanted / pieces)) {
        near = true;
        wanted++;
      }
      if (near && before > 0 && rows.contains(row)) {
        cuts.add(row);
      }
      before = after;
      row = next.getKey();
    }
    if (cuts.isEmpty() && pieces > 1) {
      // One row is as large as all others; still they can be parted.
      sizes.keySet().stream()
          .limit(Math.max(0, sizes.size() - 1))
          .filter(rows::contains)
          .findFirst()
          .ifPresent(cuts::add);
    }
    return cuts;
  }
}
