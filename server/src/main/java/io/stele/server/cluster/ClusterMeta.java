package io.stele.server.cluster;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.FencedException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.base.time.Clock;
import io.stele.tables.master.TabletControl;
import io.stele.tables.meta.MetaAccess;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.RootStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * META of a cluster, on whichever servers its tablets are. Rows of one batch that are on several
 * servers are committed server by server: see {@link io.stele.tables.meta.MetaTable} for what a
 * crash in between leaves behind.
 *
 * <p>A server that does not have a tablet any more, or cannot be reached, is looked for again until
 * the patience is over.
 */
final class ClusterMeta implements MetaAccess, AutoCloseable {
  private static final int PAGE_BYTES = 256 << 10;
  private static final long SEVERAL_SERVERS = 0; // as the transaction of a read
  private static final long NOT_OF_THIS_SERVER = 0L; // as that of a change
  private static final int MOST_DOUBLINGS = 10;
  private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(10).toNanos();
  private static final long LONGEST_PAUSE_NANOS = Duration.ofMillis(500).toNanos();

  private final MetaLocations locations;
  private final Tables reads;
  private final Function<String, TabletControl> servers;
  private final Duration patience;
  private final Clock clock;
  private final ExecutorService writes = Executors.newVirtualThreadPerTaskExecutor();

  /**
   * Reaches META.
   *
   * @param root where META0 is said to be
   * @param reads makes what reads META by the locations that it is given
   * @param servers by their addresses
   * @param patience how long a change is tried
   */
  ClusterMeta(
      RootStore root,
      Function<MetaLocations, Tables> reads,
      Function<String, TabletControl> servers,
      Duration patience,
      Clock clock) {
    this.servers = servers;
    this.patience = patience;
    this.clock = clock;
    this.locations = new MetaLocations(new MetaTable(this, root));
    this.reads = reads.apply(locations);
  }

  // ---- reading

  @Override
  public long scan(
      String metaTable, ReadPredicate predicate, boolean latest, Predicate<Cell> each) {
    return scan(metaTable, predicate, latest, 0, each);
  }

  @Override
  public long scan(
      String metaTable, ReadPredicate predicate, boolean latest, int rows, Predicate<Cell> each) {
    long readAt = -1;
    ScanOptions options = ScanOptions.DEFAULT.withLatest(latest).withMaxRows(rows);
    try (TableScan scan = reads.scan(metaTable, predicate, options)) {
      while (true) {
        CellPage page = scan.next(PAGE_BYTES);
        readAt = readAt == -1 || readAt == page.txn() ? page.txn() : SEVERAL_SERVERS;
        if (page.cells().isPresent()) {
          CellBatch.Reader cells = page.cells().get().read();
          while (cells.next()) {
            if (!each.test(cells.cell().toCell())) {
              return readAt;
            }
          }
        }
        if (!page.more()) {
          return readAt;
        }
      }
    }
  }

  @Override
  public List<List<Bytes>> together(String metaTable, List<Bytes> rows) {
    Map<String, List<Bytes>> byServer = new LinkedHashMap<>();
    Patience attempts = new Patience();
    while (true) {
      try {
        for (Bytes row : rows) {
          byServer
              .computeIfAbsent(locations.addressOf(metaTable, row), _ -> new ArrayList<>())
              .add(row);
        }
        return List.copyOf(byServer.values());
      } catch (NotServingException | UnavailableException e) {
        locations.forget(metaTable);
        attempts.pauseOrFail(
            () ->
                new UnavailableException(
                    metaTable
                        + ": not found within "
                        + patience.toMillis()
                        + " ms: "
                        + e.getMessage(),
                    e));
        byServer.clear();
      }
    }
  }

  // ---- writing

  /** The future completes when all is durable, whether or not that was asked for. */
  @Override
  public CompletableFuture<Long> apply(
      String metaTable, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    return CompletableFuture.supplyAsync(
        () -> {
          new Change(metaTable, cells, commitMaxTxn).apply();
          return NOT_OF_THIS_SERVER;
        },
        writes);
  }

  /** A batch on its way: what is left of it, and until when it is tried. */
  private final class Change {
    private final String metaTable;
    private final long commitMaxTxn;
    private final Patience attempts = new Patience();
    private List<Cell> left = new ArrayList<>();
    private boolean begun; // some of it is done

    Change(String metaTable, CellBatch cells, long commitMaxTxn) {
      this.metaTable = metaTable;
      this.commitMaxTxn = commitMaxTxn;
      CellBatch.Reader reader = cells.read();
      while (reader.next()) {
        left.add(reader.cell().toCell());
      }
    }

    void apply() {
      while (!left.isEmpty()) {
        try {
          applyFirst();
        } catch (NotServingException | UnavailableException e) {
          locations.forget(metaTable);
          attempts.pauseOrFail(() -> failed(e));
        } catch (FencedException e) {
          // Of a server that lost its session: what it had logged may be replayed by the next one.
          locations.forget(metaTable);
          throw new OutcomeUnknownException(metaTable + ": " + e.getMessage(), e);
        }
      }
    }

    /** Applies all that the server of the first row takes. */
    private void applyFirst() {
      String address = locations.addressOf(metaTable, left.getFirst().row());
      CellBatchBuilder batch = new CellBatchBuilder();
      List<Cell> others = new ArrayList<>();
      for (Cell cell : left) {
        if (locations.addressOf(metaTable, cell.row()).equals(address)) {
          batch.add(cell);
        } else {
          others.add(cell);
        }
      }
      servers.apply(address).applyMeta(metaTable, batch.build(), commitMaxTxn);
      begun = true;
      left = others;
    }

    private SteleException failed(SteleException problem) {
      String text =
          "%s: not saved within %d ms: %s"
              .formatted(metaTable, patience.toMillis(), problem.getMessage());
      return begun
          ? new OutcomeUnknownException(text + "; a part of it was", problem)
          : new UnavailableException(text, problem);
    }
  }

  /** Attempts at something, with growing pauses between them, until it has taken too long. */
  private final class Patience {
    private final long deadline = clock.nanos() + patience.toNanos();
    private int failures;

    void pauseOrFail(Supplier<SteleException> failure) {
      long pause =
          Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(failures, MOST_DOUBLINGS));
      failures++;
      if (clock.nanos() + pause - deadline >= 0 || Thread.currentThread().isInterrupted()) {
        throw failure.get();
      }
      LockSupport.parkNanos(pause);
    }
  }

  @Override
  public void close() {
    writes.shutdownNow();
  }
}
