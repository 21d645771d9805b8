package io.stele.gateway.bigtable.read;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchWriter;
import io.stele.base.cell.CellView;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.RowSample;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Rows from the last to the first. Tables are read forwards only, so the rows are parted into
 * pieces, of which the last is read first. What a piece holds is known only when it has been read:
 * rows are kept as long as they are few; when they become many, they are left for later as a piece
 * of their own, so that at the piece's end its last rows are at hand.
 *
 * <pre>
 *   [ piece 1 ][ piece 2 ][     piece 3     ]
 *                          [left ][left ][kept]   ◄── then the left ones, from the last
 * </pre>
 *
 * <p>A row that is long all by itself is a piece, and passed on as it is read. So memory is bounded
 * whatever the sizes; each row is read whole at one time, and at most twice.
 */
final class ReversePages implements RowPages {
  private static final int PAGE_BYTES = 256 << 10;

  private final Tables tables;
  private final String table;
  private final ReadPredicate predicate;
  private final int keptBytes;
  private final Deque<RowRange> pieces = new ArrayDeque<>(); // the last is the next
  private final Deque<CellBatch> kept = new ArrayDeque<>(); // rows; the last is the next
  private @Nullable TableScan longRow;
  private long txn;

  /**
   * Starts before the last row.
   *
   * @param keptBytes how many bytes of rows are kept at a time
   */
  ReversePages(Tables tables, String table, ReadPredicate predicate, int keptBytes) {
    this.tables = tables;
    this.table = table;
    this.predicate = predicate;
    this.keptBytes = keptBytes;
    boolean rowsOnly = predicate.rows().stream().allMatch(RowRange::isOneRow);
    List<RowSample> samples = rowsOnly ? List.of() : tables.sampleRows(table);
    for (RowRange range : predicate.rows()) {
      addPieces(range, samples);
    }
  }

  /** Parts a range behind each sampled row. */
  private void addPieces(RowRange range, List<RowSample> samples) {
    RowRange rest = range;
    for (RowSample sample : samples) {
      if (!sample.row().isEmpty() && rest.contains(sample.row())) {
        Bytes behind = sample.row().successor();
        pieces.add(new RowRange(rest.from(), behind));
        rest = new RowRange(behind, rest.to());
      }
    }
    if (!rest.from().equals(rest.to())) {
      pieces.add(rest);
    }
  }

  @Override
  public CellPage next(int maxBytes) {
    while (true) {
      if (longRow != null) {
        CellPage page = longRow.next(maxBytes);
        if (!page.more()) {
          longRow.close();
          longRow = null;
        }
        return new CellPage(page.txn(), page.cells(), true);
      }
      CellBatch row = kept.pollLast();
      if (row != null) {
        return new CellPage(txn, Optional.of(row), true);
      }
      RowRange piece = pieces.pollLast();
      if (piece == null) {
        return new CellPage(txn, Optional.empty(), false);
      }
      open(piece);
    }
  }

  private void open(RowRange piece) {
    ReadPredicate wanted = predicate.withRows(List.of(piece));
    TableScan scan = tables.scan(table, wanted, ScanOptions.DEFAULT);
    txn = scan.txn();
    if (piece.isOneRow()) {
      longRow = scan;
      return;
    }
    try (scan) {
      new PieceReader(piece).read(scan);
    }
  }

  @Override
  public void close() {
    if (longRow != null) {
      longRow.close();
      longRow = null;
    }
  }

  /** Reads one piece: what it does not keep it puts back as smaller ones. */
  private final class PieceReader {
    private final RowRange piece;
    private final List<CellBatch> rows = new ArrayList<>(); // complete, and kept so far
    private long bytes; // of them
    private Bytes from; // where what is kept begins
    private @Nullable Bytes row; // the row at hand
    private CellBatchWriter cells = new CellBatchWriter(0);
    private boolean tooLong; // its cells are not kept

    PieceReader(RowRange piece) {
      this.piece = piece;
      this.from = piece.from();
    }

    void read(TableScan scan) {
      CellPage page;
      do {
        page = scan.next(PAGE_BYTES);
        if (page.cells().isPresent()) {
          CellBatch.Reader reader = page.cells().get().read();
          while (reader.next()) {
            add(reader.cell());
          }
        }
      } while (page.more());
      endRow(piece.to());
      kept.addAll(rows);
    }

    private void add(CellView cell) {
      if (row == null || row.compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) != 0) {
        Bytes next = cell.row();
        endRow(next);
        row = next;
        cells = new CellBatchWriter((int) cell.size());
        tooLong = false;
      }
      if (!tooLong) {
        cells.add(cell);
        tooLong = cells.size() > keptBytes;
      }
    }

    /** The row at hand is complete; the next one begins here, or the piece ends. */
    private void endRow(@Nullable Bytes next) {
      Bytes ended = row;
      if (ended == null) {
        return;
      }
      if (tooLong) {
        leave(ended);
        pieces.add(RowRange.row(ended));
        from = ended.successor();
        cells = new CellBatchWriter(0);
        return;
      }
      cells.finish(txn).ifPresent(rows::add);
      bytes += cells.size();
      if (bytes > keptBytes && next != null && !next.equals(piece.to())) {
        leave(next);
      }
    }

    /** Leaves what is kept, all before this row, for later. */
    private void leave(Bytes next) {
      if (!rows.isEmpty()) {
        pieces.add(new RowRange(from, next));
      }
      rows.clear();
      bytes = 0;
      from = next;
    }
  }
}
