package io.stele.client.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellView;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.predicate.RowRange;
import io.stele.client.call.Endpoint;
import io.stele.client.table.TabletLocations.Place;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The server that an operation goes to: found anew for each attempt. */
sealed interface Target {
  /** The server, if it is known; otherwise null. */
  @Nullable Endpoint known();

  /** Finds the server. */
  CompletableFuture<Endpoint> find();

  /** It does not serve this; the next attempt looks elsewhere. */
  void leave(Endpoint failed, boolean unreachable);

  /** It named another server. */
  void movedTo(String address);

  /** Whether another server could do it as well. */
  default boolean movable() {
    return true;
  }

  /** Whichever server has a row. */
  record OfRow(TabletLocations locations, String table, Bytes row) implements Target {
    @Override
    public @Nullable Endpoint known() {
      Place place = locations.find(table, row);
      return place == null ? null : place.endpoint();
    }

    @Override
    public CompletableFuture<Endpoint> find() {
      return locations.place(table, row).thenApply(Place::endpoint);
    }

    @Override
    public void leave(Endpoint failed, boolean unreachable) {
      locations.forget(table, row, failed);
      locations.lost(failed, unreachable);
    }

    @Override
    public void movedTo(String address) {
      locations.movedTo(table, row, address);
    }
  }

  /** The one server that has all rows of a batch. */
  record OfCells(TabletLocations locations, String table, CellBatch cells) implements Target {
    @Override
    public @Nullable Endpoint known() {
      Place whole = locations.whole(table);
      if (whole != null) {
        return whole.endpoint();
      }
      Rows rows = look(false);
      return rows.unknown == null && rows.elsewhere == null ? rows.at : null;
    }

    /**
     * Where the rows are.
     *
     * @param unknown a row whose place is not known
     * @param elsewhere a row that is at another server than the first
     */
    private record Rows(
        @Nullable Endpoint at, @Nullable Bytes unknown, @Nullable Bytes elsewhere) {}

    private Rows look(boolean inTurn) {
      CellBatch.Reader reader = cells.read();
      CellView cell = reader.cell();
      Place place = null;
      Endpoint at = null;
      Bytes elsewhere = null;
      while (reader.next()) {
        if (place != null && holds(place, cell)) {
          continue;
        }
        place =
            inTurn
                ? locations.findInTurn(table, cell.row())
                : locations.find(table, cell.rowArray, cell.rowOffset, cell.rowLength);
        if (place == null) {
          return new Rows(null, cell.row(), null);
        }
        if (at == null) {
          at = place.endpoint();
        } else if (place.endpoint() != at && elsewhere == null) {
          elsewhere = cell.row();
        }
      }
      return new Rows(at, at == null ? Bytes.EMPTY : null, elsewhere);
    }

    /** Rows ascend, so only the end matters. */
    private static boolean holds(Place place, CellView cell) {
      return place.tablet().last().isEmpty()
          || place.tablet().last().get().compareTo(cell.rowArray, cell.rowOffset, cell.rowLength)
              >= 0;
    }

    @Override
    public CompletableFuture<Endpoint> find() {
      Rows rows = look(false);
      return rows.unknown == null
          ? find(false)
          : locations.place(table, rows.unknown).thenCompose(place -> next(place, false));
    }

    /**
     * Finds it row by row.
     *
     * @param afresh whether all was asked for anew: rows that seem to be at two servers may have
     *     come together since
     */
    private CompletableFuture<Endpoint> find(boolean afresh) {
      Rows rows = look(true);
      if (rows.unknown != null || rows.at == null) {
        Bytes row = rows.unknown == null ? Bytes.EMPTY : rows.unknown;
        return locations.place(table, row).thenCompose(place -> next(place, afresh));
      }
      Bytes elsewhere = rows.elsewhere;
      if (elsewhere == null) {
        return CompletableFuture.completedFuture(rows.at);
      }
      if (!afresh) {
        locations.forget(table);
        return locations
            .placeAfresh(table, elsewhere)
            .thenCompose(place -> locations.placeAfresh(table, firstRow()))
            .thenCompose(place -> find(true));
      }
      return CompletableFuture.failedFuture(
          new InvalidRequestException(
              "cells of table \""
                  + table
                  + "\" whose rows are at two servers, row "
                  + elsewhere
                  + " not with those before it: what is to be committed together must be at one;"
                  + " commit the rows one by one"));
    }

    private Bytes firstRow() {
      CellBatch.Reader reader = cells.read();
      return reader.next() ? reader.cell().row() : Bytes.EMPTY;
    }

    private CompletableFuture<Endpoint> next(Place found, boolean afresh) {
      return cells.cellCount() == 0
          ? CompletableFuture.completedFuture(found.endpoint())
          : find(afresh);
    }

    @Override
    public void leave(Endpoint failed, boolean unreachable) {
      CellBatch.Reader reader = cells.read();
      if (reader.next()) {
        Bytes first = reader.cell().row();
        while (reader.next()) {} // to the last
        locations.forget(table, new RowRange(first, reader.cell().row().successor()), failed);
      }
      locations.lost(failed, unreachable);
    }

    @Override
    public void movedTo(String address) {
      CellBatch.Reader reader = cells.read();
      if (reader.next()) {
        locations.movedTo(table, reader.cell().row(), address);
      }
    }
  }

  /**
   * The server that was found to have a row, and perhaps others that come with it. Should that
   * prove wrong, whoever found it decides what is next.
   */
  record Found(TabletLocations locations, String table, Bytes row, Endpoint endpoint)
      implements Target {
    @Override
    public Endpoint known() {
      return endpoint;
    }

    @Override
    public CompletableFuture<Endpoint> find() {
      return locations.place(table, row).thenApply(Place::endpoint);
    }

    @Override
    public void leave(Endpoint failed, boolean unreachable) {
      locations.lost(failed, unreachable);
    }

    @Override
    public void movedTo(String address) {
      // Not by itself.
    }
  }

  /** One server and no other. */
  record At(TabletLocations locations, Endpoint endpoint) implements Target {
    @Override
    public Endpoint known() {
      return endpoint;
    }

    @Override
    public CompletableFuture<Endpoint> find() {
      return CompletableFuture.completedFuture(endpoint);
    }

    @Override
    public void leave(Endpoint failed, boolean unreachable) {
      locations.lost(failed, unreachable);
    }

    @Override
    public void movedTo(String address) {
      // It stays where it is.
    }

    @Override
    public boolean movable() {
      return false;
    }
  }

  /** Any server. */
  record Anywhere(TabletLocations locations) implements Target {
    @Override
    public Endpoint known() {
      return locations.endpoints().current();
    }

    @Override
    public CompletableFuture<Endpoint> find() {
      return CompletableFuture.completedFuture(known());
    }

    @Override
    public void leave(Endpoint failed, boolean unreachable) {
      locations.lost(failed, unreachable);
    }

    @Override
    public void movedTo(String address) {
      locations.endpoints().follow(address);
    }
  }
}
