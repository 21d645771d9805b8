package io.stele.tables.sim;

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
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.CheckOutcome;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.RowRule;
import io.stele.base.table.RowSample;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.base.table.TabletInfo;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.testkit.table.TableFixture;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A client of the simulated cluster. It keeps to the server that answered last for a row, which may
 * have been taken for dead since; it asks another one only when that one refuses. Every call blocks
 * its thread, for as long as the simulation takes to let it through.
 */
final class Client implements Tables {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(40);
  private static final int PAGE_BYTES = 64 << 10;

  private final World world;
  private final Map<Bytes, Node> known = new ConcurrentHashMap<>(); // by row

  Client(World world) {
    this.world = world;
  }

  /**
   * Asks the server of a row.
   *
   * @param repeatable whether it does no harm to ask again after an answer that tells nothing
   */
  private <T> T ask(String table, Bytes row, boolean repeatable, Function<Node, T> question) {
    long start = System.nanoTime();
    while (true) {
      Optional<Node> node = Optional.ofNullable(known.get(row)).or(() -> world.owner(table, row));
      try {
        if (node.isPresent()) {
          if (node.get().hasEnded()) {
            throw new NotServingException(node.get() + " cannot be reached");
          }
          T answer = at(node.get(), question);
          known.put(row, node.get());
          return answer;
        }
      } catch (NotServingException e) {
        known.remove(row); // nothing was done
      } catch (FencedException | OutcomeUnknownException | UnavailableException e) {
        known.remove(row);
        if (!repeatable) {
          throw new OutcomeUnknownException(
              node.map(Node::toString).orElse("") + ": " + e.getMessage(), e);
        }
      }
      if (System.nanoTime() - start > LIMIT_NANOS) {
        throw new UnavailableException("nobody serves row \"" + row + "\" of " + table);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** A request that ends with its server, as a connection does. */
  private <T> T at(Node node, Function<Node, T> question) {
    try {
      return world.connected(node.self().run(), "request", () -> question.apply(node));
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static Bytes row(CellBatch cells) {
    CellBatch.Reader reader = cells.read();
    if (!reader.next()) {
      throw new IllegalArgumentException("an empty batch");
    }
    return reader.cell().row();
  }

  private static <T> CompletableFuture<T> answered(T answer) {
    return CompletableFuture.completedFuture(answer);
  }

  private static CellBatch copy(CellBatch cells) {
    return CellBatch.trusted(cells.toArray(), 0, cells.length());
  }

  @Override
  public CompletableFuture<Long> apply(
      String table, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    return answered(
        ask(
            table,
            row(cells),
            false,
            node ->
                TableFixture.answer(
                    node.server().apply(table, copy(cells), commitMaxTxn, waitForSync))));
  }

  @Override
  public CompletableFuture<CheckOutcome> checkAndMutate(String table, CheckAndMutate request) {
    return answered(
        ask(
            table,
            request.row(),
            false,
            node -> TableFixture.answer(node.server().checkAndMutate(table, request))));
  }

  @Override
  public CompletableFuture<CellPage> readModifyWrite(String table, Bytes row, List<RowRule> rules) {
    return answered(
        ask(
            table,
            row,
            false,
            node -> TableFixture.answer(node.server().readModifyWrite(table, row, rules))));
  }

  @Override
  public CompletableFuture<CellPage> read(
      String table, ReadPredicate predicate, ScanOptions options, int maxBytes) {
    return answered(
        ask(
            table,
            predicate.rows().getFirst().from(),
            true,
            node -> TableFixture.answer(node.server().read(table, predicate, options, maxBytes))));
  }

  /** All of it at once, tablet by tablet. */
  @Override
  public TableScan scan(String table, ReadPredicate predicate, ScanOptions options) {
    List<Cell> cells = new ArrayList<>();
    for (RowRange range : predicate.rows()) {
      Optional<RowRange> rest = Optional.of(range);
      while (rest.isPresent()) {
        RowRange wanted = rest.get();
        Bytes from = wanted.from().isEmpty() ? wanted.from().successor() : wanted.from();
        rest = ask(table, from, true, node -> scan(node, table, wanted, predicate, options, cells));
      }
    }
    return new OnePage(cells);
  }

  /** What is left after a server has told what it has; adds cells only if it told all of them. */
  private static Optional<RowRange> scan(
      Node node,
      String table,
      RowRange wanted,
      ReadPredicate predicate,
      ScanOptions options,
      List<Cell> cells) {
    Bytes from = wanted.from().isEmpty() ? wanted.from().successor() : wanted.from();
    RowRange served =
        node.server().tablets(table).stream()
            .map(TabletInfo::range)
            .filter(range -> range.contains(from))
            .findFirst()
            .orElseThrow(() -> new NotServingException(node + " does not have row " + from));
    RowRange here = new RowRange(wanted.from(), least(served.to(), wanted.to()));
    List<Cell> found = new ArrayList<>();
    try (TableScan scan = node.server().scan(table, predicate.withRows(List.of(here)), options)) {
      CellPage page;
      do {
        page = scan.next(PAGE_BYTES);
        found.addAll(TableFixture.cells(page));
      } while (page.more());
    }
    cells.addAll(found);
    Bytes end = here.to();
    return end == null || end.equals(wanted.to())
        ? Optional.empty()
        : Optional.of(new RowRange(end, wanted.to()));
  }

  private static @Nullable Bytes least(@Nullable Bytes one, @Nullable Bytes other) {
    return one == null || (other != null && other.compareTo(one) < 0) ? other : one;
  }

  private record OnePage(List<Cell> cells) implements TableScan {
    @Override
    public long txn() {
      return 0;
    }

    @Override
    public CellPage next(int maxBytes) {
      if (cells.isEmpty()) {
        return new CellPage(0, Optional.empty(), false);
      }
      CellBatchBuilder batch = new CellBatchBuilder();
      cells.forEach(batch::add);
      return new CellPage(0, Optional.of(batch.build()), false);
    }

    @Override
    public void close() {}
  }

  // ---- what no workload here does

  private static SteleException notSimulated() {
    throw new IllegalStateException("no workload of the simulation does this");
  }

  @Override
  public CompletableFuture<List<RowOutcome>> applyRows(String table, List<CellBatch> rows) {
    throw notSimulated();
  }

  @Override
  public CompletableFuture<Long> sync(long txn) {
    throw notSimulated();
  }

  @Override
  public long deleteRows(String table, RowRange rows) {
    throw notSimulated();
  }

  @Override
  public void truncate(String table) {
    throw notSimulated();
  }

  @Override
  public List<RowSample> sampleRows(String table) {
    throw notSimulated();
  }
}
