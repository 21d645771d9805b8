package io.stele.gateway.bigtable.write;

import com.google.bigtable.v2.MutateRowsRequest;
import com.google.bigtable.v2.MutateRowsResponse;
import com.google.rpc.Code;
import com.google.rpc.Status;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.RequestMark;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.Tables;
import io.stele.gateway.bigtable.call.BigtableErrors;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Changes of many rows, each with an outcome of its own. Those that do not depend on their rows are
 * handed over together and become durable together; the others follow one by one.
 */
public final class MutateRowsCall {
  private static final Status DONE = Status.newBuilder().setCode(Code.OK_VALUE).build();

  private final Tables tables;
  private final RowWrites writes;
  private final String table;
  private final List<MutateRowsRequest.Entry> entries;
  private final Status[] outcomes;

  public MutateRowsCall(Tables tables, RowWrites writes, String table, MutateRowsRequest request) {
    this.tables = tables;
    this.writes = writes;
    this.table = table;
    this.entries = request.getEntriesList();
    this.outcomes = new Status[entries.size()];
    long mutations = 0;
    for (MutateRowsRequest.Entry entry : entries) {
      mutations += entry.getMutationsCount();
    }
    MutationLimits.checkCount(mutations);
  }

  /** Begins; may block. */
  public CompletableFuture<MutateRowsResponse> run() {
    List<CellBatch> batches = new ArrayList<>(entries.size());
    List<Integer> places = new ArrayList<>(entries.size());
    List<Integer> dependent = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      MutateRowsRequest.Entry entry = entries.get(i);
      try {
        if (Mutations.dependOnRow(entry.getMutationsList())) {
          dependent.add(i);
        } else {
          batches.add(cells(entry));
          places.add(i);
        }
      } catch (InvalidRequestException | NotFoundException e) {
        fail(i, e);
      }
    }
    CompletableFuture<List<RowOutcome>> applied =
        batches.isEmpty()
            ? CompletableFuture.completedFuture(List.of())
            : tables.applyRows(table, batches);
    dependent.forEach(this::accumulate);
    return applied.thenApply(
        rows -> {
          for (int i = 0; i < rows.size(); i++) {
            note(places.get(i), rows.get(i));
          }
          return response();
        });
  }

  private CellBatch cells(MutateRowsRequest.Entry entry) {
    Bytes row = MutationLimits.row(entry.getRowKey());
    if (entry.getMutationsCount() == 0) {
      throw new InvalidRequestException("row \"" + row + "\" without mutations: must have some");
    }
    return IdempotencyTokens.marked(
        writes.cells(table, row, entry.getMutationsList()), mark(entry));
  }

  private static Optional<RequestMark> mark(MutateRowsRequest.Entry entry) {
    return IdempotencyTokens.mark(entry.hasIdempotency(), entry.getIdempotency());
  }

  private void accumulate(int place) {
    MutateRowsRequest.Entry entry = entries.get(place);
    try {
      var _ =
          RowReads.join(
              writes.mutate(
                  table,
                  MutationLimits.row(entry.getRowKey()),
                  entry.getMutationsList(),
                  mark(entry)));
      outcomes[place] = DONE;
    } catch (RuntimeException e) {
      fail(place, e);
    }
  }

  private void note(int place, RowOutcome outcome) {
    if (outcome.failure().isPresent()) {
      fail(place, outcome.failure().get());
    } else {
      outcomes[place] = DONE;
    }
  }

  private void fail(int place, Throwable problem) {
    outcomes[place] =
        BigtableErrors.entry(
            writes.explained(table, entries.get(place).getMutationsList(), problem));
  }

  private MutateRowsResponse response() {
    MutateRowsResponse.Builder response = MutateRowsResponse.newBuilder();
    for (int i = 0; i < outcomes.length; i++) {
      response.addEntriesBuilder().setIndex(i).setStatus(outcomes[i]);
    }
    return response.build();
  }
}
