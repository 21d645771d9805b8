package io.stele.testkit.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.CheckOutcome;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.RowRule;
import io.stele.base.table.RowSample;
import io.stele.base.table.RowsDeleted;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * One server of a {@link MemoryCluster}: who asks it for rows that it does not have is sent away.
 */
final class MemoryTabletServer implements Tables {
  private final MemoryCluster cluster;
  private final String address;
  private final MemoryTables tables;

  MemoryTabletServer(MemoryCluster cluster, String address, MemoryTables tables) {
    this.cluster = cluster;
    this.address = address;
    this.tables = tables;
  }

  private void check(String table, RowRange rows) {
    if (!cluster.has(address, table, rows)) {
      throw new NotServingException(
          address + " does not have all rows from " + rows.from() + " of table \"" + table + "\"");
    }
  }

  private void check(String table, CellBatch cells) {
    CellBatch.Reader reader = cells.read();
    while (reader.next()) {
      check(table, RowRange.row(reader.cell().row()));
    }
  }

  /** While it is asked, nothing moves. */
  private <T> CompletableFuture<T> asked(Supplier<CompletableFuture<T>> work) {
    synchronized (cluster) {
      try {
        return work.get();
      } catch (SteleException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
  }

  @Override
  public CompletableFuture<Long> apply(
      String table, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    return asked(
        () -> {
          check(table, cells);
          return tables.apply(table, cells, commitMaxTxn, waitForSync);
        });
  }

  @Override
  public CompletableFuture<List<RowOutcome>> applyRows(String table, List<CellBatch> rows) {
    return asked(
        () ->
            CompletableFuture.completedFuture(
                rows.stream().map(row -> outcome(table, row)).toList()));
  }

  private RowOutcome outcome(String table, CellBatch row) {
    try {
      check(table, row);
      return tables.applyRows(table, List.of(row)).join().getFirst();
    } catch (SteleException e) {
      return RowOutcome.failed(e);
    }
  }

  @Override
  public CompletableFuture<Long> sync(long txn) {
    return tables.sync(txn);
  }

  @Override
  public CompletableFuture<CheckOutcome> checkAndMutate(String table, CheckAndMutate request) {
    return asked(
        () -> {
          check(table, RowRange.row(request.row()));
          return tables.checkAndMutate(table, request);
        });
  }

  @Override
  public CompletableFuture<CellPage> readModifyWrite(String table, Bytes row, List<RowRule> rules) {
    return asked(
        () -> {
          check(table, RowRange.row(row));
          return tables.readModifyWrite(table, row, rules);
        });
  }

  @Override
  public long deleteRows(String table, RowRange rows) {
    synchronized (cluster) {
      check(table, rows);
      return tables.deleteRows(table, rows);
    }
  }

  @Override
  public RowsDeleted deleteServedRows(String table, RowRange rows) {
    synchronized (cluster) {
      RowRange here =
          cluster.rowsAt(address, table).stream()
              .filter(each -> each.contains(rows.from()))
              .findFirst()
              .orElseThrow(
                  () -> new NotServingException(address + " does not have row " + rows.from()));
      long count = tables.deleteRows(table, here.intersect(rows).orElseThrow());
      Bytes end = rows.to();
      Bytes next = here.to();
      return next == null || (end != null && end.compareTo(next) <= 0)
          ? RowsDeleted.all(count)
          : new RowsDeleted(count, Optional.of(next));
    }
  }

  @Override
  public void truncate(String table) {
    synchronized (cluster) {
      List<RowRange> here = cluster.rowsAt(address, table);
      if (here.isEmpty()) {
        throw new NotServingException(address + " has nothing of table \"" + table + "\"");
      }
      here.forEach(rows -> tables.deleteRows(table, rows));
    }
  }

  @Override
  public CompletableFuture<CellPage> read(
      String table, ReadPredicate predicate, ScanOptions options, int maxBytes) {
    return asked(
        () -> {
          predicate.rows().forEach(rows -> check(table, rows));
          return tables.read(table, predicate, options, maxBytes);
        });
  }

  @Override
  public TableScan scan(String table, ReadPredicate predicate, ScanOptions options) {
    synchronized (cluster) {
      predicate.rows().forEach(rows -> check(table, rows));
      return new Scan(table, predicate, tables.scan(table, predicate, options));
    }
  }

  @Override
  public List<RowSample> sampleRows(String table) {
    synchronized (cluster) {
      if (cluster.rowsAt(address, table).isEmpty()) {
        throw new NotServingException(address + " has nothing of table \"" + table + "\"");
      }
      return tables.sampleRows(table);
    }
  }

  /** A scan that ends when something of what it has still to read is here no more. */
  private final class Scan implements TableScan {
    private final String table;
    private final ReadPredicate predicate;
    private final TableScan scan;
    private Bytes from = Bytes.EMPTY;

    Scan(String table, ReadPredicate predicate, TableScan scan) {
      this.table = table;
      this.predicate = predicate;
      this.scan = scan;
    }

    @Override
    public long txn() {
      return scan.txn();
    }

    @Override
    public CellPage next(int maxBytes) {
      synchronized (cluster) {
        RowRange behind = new RowRange(from, null);
        for (RowRange rows : predicate.rows()) {
          rows.intersect(behind).ifPresent(left -> check(table, left));
        }
        CellPage page = scan.next(maxBytes);
        TableFixture.cells(page).forEach(cell -> from = cell.row());
        return page;
      }
    }

    @Override
    public void close() {
      scan.close();
    }
  }
}
