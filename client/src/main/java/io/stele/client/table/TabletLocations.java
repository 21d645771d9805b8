package io.stele.client.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.TabletLocation;
import io.stele.client.call.Endpoint;
import io.stele.client.call.Endpoints;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * On which servers tablets are, as far as this client has asked. Servers correct what is out of
 * date: they answer {@code NotServing}, with the right address if they know it; what was known is
 * then forgotten, and asked for again.
 *
 * <p>Looking up a place takes no lock and makes nothing.
 */
final class TabletLocations {
  /** A tablet, and the connection to its server. */
  record Place(TabletLocation tablet, Endpoint endpoint) {}

  private final Endpoints endpoints;
  private final TabletSource source;
  private final ConcurrentHashMap<String, KnownTable> tables = new ConcurrentHashMap<>();

  TabletLocations(Endpoints endpoints, TabletSource source) {
    this.endpoints = endpoints;
    this.source = source;
  }

  Endpoints endpoints() {
    return endpoints;
  }

  private KnownTable known(String table) {
    KnownTable known = tables.get(table);
    return known == null ? tables.computeIfAbsent(table, name -> new KnownTable()) : known;
  }

  // ---- looking up

  /** The place of a whole table, if one tablet is all of it; otherwise null. */
  @Nullable Place whole(String table) {
    KnownTable known = tables.get(table);
    return known == null ? null : known.whole();
  }

  /** The place of the tablet that holds a row; null if it is not known. */
  @Nullable Place find(String table, byte[] row, int offset, int length) {
    KnownTable known = tables.get(table);
    return known == null ? null : known.find(row, offset, length);
  }

  @Nullable Place find(String table, Bytes row) {
    return find(table, row.sharedArray(), 0, row.length());
  }

  /** As {@link #find}, for those whose turn has come: see {@link KnownTable}. */
  @Nullable Place findInTurn(String table, Bytes row) {
    KnownTable known = tables.get(table);
    return known == null ? null : known.findInTurn(row.sharedArray(), 0, row.length());
  }

  /**
   * The place of the tablet that holds a row, asked for where it is not known. Fails with {@code
   * NotServing} if no server has it at the moment. Those who wait are told in the order in which
   * they came.
   */
  CompletableFuture<Place> place(String table, Bytes row) {
    Place found = find(table, row);
    if (found != null) {
      return CompletableFuture.completedFuture(found);
    }
    return ask(table, row, false);
  }

  /** As {@link #place}, asked for from now on, whatever is known. */
  CompletableFuture<Place> placeAfresh(String table, Bytes row) {
    return ask(table, row, true);
  }

  private CompletableFuture<Place> ask(String table, Bytes row, boolean afresh) {
    KnownTable known = known(table);
    KnownTable.Waiter waiter = new KnownTable.Waiter(row, afresh, new CompletableFuture<>());
    if (known.join(waiter)) {
      ask(known, table, row);
    }
    return waiter.answer().thenCompose(tablets -> pick(table, row, tablets));
  }

  private CompletableFuture<Place> pick(String table, Bytes row, List<TabletLocation> tablets) {
    for (TabletLocation tablet : tablets) {
      if (tablet.holds(row)) {
        return tablet.address().isEmpty()
            ? failed(
                new NotServingException(
                    "no server has the tablet of row " + row + " of " + name(table) + " yet"))
            : CompletableFuture.completedFuture(place(tablet));
      }
    }
    return failed(
        new UnavailableException("nobody knows the tablet of row " + row + " of " + name(table)));
  }

  private static String name(String table) {
    return "table \"" + table + "\"";
  }

  private static <T> CompletableFuture<T> failed(SteleException problem) {
    return CompletableFuture.failedFuture(problem);
  }

  private Place place(TabletLocation tablet) {
    return new Place(tablet, endpoints.at(tablet.address()));
  }

  private void ask(KnownTable known, String table, Bytes row) {
    CompletableFuture<List<TabletLocation>> answer;
    try {
      answer = source.find(table, row);
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    var _ =
        answer
            .thenAccept(tablets -> learn(known, table, row, tablets))
            .whenComplete(
                (done, problem) -> {
                  if (problem != null) {
                    known.fail(Table.failure(problem));
                  }
                });
  }

  private void learn(KnownTable known, String table, Bytes row, List<TabletLocation> tablets) {
    List<Place> served =
        tablets.stream().filter(t -> !t.address().isEmpty()).map(this::place).toList();
    served.forEach(place -> endpoints.learn(place.endpoint()));
    known.answer(row, tablets, served).ifPresent(other -> ask(known, table, other));
  }

  /**
   * The rows of a tablet and of those behind it that are known to be at the same server.
   *
   * @param end tablets that begin there or behind it do not matter; null for no end
   */
  RowRange run(String table, Place from, @Nullable Bytes end) {
    return known(table).run(from, end);
  }

  // ---- what proved wrong

  /** A server named another one for a row. */
  void movedTo(String table, Bytes row, String address) {
    Place found = find(table, row);
    if (found != null) {
      TabletLocation tablet = found.tablet();
      Place moved = place(new TabletLocation(tablet.first(), tablet.last(), address));
      known(table).learn(tablet.first(), tablet.last(), List.of(moved));
    }
  }

  /** Forgets the tablet of a row, if it was believed to be there. */
  void forget(String table, Bytes row, Endpoint at) {
    forget(table, place -> place.endpoint() == at && place.tablet().holds(row));
  }

  /** Forgets the tablets with rows of a range that were believed to be there. */
  void forget(String table, RowRange rows, Endpoint at) {
    forget(
        table,
        place -> place.endpoint() == at && KnownTable.rows(place).intersect(rows).isPresent());
  }

  /** Forgets all that is known of a table. */
  void forget(String table) {
    forget(table, place -> true);
  }

  private void forget(String table, Predicate<Place> wrong) {
    KnownTable known = tables.get(table);
    if (known != null) {
      known.forget(wrong);
    }
  }

  /** A server failed. If it cannot be reached, all that it was believed to have is forgotten. */
  void lost(Endpoint failed, boolean unreachable) {
    if (unreachable) {
      tables.values().forEach(known -> known.forget(place -> place.endpoint() == failed));
    }
    endpoints.lost(failed, unreachable);
  }
}
