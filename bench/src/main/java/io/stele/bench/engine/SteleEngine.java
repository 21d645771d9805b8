package io.stele.bench.engine;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellView;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.engine.Scan;
import io.stele.engine.Store;
import io.stele.engine.StoreEvent;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An open store of Stele's: one column, and a record is a row. */
final class SteleEngine implements Engine {
  private static final Bytes FAMILY = Bytes.utf8("f");
  private static final Bytes QUALIFIER = Bytes.utf8("q");

  /** Of the first record, in 2026; each has its own, as cells that came in one after the other. */
  private static final long FIRST_TIMESTAMP = 1_770_000_000_000_000L;

  /** Keeps the first failure of the store's own threads: a figure in spite of one is worthless. */
  static final class Failures implements Consumer<StoreEvent> {
    private volatile StoreEvent.@Nullable BackgroundFailed first;

    @Override
    public void accept(StoreEvent event) {
      if (event instanceof StoreEvent.BackgroundFailed failed && first == null) {
        first = failed;
      }
    }

    void rethrow() {
      StoreEvent.BackgroundFailed failed = first;
      if (failed != null) {
        throw new UnavailableException(
            "Stele's " + failed.what() + " failed while it was measured: " + failed.cause(),
            failed.cause());
      }
    }
  }

  private final FileStore files;
  private final Store store;
  private final Failures failures;
  private final Records records;

  SteleEngine(FileStore files, Store store, Failures failures, Records records) {
    this.files = files;
    this.store = store;
    this.failures = failures;
    this.records = records;
  }

  private Bytes row(long record) {
    byte[] key = new byte[Records.KEY_BYTES];
    records.key(record, key);
    return Bytes.wrap(key);
  }

  @Override
  public Access puts(boolean sync) {
    return record -> {
      Bytes value =
          Bytes.copyOf(records.values(), records.valueOffset(record), records.valueSize());
      store.apply(
          new CellBatchBuilder()
              .put(row(record), FAMILY, QUALIFIER, FIRST_TIMESTAMP + record, value)
              .build(),
          sync);
    };
  }

  @Override
  public void syncLog() {
    store.sync(store.assignedTxn());
  }

  @Override
  public void flushAndCompact() {
    store.flush();
    store.compact();
  }

  @Override
  public List<Way> gets() {
    return List.of(
        new Way(
            "get",
            true,
            () ->
                record -> {
                  Bytes value = store.get(row(record), FAMILY, QUALIFIER).orElse(Bytes.EMPTY);
                  records.check(record, value.sharedArray(), 0, value.length());
                }));
  }

  @Override
  public List<Way> scans() {
    return List.of(new Way("cells in place", true, () -> _ -> scanAll()));
  }

  private void scanAll() {
    long rows = 0;
    long fold = 0;
    try (Scan scan = store.scan(ReadPredicate.ALL)) {
      while (scan.next()) {
        CellView cell = scan.cell();
        fold ^= Records.fold(cell.rowArray, cell.rowOffset, cell.rowLength);
        fold ^= Records.fold(cell.valueArray, cell.valueOffset, cell.valueLength);
        rows++;
      }
    }
    records.checkScan(rows, fold);
  }

  @Override
  public List<Way> seeks(int cells) {
    return List.of(
        new Way("a scan each time", true, () -> new NewScan(cells)),
        new Way("one scan that seeks again", false, () -> new OneScan(cells)));
  }

  /** Opens a scan for every seek: it sees what was written up to then. */
  private final class NewScan implements Access {
    private final int cells;
    private long fold;

    NewScan(int cells) {
      this.cells = cells;
    }

    @Override
    public void to(long record) {
      Bytes row = row(record);
      try (Scan scan = store.scan(ReadPredicate.rows(new RowRange(row, null)))) {
        fold ^= walk(scan, scan.next(), row, cells);
      }
    }

    @Override
    public void close() {
      Records.keep(fold);
    }
  }

  /** Seeks with one scan: what was written since it was opened stays unseen. */
  private final class OneScan implements Access {
    private final int cells;
    private final Scan scan = store.scan(ReadPredicate.ALL);
    private long fold;

    OneScan(int cells) {
      this.cells = cells;
    }

    @Override
    public void to(long record) {
      Bytes row = row(record);
      fold ^= walk(scan, scan.seek(CellView.beforeRow(row)), row, cells);
    }

    @Override
    public void close() {
      scan.close();
      Records.keep(fold);
    }
  }

  private static long walk(Scan scan, boolean found, Bytes row, int cells) {
    CellView cell = scan.cell();
    if (!found || row.compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) != 0) {
      throw new IllegalStateException("a seek did not find the row " + row);
    }
    long fold = 0;
    int left = cells;
    do {
      fold ^= Records.fold(cell.valueArray, cell.valueOffset, cell.valueLength);
    } while (--left > 0 && scan.next());
    return fold;
  }

  @Override
  public void close() throws IOException {
    store.close();
    files.close();
    failures.rethrow();
  }
}
