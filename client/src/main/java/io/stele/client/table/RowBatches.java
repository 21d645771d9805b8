package io.stele.client.table;

import io.stele.base.cell.CellBatch;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.table.RowOutcome;
import io.stele.protocol.v1.ApplyRows;
import io.stele.protocol.v1.TableOperation;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WireChanges;
import io.stele.protocol.wire.WireLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * Changes of many rows, each on its own: sent some at a time, and those that certainly were not
 * made again, until the time is over.
 */
final class RowBatches {
  private final Exchanges exchanges;
  private final String table;
  private final long deadline;

  RowBatches(Exchanges exchanges, String table) {
    this.exchanges = exchanges;
    this.table = table;
    this.deadline =
        exchanges.caller().clock().nanos() + exchanges.caller().settings().timeout().toNanos();
  }

  /** Rows by their place in the whole. */
  private record Part(List<CellBatch> rows, List<Integer> places, long bytes) {}

  CompletableFuture<List<RowOutcome>> apply(List<CellBatch> rows) {
    List<Integer> places = IntStream.range(0, rows.size()).boxed().toList();
    RowOutcome[] outcomes = new RowOutcome[rows.size()];
    return send(rows, places, outcomes, 1).thenApply(done -> List.of(outcomes));
  }

  private CompletableFuture<Void> send(
      List<CellBatch> rows, List<Integer> places, RowOutcome[] outcomes, int attempt) {
    List<CompletableFuture<Void>> parts = new ArrayList<>();
    int from = 0;
    while (from < places.size()) {
      int to = from;
      long bytes = 0;
      while (to < places.size()
          && (to == from
              || bytes + rows.get(places.get(to)).length() <= WireLimits.GATHERED_BYTES)) {
        bytes += rows.get(places.get(to)).length();
        to++;
      }
      List<Integer> part = places.subList(from, to);
      parts.add(sendPart(new Part(rows, part, bytes), outcomes, attempt));
      from = to;
    }
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new));
  }

  private CompletableFuture<Void> sendPart(Part part, RowOutcome[] outcomes, int attempt) {
    ApplyRows.Builder request = ApplyRows.newBuilder();
    for (int place : part.places) {
      request.addRows(WireCells.toWire(part.rows.get(place)));
    }
    TableOperation.Builder operation =
        TableOperation.newBuilder().setTable(table).setApplyRows(request);
    Duration left = Duration.ofNanos(deadline - exchanges.caller().clock().nanos());
    return exchanges
        .change(operation, part.bytes, () -> isRepeatable(part), left)
        .thenApply(found -> WireChanges.outcomes(found.address(), found.answer().getRows()))
        .thenCompose(answers -> note(part, answers, outcomes, attempt));
  }

  private static boolean isRepeatable(Part part) {
    return part.places.stream().map(part.rows::get).allMatch(RemoteTables::isRepeatable);
  }

  private CompletableFuture<Void> note(
      Part part, List<RowOutcome> answers, RowOutcome[] outcomes, int attempt) {
    if (answers.size() != part.places.size()) {
      return CompletableFuture.failedFuture(
          new InvalidRequestException(
              answers.size() + " answers to " + part.places.size() + " rows of table " + table));
    }
    List<Integer> again = new ArrayList<>();
    for (int i = 0; i < part.places.size(); i++) {
      outcomes[part.places.get(i)] = answers.get(i);
      if (answers.get(i).failure().filter(RowBatches::passes).isPresent()) {
        again.add(part.places.get(i));
      }
    }
    long pause = exchanges.caller().pauseNanos(attempt);
    if (again.isEmpty() || exchanges.caller().clock().nanos() + pause - deadline >= 0) {
      return CompletableFuture.completedFuture(null);
    }
    return exchanges
        .caller()
        .pause(pause)
        .thenCompose(over -> send(part.rows, again, outcomes, attempt + 1));
  }

  /** True of failures after which nothing was done and another attempt may do better. */
  private static boolean passes(SteleException failure) {
    return failure instanceof NotServingException
        || failure instanceof UnavailableException
        || failure instanceof ExhaustedException;
  }
}
