package io.stele.client.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellKind;
import io.stele.base.error.FencedException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
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
import io.stele.client.call.Caller;
import io.stele.client.call.Repeat;
import io.stele.protocol.v1.ApplyCells;
import io.stele.protocol.v1.CheckAndMutateRow;
import io.stele.protocol.v1.DeleteRowsRequest;
import io.stele.protocol.v1.ReadCells;
import io.stele.protocol.v1.ReadModifyWriteRow;
import io.stele.protocol.v1.SyncTables;
import io.stele.protocol.v1.TableDataGrpc;
import io.stele.protocol.v1.TableOperation;
import io.stele.protocol.v1.TablePredicate;
import io.stele.protocol.v1.TableRequest;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WireChanges;
import io.stele.protocol.wire.WirePredicates;
import io.stele.protocol.wire.WireSchemas;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Tables of servers, over the network. Operations on rows share one stream to each server and go
 * many to a message; any number may be under way, within a bound of bytes, beyond which callers
 * wait.
 *
 * <p>What changes nothing is repeated when the connection breaks. A change is repeated if it was
 * certainly not made, or if making it twice comes to the same: puts with timestamps of their own.
 * Otherwise a lost answer is {@code OutcomeUnknown}.
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
  private final Unsynced unsynced = new Unsynced();

  /** Tables of the servers that the caller calls; does not close it. */
  public RemoteTables(Caller caller) {
    this.caller = caller;
    this.locations = new TabletLocations(caller.endpoints());
    this.exchanges = new Exchanges(caller, locations, BYTES_UNDER_WAY);
  }

  private static TableOperation.Builder on(String table) {
    return TableOperation.newBuilder().setTable(table);
  }

  // ---- writing

  @Override
  public CompletableFuture<Long> apply(
      String table, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    ApplyCells.Builder request =
        ApplyCells.newBuilder().setCells(WireCells.toWire(cells)).setUnsynced(!waitForSync);
    if (commitMaxTxn != ANY_TXN) {
      request.setCommitMaxTxn(commitMaxTxn);
    }
    CompletableFuture<PendingOperation.Answer> answer =
        exchanges.change(
            on(table).setApply(request),
            cells.length(),
            () -> commitMaxTxn == ANY_TXN && isRepeatable(cells),
            caller.settings().timeout());
    return answer.thenApply(
        found -> {
          long txn = found.answer().getTxn();
          if (!waitForSync) {
            unsynced.add(txn, found.incarnation());
          }
          return txn;
        });
  }

  /** Puts with timestamps of their own: once more changes nothing. */
  static boolean isRepeatable(CellBatch cells) {
    CellBatch.Reader reader = cells.read();
    while (reader.next()) {
      if (reader.cell().kind != CellKind.PUT || reader.cell().timestamp == Cell.SERVER_TIME) {
        return false;
      }
    }
    return true;
  }

  @Override
  public CompletableFuture<List<RowOutcome>> applyRows(String table, List<CellBatch> rows) {
    return new RowBatches(exchanges, table).apply(rows);
  }

  @Override
  public CompletableFuture<Long> sync(long txn) {
    long incarnation = unsynced.incarnation();
    CompletableFuture<PendingOperation.Answer> answer =
        exchanges.change(
            on("").setSync(SyncTables.newBuilder().setTxn(txn).setIncarnation(incarnation)),
            0,
            () -> incarnation != 0, // then another server tells that it is another
            caller.settings().timeout());
    return answer.handle(
        (found, problem) -> {
          if (problem == null) {
            unsynced.durable(found.answer().getTxn(), found.incarnation());
            return found.answer().getTxn();
          }
          SteleException failure = Table.failure(problem);
          if (failure instanceof FencedException) {
            unsynced.lost(incarnation); // and told now
            throw new OutcomeUnknownException("sync: " + failure.getMessage(), failure);
          }
          throw failure;
        });
  }

  @Override
  public CompletableFuture<CheckOutcome> checkAndMutate(String table, CheckAndMutate request) {
    CheckAndMutateRow wire = WireChanges.toWire(request);
    return exchanges
        .change(
            on(table).setCheck(wire),
            wire.getSerializedSize(),
            () -> false,
            caller.settings().timeout())
        .thenApply(
            found -> {
              var check = found.answer().getCheck();
              return new CheckOutcome(check.getMet(), check.getTxn());
            });
  }

  @Override
  public CompletableFuture<CellPage> readModifyWrite(String table, Bytes row, List<RowRule> rules) {
    ReadModifyWriteRow wire = WireChanges.toWire(row, rules);
    return exchanges
        .change(
            on(table).setModify(wire),
            wire.getSerializedSize(),
            () -> false,
            caller.settings().timeout())
        .thenApply(found -> WireCells.page(found.answer().getPage()));
  }

  @Override
  public long deleteRows(String table, RowRange rows) {
    return Table.await(
            caller.callLong(
                TableDataGrpc.getDeleteRowsMethod(),
                DeleteRowsRequest.newBuilder()
                    .setTable(table)
                    .setRows(WirePredicates.toWire(rows))
                    .build(),
                Repeat.IF_NOT_DONE, // how many there were is answered but once
                LONG_WORK))
        .getDeleted();
  }

  @Override
  public void truncate(String table) {
    Table.await(
        caller.callLong(
            TableDataGrpc.getTruncateMethod(), request(table), Repeat.IF_NOT_DONE, LONG_WORK));
  }

  // ---- reading

  @Override
  public CompletableFuture<CellPage> read(
      String table, ReadPredicate predicate, ScanOptions options, int maxBytes) {
    TablePredicate wire = WirePredicates.toWire(predicate);
    ReadCells.Builder request = ReadCells.newBuilder().setPredicate(wire).setMaxBytes(maxBytes);
    if (!options.equals(ScanOptions.DEFAULT)) {
      request.setOptions(WirePredicates.toWire(options));
    }
    return exchanges
        .read(on(table).setRead(request), wire.getSerializedSize())
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
    RemoteScan scan = new RemoteScan(caller, locations, table, predicate, options);
    scan.start();
    return scan;
  }

  @Override
  public List<RowSample> sampleRows(String table) {
    return WireSchemas.samples(
        Table.await(caller.call(TableDataGrpc.getSampleRowsMethod(), request(table), Repeat.READ)));
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
