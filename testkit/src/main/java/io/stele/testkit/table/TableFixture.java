package io.stele.testkit.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * One table as tests write and read it: in text. Rows are told as {@code
 * row/family:column@time=value}.
 */
public final class TableFixture {
  private final Tables tables;
  private final String name;

  public TableFixture(Tables tables, String name) {
    this.tables = tables;
    this.name = name;
  }

  public String name() {
    return name;
  }

  public static Bytes bytes(String text) {
    return Bytes.utf8(text);
  }

  /** The answer of a future, or the exception that it failed with. */
  public static <T> T answer(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof SteleException failure) {
        throw failure;
      }
      throw e;
    }
  }

  public static Cell put(String row, String column, long time, String value) {
    return Cell.put(bytes(row), family(column), qualifier(column), time, bytes(value));
  }

  public static Bytes family(String column) {
    return bytes(column.substring(0, column.indexOf(':')));
  }

  public static Bytes qualifier(String column) {
    return bytes(column.substring(column.indexOf(':') + 1));
  }

  public static CellBatch batch(Cell... cells) {
    CellBatchBuilder batch = new CellBatchBuilder();
    for (Cell cell : cells) {
      batch.add(cell);
    }
    return batch.build();
  }

  /** Commits cells together; returns the transaction. */
  public long apply(Cell... cells) {
    return answer(tables.apply(name, batch(cells), Tables.ANY_TXN, true));
  }

  public List<String> read(ReadPredicate predicate) {
    return read(predicate, ScanOptions.DEFAULT);
  }

  /** By one read; what does not fit it is missing. */
  public List<String> read(ReadPredicate predicate, ScanOptions options) {
    return texts(answer(tables.read(name, predicate, options, 1 << 20)));
  }

  public List<String> row(String row) {
    return read(ReadPredicate.rows(RowRange.row(bytes(row))));
  }

  public List<String> all() {
    return scan(ReadPredicate.ALL, ScanOptions.DEFAULT, 1 << 20);
  }

  /** By a scan, in pages of about so many bytes. */
  public List<String> scan(ReadPredicate predicate, ScanOptions options, int pageBytes) {
    try (TableScan scan = tables.scan(name, predicate, options)) {
      return rest(scan, pageBytes);
    }
  }

  /** All that a scan has still to tell. */
  public static List<String> rest(TableScan scan, int pageBytes) {
    List<String> cells = new ArrayList<>();
    CellPage page;
    do {
      page = scan.next(pageBytes);
      cells.addAll(texts(page));
    } while (page.more());
    return cells;
  }

  public static List<Cell> cells(CellPage page) {
    List<Cell> cells = new ArrayList<>();
    page.cells()
        .ifPresent(
            batch -> {
              CellBatch.Reader reader = batch.read();
              while (reader.next()) {
                cells.add(reader.cell().toCell());
              }
            });
    return cells;
  }

  public static List<String> texts(CellPage page) {
    return cells(page).stream().map(TableFixture::text).toList();
  }

  private static String text(Cell cell) {
    return cell.row()
        + "/"
        + cell.family()
        + ":"
        + cell.qualifier()
        + "@"
        + cell.timestamp()
        + "="
        + cell.value();
  }
}
