package io.stele.gateway.nativeapi;

import io.stele.base.error.FencedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.table.Tables;
import io.stele.gateway.metric.Api;
import io.stele.gateway.metric.Outcome;
import io.stele.gateway.metric.RequestKind;
import io.stele.gateway.metric.Requests;
import io.stele.gateway.nativeapi.Backend.ServedTables;
import io.stele.protocol.v1.ApplyCells;
import io.stele.protocol.v1.CheckAnswer;
import io.stele.protocol.v1.ReadCells;
import io.stele.protocol.v1.ReadModifyWriteRow;
import io.stele.protocol.v1.SyncTables;
import io.stele.protocol.v1.TableAnswer;
import io.stele.protocol.v1.TableOperation;
import io.stele.protocol.wire.ErrorMapping;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WireChanges;
import io.stele.protocol.wire.WireConsistency;
import io.stele.protocol.wire.WireLimits;
import io.stele.protocol.wire.WirePredicates;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What single operations of clients ask of the tables that are served, in the words of the wire.
 */
final class RowOperations {
  private static final Map<TableOperation.OperationCase, RequestKind> KINDS =
      new EnumMap<>(TableOperation.OperationCase.class);

  private static final String PARTS =
      "%d ms until it was carried out, %d ms until the log or other replicas had it";

  static {
    for (TableOperation.OperationCase operation : TableOperation.OperationCase.values()) {
      String name = operation.name().toLowerCase(Locale.ROOT);
      KINDS.put(operation, Requests.ofProcess().kind(Api.ROWS, name));
    }
  }

  private final @Nullable ServedTables served;

  RowOperations(@Nullable ServedTables served) {
    this.served = served;
  }

  /** Of the tables that answer; 0 if none are served. */
  long incarnation() {
    return served == null ? 0 : served.incarnation();
  }

  /** Carries an operation out; a failure is an answer, too. May block, for throttling or files. */
  CompletableFuture<TableAnswer> answer(TableOperation operation) {
    RequestKind kind = Objects.requireNonNull(KINDS.get(operation.getOperationCase()));
    long start = kind.start();
    CompletableFuture<TableAnswer.Builder> asked;
    try {
      asked = ask(tables(operation), operation);
    } catch (RuntimeException | Error e) {
      asked = CompletableFuture.failedFuture(e);
    }
    long begun = asked.isDone() ? start : kind.start(); // a write waits for the log
    return asked.handle(
        (found, problem) -> {
          TableAnswer.Builder builder =
              problem == null
                  ? found
                  : TableAnswer.newBuilder().setError(ErrorMapping.toMessage(problem));
          TableAnswer answer = builder.setId(operation.getId()).build();
          kind.finished(
              operation.getTable(),
              problem == null ? Outcome.OK : Outcome.of(problem),
              start,
              begun,
              begun == start ? "" : PARTS,
              operation.getSerializedSize(),
              answer.getSerializedSize());
          return answer;
        });
  }

  private Tables tables(TableOperation operation) {
    Tables tables = Backend.orNoTables(served);
    return operation.hasConsistency()
        ? tables.at(WireConsistency.consistency(operation.getConsistency()))
        : tables;
  }

  private CompletableFuture<TableAnswer.Builder> ask(Tables tables, TableOperation operation) {
    String table = operation.getTable();
    return switch (operation.getOperationCase()) {
      case APPLY -> apply(tables, table, operation.getApply());
      case APPLY_ROWS ->
          tables
              .applyRows(
                  table,
                  operation.getApplyRows().getRowsList().stream().map(WireCells::cells).toList())
              .thenApply(rows -> TableAnswer.newBuilder().setRows(WireChanges.toWire(rows)));
      case READ -> read(tables, table, operation.getRead());
      case CHECK ->
          tables
              .checkAndMutate(table, WireChanges.check(operation.getCheck()))
              .thenApply(
                  outcome ->
                      TableAnswer.newBuilder()
                          .setCheck(
                              CheckAnswer.newBuilder()
                                  .setMet(outcome.met())
                                  .setTxn(outcome.txn())));
      case MODIFY -> modify(tables, table, operation.getModify());
      case SYNC -> sync(tables, operation.getSync());
      case OPERATION_NOT_SET ->
          throw new InvalidRequestException(
              "operation " + operation.getId() + " says nothing that this server knows");
    };
  }

  private static CompletableFuture<TableAnswer.Builder> apply(
      Tables tables, String table, ApplyCells request) {
    long maxTxn = request.hasCommitMaxTxn() ? request.getCommitMaxTxn() : Tables.ANY_TXN;
    return tables
        .apply(table, WireCells.cells(request.getCells()), maxTxn, !request.getUnsynced())
        .thenApply(txn -> TableAnswer.newBuilder().setTxn(txn));
  }

  private static CompletableFuture<TableAnswer.Builder> read(
      Tables tables, String table, ReadCells request) {
    if (request.getMaxBytes() < 1) {
      throw new InvalidRequestException(
          "a read of at most " + request.getMaxBytes() + " bytes: must be at least 1");
    }
    return tables
        .read(
            table,
            WirePredicates.predicate(request.getPredicate()),
            WirePredicates.options(request.getOptions()),
            Math.min(request.getMaxBytes(), WireLimits.MAX_READ_BYTES))
        .thenApply(page -> TableAnswer.newBuilder().setPage(WireCells.toWire(page)));
  }

  private static CompletableFuture<TableAnswer.Builder> modify(
      Tables tables, String table, ReadModifyWriteRow request) {
    return tables
        .readModifyWrite(table, WireCells.bytes(request.getRow()), WireChanges.rules(request))
        .thenApply(page -> TableAnswer.newBuilder().setPage(WireCells.toWire(page)));
  }

  private CompletableFuture<TableAnswer.Builder> sync(Tables tables, SyncTables request) {
    if (request.getIncarnation() != 0 && request.getIncarnation() != incarnation()) {
      throw new FencedException(
          "transaction "
              + request.getTxn()
              + " is of a server that has ended since: it may or may not be durable");
    }
    return tables.sync(request.getTxn()).thenApply(txn -> TableAnswer.newBuilder().setTxn(txn));
  }
}
