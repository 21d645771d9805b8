package io.stele.client.table;

import io.stele.client.call.Endpoint;
import io.stele.client.call.Endpoints;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which server is asked about a table: the one that a server named, or the one that is asked about
 * everything. Servers correct what is out of date: they answer {@code NotServing}, with the right
 * address if they know it.
 */
final class TabletLocations {
  private final Endpoints endpoints;
  private final ConcurrentHashMap<String, Endpoint> known = new ConcurrentHashMap<>();

  TabletLocations(Endpoints endpoints) {
    this.endpoints = endpoints;
  }

  Endpoint of(String table) {
    Endpoint at = known.get(table);
    return at == null ? endpoints.current() : at;
  }

  /** A server named another one. */
  void movedTo(String table, String address) {
    known.put(table, endpoints.at(address));
  }

  /** A server does not have the table, or cannot be reached. */
  void leave(String table, Endpoint failed, boolean unreachable) {
    known.remove(table, failed);
    endpoints.lost(failed, unreachable);
  }
}
