package io.stele.tables.cluster;

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
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.TabletInfo;
import io.stele.tables.meta.MetaAccess;
import io.stele.tables.tablet.TabletState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * META wherever it is in a {@link SmallCluster}: whoever has a tablet of it is asked; while nobody
 * has, it is looked for again, for some seconds.
 */
final class SmallMeta implements MetaAccess {
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final int PAGE_BYTES = 64 << 10;

  private final Supplier<Collection<SmallCluster.Node>> nodes;
  private final BooleanSupplier wanted;
  private final AtomicInteger answersToLose = new AtomicInteger();

  /**
   * Makes one.
   *
   * @param nodes those that can be reached
   * @param wanted false when nobody waits for an answer any more
   */
  SmallMeta(Supplier<Collection<SmallCluster.Node>> nodes, BooleanSupplier wanted) {
    this.nodes = nodes;
    this.wanted = wanted;
  }

  /** Of the next change it is not known whether it was made, though it is. */
  void loseAnswer() {
    answersToLose.set(1);
  }

  private record Found(SmallCluster.Node node, RowRange rows) {}

  private interface Question<T> {
    T ask(Found found);
  }

  /** Asks whoever has the tablet with a row. */
  private <T> T asking(String metaTable, Bytes row, Question<T> question) {
    long deadline = System.nanoTime() + LIMIT_NANOS;
    SteleException last = new UnavailableException("nobody has row " + row + " of " + metaTable);
    while (System.nanoTime() < deadline
        && wanted.getAsBoolean()
        && !Thread.currentThread().isInterrupted()) {
      Optional<Found> found = find(metaTable, row);
      if (found.isPresent()) {
        try {
          return question.ask(found.get());
        } catch (NotServingException | FencedException e) {
          last = e;
        }
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    throw new UnavailableException("META cannot be reached: " + last.getMessage(), last);
  }

  private Optional<Found> find(String metaTable, Bytes row) {
    Bytes probe = row.isEmpty() ? row.successor() : row;
    for (SmallCluster.Node node : nodes.get()) {
      if (node.hasEnded()) {
        continue; // its session has not expired yet
      }
      for (TabletInfo tablet : node.server().control().tablets(metaTable)) {
        if (tablet.range().contains(probe)
            && tablet.state() >= TabletState.FRAGMENTS_LOADING.number()
            && tablet.state() <= TabletState.ACTIVE.number()) {
          return Optional.of(new Found(node, tablet.range()));
        }
      }
    }
    return Optional.empty();
  }

  @Override
  public CompletableFuture<Long> apply(
      String metaTable, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    try {
      long newest = 0;
      for (List<Bytes> part : together(metaTable, rows(cells))) {
        byte[] batch = part(cells, part).toArray();
        long txn =
            asking(
                metaTable,
                part.getFirst(),
                found ->
                    found
                        .node()
                        .control()
                        .applyMeta(
                            metaTable,
                            CellBatch.parse(Arrays.copyOf(batch, batch.length)),
                            commitMaxTxn));
        newest = Math.max(newest, txn);
      }
      if (answersToLose.getAndUpdate(count -> Math.max(0, count - 1)) > 0) {
        throw new OutcomeUnknownException("no answer");
      }
      return CompletableFuture.completedFuture(newest);
    } catch (SteleException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static List<Bytes> rows(CellBatch cells) {
    List<Bytes> rows = new ArrayList<>();
    CellBatch.Reader reader = cells.read();
    while (reader.next()) {
      if (rows.isEmpty() || !rows.getLast().equals(reader.cell().row())) {
        rows.add(reader.cell().row());
      }
    }
    return rows;
  }

  private static CellBatch part(CellBatch cells, List<Bytes> rows) {
    CellBatchBuilder part = new CellBatchBuilder();
    CellBatch.Reader reader = cells.read();
    while (reader.next()) {
      if (rows.contains(reader.cell().row())) {
        part.add(reader.cell().toCell());
      }
    }
    return part.build();
  }

  @Override
  public List<List<Bytes>> together(String metaTable, List<Bytes> rows) {
    Map<SmallCluster.Node, List<Bytes>> parts = new LinkedHashMap<>();
    for (Bytes row : rows) {
      SmallCluster.Node node = asking(metaTable, row, Found::node);
      parts.computeIfAbsent(node, _ -> new ArrayList<>()).add(row);
    }
    return List.copyOf(parts.values());
  }

  @Override
  public long scan(
      String metaTable, ReadPredicate predicate, boolean latest, Predicate<Cell> each) {
    Map<SmallCluster.Node, Long> txns = new LinkedHashMap<>();
    boolean[] more = {true};
    for (RowRange range : predicate.rows()) {
      Optional<RowRange> rest = Optional.of(range);
      while (rest.isPresent() && more[0]) {
        RowRange wantedRows = rest.get();
        Found found =
            asking(
                metaTable,
                wantedRows.from(),
                place -> {
                  RowRange rows = place.rows().intersect(wantedRows).orElse(wantedRows);
                  List<Cell> cells = new ArrayList<>();
                  long txn =
                      scan(
                          place.node(),
                          metaTable,
                          predicate.withRows(List.of(rows)),
                          latest,
                          cells);
                  txns.putIfAbsent(place.node(), txn);
                  for (Cell cell : cells) {
                    more[0] = more[0] && each.test(cell);
                  }
                  return place;
                });
        Bytes end = found.rows().to();
        rest =
            end == null || (range.to() != null && end.compareTo(range.to()) >= 0)
                ? Optional.empty()
                : Optional.of(new RowRange(end, range.to()));
      }
    }
    return txns.size() == 1 ? txns.values().iterator().next() : 0;
  }

  private static long scan(
      SmallCluster.Node node,
      String metaTable,
      ReadPredicate predicate,
      boolean latest,
      List<Cell> cells) {
    ScanOptions options = ScanOptions.DEFAULT.withLatest(latest);
    try (TableScan scan = node.server().scan(metaTable, predicate, options)) {
      CellPage page;
      do {
        page = scan.next(PAGE_BYTES);
        page.cells()
            .ifPresent(
                batch -> {
                  CellBatch.Reader reader = batch.read();
                  while (reader.next()) {
                    cells.add(reader.cell().toCell());
                  }
                });
      } while (page.more());
      return scan.txn();
    }
  }
}
