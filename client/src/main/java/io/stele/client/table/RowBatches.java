package io.stele.client.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellView;
import io.stele.base.cell.RequestMark;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.FencedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.table.Consistency;
import io.stele.base.table.RowOutcome;
import io.stele.client.call.Endpoint;
import io.stele.client.table.TabletLocations.Place;
import io.stele.protocol.v1.ApplyRows;
import io.stele.protocol.v1.TableOperation;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WireChanges;
import io.stele.protocol.wire.WireLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Changes of many rows, each on its own: to each server those that it has, some at a time; and
 * those that certainly were not made, or may be made twice, again, until the time is over. Every
 * attempt asks anew where its rows are, since those that went together may have parted.
 */
final class RowBatches {
  private static final int MOST_HINTS = 3;

  private final Exchanges exchanges;
  private final TabletLocations locations;
  private final String table;
  private final Consistency consistency;
  private final List<CellBatch> rows;
  private final RowOutcome[] outcomes; // by place in the whole; each written by one part at a time
  private final boolean[] perhapsMade; // likewise
  private final long deadline;

  RowBatches(Exchanges exchanges, String table, Consistency consistency, List<CellBatch> rows) {
    this.exchanges = exchanges;
    this.locations = exchanges.locations();
    this.table = table;
    this.consistency = consistency;
    this.rows = rows;
    this.outcomes = new RowOutcome[rows.size()];
    this.perhapsMade = new boolean[rows.size()];
    this.deadline =
        exchanges.caller().clock().nanos() + exchanges.caller().settings().timeout().toNanos();
  }

  CompletableFuture<List<RowOutcome>> apply() {
    return send(IntStream.range(0, rows.size()).boxed().toList(), 1, false)
        .thenApply(done -> List.of(outcomes));
  }

  /**
   * Sends rows to their servers.
   *
   * @param inTurn whether some of them have waited to be told where they are
   */
  private CompletableFuture<Void> send(List<Integer> places, int attempt, boolean inTurn) {
    List<CompletableFuture<Void>> parts = new ArrayList<>();
    List<Integer> unknown = new ArrayList<>();
    Map<Endpoint, List<Integer>> byServer = byServer(places, inTurn, unknown);
    byServer.forEach((server, all) -> sendParts(server, all, attempt, parts));
    if (!unknown.isEmpty()) {
      parts.add(locateAndSend(unknown, attempt));
    }
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new));
  }

  private Map<Endpoint, List<Integer>> byServer(
      List<Integer> places, boolean inTurn, List<Integer> unknown) {
    Place whole = locations.whole(table);
    if (whole != null) {
      return places.isEmpty() ? Map.of() : Map.of(whole.endpoint(), places);
    }
    Map<Endpoint, List<Integer>> found = new LinkedHashMap<>();
    for (int place : places) {
      Place at = find(rows.get(place), inTurn);
      if (at == null) {
        unknown.add(place);
      } else {
        found.computeIfAbsent(at.endpoint(), server -> new ArrayList<>()).add(place);
      }
    }
    return found;
  }

  private @Nullable Place find(CellBatch row, boolean inTurn) {
    CellBatch.Reader reader = row.read();
    reader.next();
    CellView cell = reader.cell();
    return inTurn
        ? locations.findInTurn(table, cell.row())
        : locations.find(table, cell.rowArray, cell.rowOffset, cell.rowLength);
  }

  private static Bytes key(CellBatch row) {
    CellBatch.Reader reader = row.read();
    return reader.next() ? reader.cell().row() : Bytes.EMPTY;
  }

  private CompletableFuture<Void> locateAndSend(List<Integer> unknown, int attempt) {
    return Exchanges.then(
        locations.place(table, key(rows.get(unknown.getFirst()))),
        place -> Exchanges.withoutWaiting(() -> send(unknown, attempt, true)),
        problem -> failed(unknown, problem, false, attempt));
  }

  private void sendParts(
      Endpoint server, List<Integer> places, int attempt, List<CompletableFuture<Void>> parts) {
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
      parts.add(sendPart(server, places.subList(from, to), bytes, attempt));
      from = to;
    }
  }

  private CompletableFuture<Void> sendPart(
      Endpoint server, List<Integer> places, long bytes, int attempt) {
    ApplyRows.Builder request = ApplyRows.newBuilder();
    for (int place : places) {
      CellBatch row = rows.get(place);
      request.addRows(WireCells.toWire(perhapsMade[place] ? RequestMark.again(row) : row));
    }
    TableOperation.Builder operation = RemoteTables.on(table, consistency).setApplyRows(request);
    Duration left = Duration.ofNanos(deadline - exchanges.caller().clock().nanos());
    PendingOperation sent =
        exchanges.once(
            operation,
            server,
            key(rows.get(places.getFirst())),
            bytes,
            true,
            () -> areRepeatable(places),
            left);
    return Exchanges.then(
        sent,
        found ->
            note(
                server,
                places,
                WireChanges.outcomes(server.address(), found.answer().getRows()),
                attempt),
        problem -> failedAt(server, places, sent, problem, attempt));
  }

  private boolean areRepeatable(List<Integer> places) {
    return places.stream().map(rows::get).allMatch(RemoteTables::isRepeatable);
  }

  /** A part was answered, row by row. */
  private CompletableFuture<Void> note(
      Endpoint server, List<Integer> places, List<RowOutcome> answers, int attempt) {
    if (answers.size() != places.size()) {
      return CompletableFuture.failedFuture(
          new InvalidRequestException(
              answers.size() + " answers to " + places.size() + " rows of table " + table));
    }
    List<Integer> again = new ArrayList<>();
    for (int i = 0; i < places.size(); i++) {
      int place = places.get(i);
      outcomes[place] = answers.get(i);
      SteleException problem = answers.get(i).failure().orElse(null);
      if (problem != null && settle(place, problem, PendingOperation.leavesDoubt(problem))) {
        again.add(place);
        if (problem instanceof NotServingException || problem instanceof FencedException) {
          locations.forget(table, key(rows.get(place)), server);
        }
      }
    }
    return again(again, attempt);
  }

  /** A part failed as a whole. */
  private CompletableFuture<Void> failedAt(
      Endpoint server,
      List<Integer> places,
      PendingOperation sent,
      SteleException problem,
      int attempt) {
    if (!(problem instanceof ExhaustedException)) {
      Optional<String> hint =
          problem instanceof NotServingException elsewhere && attempt <= MOST_HINTS
              ? elsewhere.hint()
              : Optional.empty();
      for (int place : places) {
        Bytes row = key(rows.get(place));
        hint.ifPresentOrElse(
            address -> locations.movedTo(table, row, address),
            () -> locations.forget(table, row, server));
      }
    }
    return failed(places, problem, sent.perhapsDone(), attempt);
  }

  private CompletableFuture<Void> failed(
      List<Integer> places, SteleException problem, boolean maybe, int attempt) {
    if (!maybe && !PendingOperation.passes(problem)) {
      return CompletableFuture.failedFuture(problem); // as if none had been sent
    }
    return again(places.stream().filter(place -> settle(place, problem, maybe)).toList(), attempt);
  }

  /**
   * Notes what became of a row unless it is sent again; true if it may be.
   *
   * @param maybe whether its change may have been made
   */
  private boolean settle(int place, SteleException problem, boolean maybe) {
    perhapsMade[place] |= maybe;
    outcomes[place] =
        RowOutcome.failed(
            perhapsMade[place] && !(problem instanceof OutcomeUnknownException)
                ? new OutcomeUnknownException(
                    "it may or may not have been done: " + problem.getMessage(), problem)
                : problem);
    return maybe ? RemoteTables.isRepeatable(rows.get(place)) : PendingOperation.passes(problem);
  }

  private CompletableFuture<Void> again(List<Integer> places, int attempt) {
    long pause = exchanges.caller().pauseNanos(attempt);
    if (places.isEmpty() || exchanges.caller().clock().nanos() + pause - deadline >= 0) {
      return CompletableFuture.completedFuture(null);
    }
    return exchanges
        .caller()
        .pause(pause)
        .thenCompose(over -> Exchanges.withoutWaiting(() -> send(places, attempt + 1, false)));
  }
}
