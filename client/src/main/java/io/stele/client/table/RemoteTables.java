package io.stele.client.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.RequestMark;
import io.stele.base.error.FencedException;
import io.stele.base.error.OutcomeUnknownException;
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
import io.stele.base.time.RandomSource;
import io.stele.client.call.Caller;
import io.stele.protocol.v1.ApplyCells;
import io.stele.protocol.v1.CheckAndMutateRow;
import io.stele.protocol.v1.ReadCells;
import io.stele.protocol.v1.ReadModifyWriteRow;
import io.stele.protocol.v1.SyncTables;
import io.stele.protocol.v1.TableOperation;
import io.stele.protocol.v1.TablePredicate;
import io.stele.protocol.v1.TableRequest;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WireChanges;
import io.stele.protocol.wire.WireConsistency;
import io.stele.protocol.wire.WirePredicates;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Tables of servers, over the network. Operations on rows share one stream to each server and go
 * many to a message; any number may be under way, within a bound of bytes, beyond which callers
 * wait.
 *
 * <p>Each operation goes to the server that has its rows; which one that is, is remembered, and
 * asked for again when it proves wrong, until the time is over. Batches of rows, scans and work on
 * ranges go to all servers concerned. What is committed together must be at one.
 *
 * <p>What changes nothing is repeated when the connection breaks. A change is repeated if it was
 * certainly not made, or if the server recognizes it by its {@link RequestMark mark} and makes it
 * once: puts with timestamps of their own, conditional changes, appends and increments. Otherwise a
 * lost answer is {@code OutcomeUnknown}, as is that of a server which lost its tablets.
 *
 * <p>What depends on a future runs on the network's threads and must not block.
 */
public final class RemoteTables implements Tables, AutoCloseable {
  private static final long BYTES_UNDER_WAY = 64L << 20;

  /** How long work on whole tables may take. */
  static final Duration LONG_WORK = Duration.ofHours(1);

  private static final int FEW_ROWS = 1_000;
  private static final int FEW_ROWS_BYTES = 1 << 20;

  private final Caller caller;
  private final TabletLocations locations;
  private final Exchanges exchanges;
  private final ServerByServer wholes;
  private final Unsynced unsynced;
  private final RequestIds requests;
  private final Consistency consistency;

  /** Tables of the servers that the caller calls; does not close it. */
  public RemoteTables(Caller caller) {
    this(caller, new AskedServers(caller));
  }

  /**
   * Tables whose servers somebody else finds.
   *
   * @param caller makes the calls, to whichever servers are found; not closed
   */
  public RemoteTables(Caller caller, TabletSource source) {
    this.caller = caller;
    this.locations = new TabletLocations(caller.endpoints(), source);
    this.exchanges = new Exchanges(caller, locations, BYTES_UNDER_WAY);
    this.wholes = new ServerByServer(caller, locations);
    this.unsynced = new Unsynced();
    this.requests = new RequestIds(RandomSource.system(), caller.settings().timeout());
    this.consistency = Consistency.DEFAULT;
  }

  private RemoteTables(RemoteTables other, Consistency consistency) {
    this.caller = other.caller;
    this.locations = other.locations;
    this.exchanges = other.exchanges;
    this.wholes = other.wholes;
    this.unsynced = other.unsynced;
    this.requests = other.requests;
    this.consistency = consistency;
  }

  /** Over the same connections; whether a table has such levels, its server tells. */
  @Override
  public Tables at(Consistency level) {
    return level.equals(consistency) ? this : new RemoteTables(this, level);
  }

  private TableOperation.Builder on(String table) {
    return on(table, consistency);
  }

  /** An operation on a table, at a level that is named only if it is not the usual. */
  static TableOperation.Builder on(String table, Consistency consistency) {
    TableOperation.Builder operation = TableOperation.newBuilder().setTable(table);
    if (!consistency.equals(Consistency.DEFAULT)) {
      operation.setConsistency(WireConsistency.toWire(consistency));
    }
    return operation;
  }

  // ---- writing

  @Override
  public CompletableFuture<Long> apply(
      String table, CellBatch changes, long commitMaxTxn, boolean waitForSync) {
    boolean repeatable = commitMaxTxn == ANY_TXN && isRepeatable(changes);
    CellBatch cells = repeatable ? requests.mark(changes) : changes;
    ApplyCells.Builder request =
        ApplyCells.newBuilder().setCells(WireCells.toWire(cells)).setUnsynced(!waitForSync);
    if (commitMaxTxn != ANY_TXN) {
      request.setCommitMaxTxn(commitMaxTxn);
    }
    CompletableFuture<PendingOperation.Answer> answer =
        exchanges.change(
            on(table).setApply(request),
            new Target.OfCells(locations, table, cells),
            cells.length(),
            () -> repeatable);
    return answer.thenApply(
        found -> {
          long txn = found.answer().getTxn();
          if (!waitForSync) {
            unsynced.add(found.endpoint(), found.incarnation(), txn);
          }
          return txn;
        });
  }

  /** Puts with timestamps of their own, and what has a mark. */
  static boolean isRepeatable(CellBatch cells) {
    CellBatch.Reader reader = cells.read();
    while (reader.next()) {
      if (RequestMark.is(reader.cell())) {
        return true;
      }
      if (reader.cell().kind != CellKind.PUT || reader.cell().timestamp == Cell.SERVER_TIME) {
        return false;
      }
    }
    return true;
  }

  @Override
  public CompletableFuture<List<RowOutcome>> applyRows(String table, List<CellBatch> rows) {
    List<CellBatch> marked =
        rows.stream().map(row -> isRepeatable(row) ? requests.mark(row) : row).toList();
    return new RowBatches(exchanges, table, consistency, marked).apply();
  }

  /**
   * Waits until a transaction is durable. Transactions are of one server: if this client has
   * changes at several that it has not seen to be durable, it waits for all of them.
   */
  @Override
  public CompletableFuture<Long> sync(long txn) {
    List<Unsynced.Mark> marks = unsynced.marks();
    return switch (marks.size()) {
      case 0 -> sync(new Target.Anywhere(locations), txn, 0);
      case 1 -> sync(marks.getFirst(), txn);
      default -> {
        List<CompletableFuture<Long>> all =
            marks.stream().map(mark -> sync(mark, mark.newest())).toList();
        yield CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
            .thenApply(done -> all.stream().mapToLong(CompletableFuture::join).max().orElse(txn));
      }
    };
  }

  private CompletableFuture<Long> sync(Unsynced.Mark mark, long txn) {
    return sync(new Target.At(locations, mark.server()), txn, mark.incarnation())
        .handle(
            (durable, problem) -> {
              if (problem == null) {
                unsynced.durable(mark.server(), mark.incarnation(), durable);
                return durable;
              }
              SteleException failure = Table.failure(problem);
              if (failure instanceof FencedException
                  || failure instanceof UnavailableException
                  || failure instanceof OutcomeUnknownException) {
                unsynced.lost(mark); // and told now
                throw new OutcomeUnknownException("sync: " + failure.getMessage(), failure);
              }
              throw failure;
            });
  }

  private CompletableFuture<Long> sync(Target target, long txn, long incarnation) {
    return exchanges
        .change(
            on("", Consistency.DEFAULT)
                .setSync(SyncTables.newBuilder().setTxn(txn).setIncarnation(incarnation)),
            target,
            0,
            () -> incarnation != 0) // then another server tells that it is another
        .thenApply(found -> found.answer().getTxn());
  }

  @Override
  public CompletableFuture<CheckOutcome> checkAndMutate(String table, CheckAndMutate request) {
    CheckAndMutateRow wire = WireChanges.toWire(request.once(requests.next()));
    return exchanges
        .change(
            on(table).setCheck(wire),
            new Target.OfRow(locations, table, request.row()),
            wire.getSerializedSize(),
            () -> true)
        .thenApply(
            found -> {
              var check = found.answer().getCheck();
              return new CheckOutcome(check.getMet(), check.getTxn());
            });
  }

  @Override
  public CompletableFuture<CellPage> readModifyWrite(String table, Bytes row, List<RowRule> rules) {
    List<RowRule> once = new ArrayList<>(rules);
    once.add(new RowRule.Once(requests.next()));
    ReadModifyWriteRow wire = WireChanges.toWire(row, once);
    return exchanges
        .change(
            on(table).setModify(wire),
            new Target.OfRow(locations, table, row),
            wire.getSerializedSize(),
            () -> true)
        .thenApply(found -> WireCells.page(found.answer().getPage()));
  }

  /** Should rows move meanwhile, those that were erased before are perhaps not counted. */
  @Override
  public long deleteRows(String table, RowRange rows) {
    return wholes.deleteRows(table, rows, consistency);
  }

  @Override
  public void truncate(String table) {
    wholes.truncate(table);
  }

  // ---- reading

  @Override
  public CompletableFuture<CellPage> read(
      String table, ReadPredicate predicate, ScanOptions options, int maxBytes) {
    if (predicate.rows().size() > 1 || !predicate.rows().getFirst().isOneRow()) {
      return new RangeRead(exchanges, table, consistency, predicate, options, maxBytes).start();
    }
    TablePredicate wire = WirePredicates.toWire(predicate);
    ReadCells.Builder request = ReadCells.newBuilder().setPredicate(wire).setMaxBytes(maxBytes);
    if (!options.equals(ScanOptions.DEFAULT)) {
      request.setOptions(WirePredicates.toWire(options));
    }
    return exchanges
        .read(
            on(table).setRead(request),
            new Target.OfRow(locations, table, predicate.rows().getFirst().from()),
            wire.getSerializedSize())
        .thenApply(found -> WireCells.page(found.answer().getPage()));
  }

  @Override
  public TableScan scan(String table, ReadPredicate predicate, ScanOptions options) {
    if (options.maxRows() > 0 && options.maxRows() <= FEW_ROWS) {
      // As one operation among others, which costs far less than a stream of its own.
      CellPage page = Table.await(read(table, predicate, options, FEW_ROWS_BYTES));
      if (!page.more()) {
        return new OnePageScan(page);
      }
    }
    RemoteScan scan = new RemoteScan(caller, locations, table, consistency, predicate, options);
    scan.start();
    return scan;
  }

  @Override
  public List<RowSample> sampleRows(String table) {
    return wholes.sampleRows(table);
  }

  static TableRequest request(String table) {
    return TableRequest.newBuilder().setTable(table).build();
  }

  /** Operations that wait fail with {@code Unavailable} or {@code OutcomeUnknown}. */
  @Override
  public void close() {
    exchanges.close();
  }
}
