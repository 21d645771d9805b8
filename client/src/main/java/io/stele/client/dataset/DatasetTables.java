package io.stele.client.dataset;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.Column;
import io.stele.base.dataset.Datasets;
import io.stele.base.dataset.Lookup;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.CheckOutcome;
import io.stele.base.table.Consistency;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.RowRule;
import io.stele.base.table.RowSample;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tables, and beside them datasets as tables that can only be read: a key is a row with one cell,
 * in the column {@code value:}, with the time at which its version was loaded. A table comes before
 * a dataset of the same name: only what no table is, is looked for among datasets, so that tables
 * pay nothing for it.
 *
 * <p>Datasets have no order: rows are asked for one by one, and ranges are an error, as is every
 * change.
 */
public final class DatasetTables implements Tables {
  /** The family of the one column, whose qualifier is empty. */
  public static final Bytes FAMILY = Bytes.utf8("value");

  private static final Column COLUMN = new Column(FAMILY, Bytes.EMPTY);
  private static final int MOST_ROWS = 10_000;

  // What goes on after an answer must not wait on the network's thread.
  private static final Executor THREADS =
      task -> Thread.ofVirtual().name("stele-dataset").start(task);

  private final Tables tables;
  private final Datasets datasets;

  public DatasetTables(Tables tables, Datasets datasets) {
    this.tables = tables;
    this.datasets = datasets;
  }

  @Override
  public Tables at(Consistency consistency) {
    return new DatasetTables(tables.at(consistency), datasets);
  }

  // ---- changes

  @Override
  public CompletableFuture<Long> apply(
      String table, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    return laterUnlessDataset(table, () -> tables.apply(table, cells, commitMaxTxn, waitForSync));
  }

  @Override
  public CompletableFuture<List<RowOutcome>> applyRows(String table, List<CellBatch> rows) {
    return laterUnlessDataset(table, () -> tables.applyRows(table, rows))
        .thenCompose(
            outcomes ->
                outcomes.isEmpty() || !outcomes.stream().allMatch(DatasetTables::noTable)
                    ? CompletableFuture.completedFuture(outcomes)
                    : CompletableFuture.supplyAsync(
                        () -> {
                          refuseIfDataset(table);
                          return outcomes;
                        },
                        THREADS));
  }

  private static boolean noTable(RowOutcome outcome) {
    return outcome.failure().isPresent() && outcome.failure().get() instanceof NotFoundException;
  }

  @Override
  public CompletableFuture<Long> sync(long txn) {
    return tables.sync(txn);
  }

  @Override
  public CompletableFuture<CheckOutcome> checkAndMutate(String table, CheckAndMutate request) {
    return laterUnlessDataset(table, () -> tables.checkAndMutate(table, request));
  }

  @Override
  public CompletableFuture<CellPage> readModifyWrite(String table, Bytes row, List<RowRule> rules) {
    return laterUnlessDataset(table, () -> tables.readModifyWrite(table, row, rules));
  }

  @Override
  public long deleteRows(String table, RowRange rows) {
    return unlessDataset(table, () -> tables.deleteRows(table, rows));
  }

  @Override
  public void truncate(String table) {
    boolean _ =
        unlessDataset(
            table,
            () -> {
              tables.truncate(table);
              return true;
            });
  }

  private <T> T unlessDataset(String table, Supplier<T> change) {
    try {
      return change.get();
    } catch (NotFoundException e) {
      refuseIfDataset(table);
      throw e;
    }
  }

  private <T> CompletableFuture<T> laterUnlessDataset(
      String table, Supplier<CompletableFuture<T>> change) {
    return begin(change)
        .exceptionallyComposeAsync(
            problem -> {
              if (cause(problem) instanceof NotFoundException) {
                refuseIfDataset(table);
              }
              return CompletableFuture.failedFuture(problem);
            },
            THREADS);
  }

  /** What is thrown at once fails as what is found out later does. */
  private static <T> CompletableFuture<T> begin(Supplier<CompletableFuture<T>> asking) {
    try {
      return asking.get();
    } catch (SteleException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void refuseIfDataset(String table) {
    if (isDataset(table)) {
      throw new InvalidRequestException(
          table
              + " is a dataset, which can only be read: its versions are made as a whole, by"
              + " `stele dataset build` or by another program");
    }
  }

  /** Where that cannot be found out, what was found out about tables stands. */
  private boolean isDataset(String table) {
    try {
      return datasets.list().contains(table);
    } catch (SteleException e) {
      return false;
    }
  }

  private static @Nullable Throwable cause(Throwable problem) {
    return problem instanceof CompletionException ? problem.getCause() : problem;
  }

  // ---- reading

  @Override
  public CompletableFuture<CellPage> read(
      String table, ReadPredicate predicate, ScanOptions options, int maxBytes) {
    return begin(() -> tables.read(table, predicate, options, maxBytes))
        .exceptionallyComposeAsync(
            problem ->
                cause(problem) instanceof NotFoundException && isDataset(table)
                    ? CompletableFuture.completedFuture(lookUp(table, predicate, options))
                    : CompletableFuture.failedFuture(problem),
            THREADS);
  }

  private CellPage lookUp(String table, ReadPredicate predicate, ScanOptions options) {
    List<Bytes> keys = predicate.rows().stream().map(range -> key(table, range)).toList();
    if (keys.size() > MOST_ROWS) {
      throw new InvalidRequestException(
          keys.size() + " rows of dataset " + table + " at once: must be at most " + MOST_ROWS);
    }
    CellBatchBuilder cells = new CellBatchBuilder();
    List<Lookup> lookups = datasets.mget(table, keys);
    for (int i = 0; i < keys.size(); i++) {
      if (options.after().isPresent() && keys.get(i).compareTo(options.after().get().row()) <= 0) {
        continue;
      }
      switch (lookups.get(i)) {
        case Lookup.Found(var value, var origin) -> {
          if (wants(predicate, origin.loadedMicros())) {
            cells.put(keys.get(i), FAMILY, Bytes.EMPTY, origin.loadedMicros(), value);
          }
        }
        case Lookup.Missing _ -> {}
        case Lookup.Failed failed ->
            throw new UnavailableException("dataset " + table + ": " + failed.reason());
      }
      if (options.maxRows() > 0 && cells.size() >= options.maxRows()) {
        break;
      }
    }
    return new CellPage(
        0, cells.size() == 0 ? Optional.empty() : Optional.of(cells.build()), false);
  }

  private static Bytes key(String table, RowRange range) {
    if (!range.isOneRow()) {
      throw new InvalidRequestException(
          table
              + " is a dataset, whose keys have no order: rows are read one by one, and never by"
              + " ranges");
    }
    return range.from();
  }

  private static boolean wants(ReadPredicate predicate, long timestamp) {
    return predicate.history() > 0
        && predicate.times().stream().anyMatch(times -> times.contains(timestamp))
        && (predicate.columns().isEmpty()
            || predicate.columns().stream()
                .anyMatch(
                    columns ->
                        columns.from().compareTo(COLUMN) <= 0
                            && (columns.to() == null || columns.to().compareTo(COLUMN) > 0)));
  }

  /** A table's own scan is handed out as it is: readers of rows know how it goes on. */
  @Override
  public TableScan scan(String table, ReadPredicate predicate, ScanOptions options) {
    try {
      return tables.scan(table, predicate, options);
    } catch (NotFoundException e) {
      if (isDataset(table)) {
        return new LookedUp(lookUp(table, predicate, options));
      }
      throw e;
    }
  }

  @Override
  public List<RowSample> sampleRows(String table) {
    return unlessDataset(table, () -> tables.sampleRows(table));
  }

  /** All that was asked for of a dataset. */
  private static final class LookedUp implements TableScan {
    private Optional<CellPage> page;

    LookedUp(CellPage page) {
      this.page = Optional.of(page);
    }

    @Override
    public long txn() {
      return 0;
    }

    @Override
    public CellPage next(int maxBytes) {
      CellPage next = page.orElseGet(() -> new CellPage(0, Optional.empty(), false));
      page = Optional.empty();
      return next;
    }

    @Override
    public void close() {
      page = Optional.empty();
    }
  }
}
