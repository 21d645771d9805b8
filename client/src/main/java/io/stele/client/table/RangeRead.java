package io.stele.client.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.CellPage;
import io.stele.base.table.Consistency;
import io.stele.base.table.ScanOptions;
import io.stele.client.call.Endpoint;
import io.stele.client.table.TabletLocations.Place;
import io.stele.protocol.v1.ReadCells;
import io.stele.protocol.v1.TablePredicate;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WirePredicates;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * One answer about rows that may be at several servers: asks one after the other, each for the rows
 * that it has, until there are enough or no more. The answer of several servers has no transaction,
 * since each counts its own: it is 0.
 */
final class RangeRead {
  private static final int MOST_HINTS = 3;

  private final Exchanges exchanges;
  private final TabletLocations locations;
  private final String table;
  private final Consistency consistency;
  private final ReadPredicate predicate;
  private final ScanOptions options;
  private final int maxBytes;
  private final long deadline;

  // Written by one step after the other.
  private Bytes from;
  private final List<CellPage> pages = new ArrayList<>();
  private long bytes;
  private long rows; // counted only where their number matters
  private int failures;

  RangeRead(
      Exchanges exchanges,
      String table,
      Consistency consistency,
      ReadPredicate predicate,
      ScanOptions options,
      int maxBytes) {
    this.exchanges = exchanges;
    this.locations = exchanges.locations();
    this.table = table;
    this.consistency = consistency;
    this.predicate = predicate;
    this.options = options;
    this.maxBytes = maxBytes;
    this.deadline =
        exchanges.caller().clock().nanos() + exchanges.caller().settings().timeout().toNanos();
    this.from = firstRow(predicate, options);
  }

  /** The first row that can be answered. */
  static Bytes firstRow(ReadPredicate predicate, ScanOptions options) {
    Bytes after = options.after().map(ScanOptions.Position::row).orElse(Bytes.EMPTY);
    return rowsFrom(predicate, after)
        .findFirst()
        .map(RowRange::from)
        .orElse(predicate.rows().getFirst().from());
  }

  /** What a predicate wants of a row and those behind it. */
  static Stream<RowRange> rowsFrom(ReadPredicate predicate, Bytes row) {
    RowRange behind = new RowRange(row, null);
    return predicate.rows().stream().flatMap(range -> range.intersect(behind).stream());
  }

  /** What a predicate wants of the rows of a run, from a row on. */
  static ReadPredicate within(ReadPredicate predicate, Bytes from, RowRange run) {
    List<RowRange> rows =
        rowsFrom(predicate, from).flatMap(range -> range.intersect(run).stream()).toList();
    return rows.isEmpty() || rows.equals(predicate.rows()) ? predicate : predicate.withRows(rows);
  }

  CompletableFuture<CellPage> start() {
    return step();
  }

  private CompletableFuture<CellPage> step() {
    Place known = locations.find(table, from);
    return known == null
        ? Exchanges.then(
            locations.place(table, from),
            place -> Exchanges.withoutWaiting(() -> ask(place)),
            this::again)
        : ask(known);
  }

  private CompletableFuture<CellPage> ask(Place place) {
    Endpoint server = place.endpoint();
    RowRange run = locations.run(table, place, predicate.rows().getLast().to());
    if (!pages.isEmpty() && options.atTxn() != 0) {
      return CompletableFuture.failedFuture(severalServers(table, options.atTxn()));
    }
    TablePredicate wire = WirePredicates.toWire(within(predicate, from, run));
    ReadCells.Builder request =
        ReadCells.newBuilder().setPredicate(wire).setMaxBytes((int) Math.max(1, maxBytes - bytes));
    ScanOptions how =
        options.maxRows() == 0 ? options : options.withMaxRows(options.maxRows() - rows);
    if (!how.equals(ScanOptions.DEFAULT)) {
      request.setOptions(WirePredicates.toWire(how));
    }
    Duration left = Duration.ofNanos(deadline - exchanges.caller().clock().nanos());
    PendingOperation asked =
        exchanges.once(
            RemoteTables.on(table, consistency).setRead(request),
            server,
            from,
            wire.getSerializedSize(),
            false,
            () -> true,
            left);
    return Exchanges.then(
        asked,
        found -> add(WireCells.page(found.answer().getPage()), run),
        problem -> failed(server, run, problem));
  }

  static InvalidRequestException severalServers(String table, long txn) {
    return new InvalidRequestException(
        "a read of table \""
            + table
            + "\" at transaction "
            + txn
            + " goes over rows of several servers: a transaction is of one server");
  }

  private CompletableFuture<CellPage> add(CellPage page, RowRange run) {
    failures = 0;
    pages.add(page);
    Bytes next = run.to();
    boolean last = next == null || rowsFrom(predicate, next).findFirst().isEmpty();
    if (last && pages.size() == 1) {
      return CompletableFuture.completedFuture(page);
    }
    bytes += page.cells().map(CellBatch::length).orElse(0);
    if (options.maxRows() > 0) {
      rows += countRows(page);
    }
    boolean full = options.maxRows() > 0 && rows >= options.maxRows();
    if (last || next == null || page.more() || full || bytes >= maxBytes) {
      return CompletableFuture.completedFuture(joined(page.more() || (!last && !full)));
    }
    from = rowsFrom(predicate, next).findFirst().orElseThrow().from();
    return step();
  }

  private static long countRows(CellPage page) {
    long count = 0;
    Bytes last = null;
    if (page.cells().isPresent()) {
      CellBatch.Reader reader = page.cells().get().read();
      while (reader.next()) {
        if (last == null || !reader.cell().row().equals(last)) {
          count++;
          last = reader.cell().row();
        }
      }
    }
    return count;
  }

  private CellPage joined(boolean more) {
    if (pages.size() == 1) {
      CellPage only = pages.getFirst();
      return new CellPage(only.txn(), only.cells(), more);
    }
    CellBatchBuilder all = new CellBatchBuilder();
    for (CellPage page : pages) {
      if (page.cells().isPresent()) {
        CellBatch.Reader reader = page.cells().get().read();
        while (reader.next()) {
          all.add(reader.cell().toCell().withTxn(0));
        }
      }
    }
    return new CellPage(0, all.size() == 0 ? Optional.empty() : Optional.of(all.build()), more);
  }

  private CompletableFuture<CellPage> failed(
      Endpoint server, RowRange run, SteleException problem) {
    if (problem instanceof NotServingException elsewhere
        && elsewhere.hint().isPresent()
        && failures < MOST_HINTS) {
      locations.movedTo(table, from, elsewhere.hint().get());
    } else if (!(problem instanceof ExhaustedException)) {
      locations.forget(table, run, server);
    }
    return again(problem);
  }

  private CompletableFuture<CellPage> again(SteleException problem) {
    if (!PendingOperation.passes(problem) && !(problem instanceof OutcomeUnknownException)) {
      return CompletableFuture.failedFuture(problem);
    }
    long pause = exchanges.caller().pauseNanos(++failures);
    return exchanges.caller().clock().nanos() + pause - deadline >= 0
        ? CompletableFuture.failedFuture(problem)
        : exchanges.caller().pause(pause).thenCompose(over -> Exchanges.withoutWaiting(this::step));
  }
}
