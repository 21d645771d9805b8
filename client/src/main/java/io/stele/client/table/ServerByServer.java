package io.stele.client.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.Consistency;
import io.stele.base.table.RowSample;
import io.stele.client.call.Caller;
import io.stele.client.call.Endpoint;
import io.stele.client.table.TabletLocations.Place;
import io.stele.protocol.v1.DeleteRowsRequest;
import io.stele.protocol.v1.DeleteRowsResponse;
import io.stele.protocol.v1.TableDataGrpc;
import io.stele.protocol.wire.WireCells;
import io.stele.protocol.wire.WireConsistency;
import io.stele.protocol.wire.WirePredicates;
import io.stele.protocol.wire.WireSchemas;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Work on ranges of rows and whole tables: each server does the part that it has. */
final class ServerByServer {
  private static final int MOST_HINTS = 3;

  private final Caller caller;
  private final TabletLocations locations;

  ServerByServer(Caller caller, TabletLocations locations) {
    this.caller = caller;
    this.locations = locations;
  }

  /** Neighbouring tablets at one server. */
  private record Run(Endpoint server, RowRange rows) {}

  /** What is done at a server; repeated if it fails in passing. */
  private interface Work {
    void doAt(Run run);
  }

  /** The same where a server may do a part only. */
  private interface PartialWork {
    /** Answers the row from which on it was not done; none if all was. */
    Optional<Bytes> doAt(Run run);
  }

  /** Goes through the runs of a range in order. */
  private void forEach(String table, RowRange range, Work work) {
    forEachPart(
        table,
        range,
        run -> {
          work.doAt(run);
          return Optional.empty();
        });
  }

  private void forEachPart(String table, RowRange range, PartialWork work) {
    Bytes from = range.from();
    Patience patience = new Patience();
    while (true) {
      Run run = null;
      try {
        Place place = Table.await(locations.place(table, from));
        run = new Run(place.endpoint(), locations.run(table, place, range.to()));
        Optional<Bytes> next = work.doAt(new Run(run.server, from(from, run.rows)));
        if (next.isPresent()) { // as far as it goes: the tablet there is elsewhere now
          from = next.get();
          patience = new Patience();
          continue;
        }
      } catch (SteleException e) {
        patience.after(e);
        if (run != null) {
          leave(table, from, run, e, patience.failures <= MOST_HINTS);
        }
        continue;
      }
      patience = new Patience();
      Bytes next = run.rows.to();
      Bytes end = range.to();
      if (next == null || (end != null && next.compareTo(end) >= 0)) {
        return;
      }
      from = next;
    }
  }

  private static RowRange from(Bytes row, RowRange rows) {
    return rows.from().compareTo(row) < 0 ? new RowRange(row, rows.to()) : rows;
  }

  private void leave(String table, Bytes row, Run run, SteleException problem, boolean followHint) {
    if (problem instanceof NotServingException elsewhere
        && elsewhere.hint().isPresent()
        && followHint) {
      locations.movedTo(table, row, elsewhere.hint().get());
    } else if (!(problem instanceof ExhaustedException)) {
      locations.forget(table, run.rows, run.server);
      locations.lost(run.server, problem instanceof UnavailableException);
    }
  }

  /** How often in a row it went wrong, and since when. */
  private final class Patience {
    private int failures;
    private long since;

    /** Waits before another attempt, or throws what makes one useless. */
    void after(SteleException problem) {
      if (!PendingOperation.passes(problem)) {
        throw problem;
      }
      long now = caller.clock().nanos();
      since = failures++ == 0 ? now : since;
      long pause = caller.pauseNanos(failures);
      if (now + pause - since > caller.settings().timeout().toNanos()) {
        throw PendingOperation.last(problem);
      }
      Table.await(caller.pause(pause));
    }
  }

  long deleteRows(String table, RowRange rows, Consistency consistency) {
    long[] deleted = {0};
    forEachPart(
        table,
        rows,
        run -> {
          DeleteRowsResponse response =
              Table.await(
                  caller.changeAt( // how many there were is answered but once
                      run.server.address(),
                      TableDataGrpc.getDeleteRowsMethod(),
                      request(table, rows.intersect(run.rows).orElse(rows), consistency),
                      RemoteTables.LONG_WORK));
          deleted[0] += response.getDeleted();
          return response.hasNextRow()
              ? Optional.of(WireCells.bytes(response.getNextRow()))
              : Optional.empty();
        });
    return deleted[0];
  }

  private static DeleteRowsRequest request(String table, RowRange rows, Consistency consistency) {
    DeleteRowsRequest.Builder request =
        DeleteRowsRequest.newBuilder()
            .setTable(table)
            .setRows(WirePredicates.toWire(rows))
            .setInParts(true);
    if (!consistency.equals(Consistency.DEFAULT)) {
      request.setConsistency(WireConsistency.toWire(consistency));
    }
    return request.build();
  }

  /**
   * Empties a table. A tablet that moves from a server whose turn has not come to one whose turn is
   * over would keep its rows: so it is done again if anything moved.
   */
  void truncate(String table) {
    Patience patience = new Patience();
    List<Run> before = runs(table);
    while (true) {
      Set<Endpoint> done = new HashSet<>();
      forEach(
          table,
          RowRange.ALL,
          run -> {
            if (!done.contains(run.server)) {
              Table.await(
                  caller.changeAt(
                      run.server.address(),
                      TableDataGrpc.getTruncateMethod(),
                      RemoteTables.request(table),
                      RemoteTables.LONG_WORK));
              done.add(run.server);
            }
          });
      List<Run> after = runs(table);
      if (after.equals(before)) {
        return;
      }
      patience.after(
          new UnavailableException("tablets of table \"" + table + "\" move all the time"));
      before = after;
    }
  }

  /** Where the tablets are at present. */
  private List<Run> runs(String table) {
    locations.forget(table);
    List<Run> all = new ArrayList<>();
    forEach(
        table,
        RowRange.ALL,
        run -> {
          if (!all.isEmpty() && all.getLast().server == run.server) {
            RowRange both = new RowRange(all.removeLast().rows.from(), run.rows.to());
            all.add(new Run(run.server, both));
          } else {
            all.add(run);
          }
        });
    return all;
  }

  List<RowSample> sampleRows(String table) {
    Map<Bytes, Long> pieces = new TreeMap<>(ServerByServer::compareEnds); // bytes up to a row
    Set<Endpoint> done = new HashSet<>();
    forEach(
        table,
        RowRange.ALL,
        run -> {
          if (!done.contains(run.server)) {
            long before = 0;
            for (RowSample sample : samplesAt(run.server, table)) {
              pieces.merge(sample.row(), sample.offset() - before, Long::sum);
              before = sample.offset();
            }
            done.add(run.server);
          }
        });
    List<RowSample> samples = new ArrayList<>();
    long offset = 0;
    for (Map.Entry<Bytes, Long> piece : pieces.entrySet()) {
      offset += piece.getValue();
      samples.add(new RowSample(piece.getKey(), offset));
    }
    return samples;
  }

  private List<RowSample> samplesAt(Endpoint server, String table) {
    return WireSchemas.samples(
        Table.await(
            caller.callAt(
                server.address(),
                TableDataGrpc.getSampleRowsMethod(),
                RemoteTables.request(table),
                caller.settings().timeout())));
  }

  /** Rows in order; the table's end, which is empty, behind all. */
  private static int compareEnds(Bytes a, Bytes b) {
    return a.isEmpty() || b.isEmpty() ? Boolean.compare(a.isEmpty(), b.isEmpty()) : a.compareTo(b);
  }
}
