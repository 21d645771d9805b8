package io.stele.tables.master;

import io.stele.tables.meta.TabletKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which server is to have each tablet that none has. Decided by numbers alone.
 *
 * <p>Each goes where there are fewest. But kin (the tablets that one dead server had, or the new
 * ones of one table) are spread: of them a server gets no more than twice its share, even if it has
 * nothing else. Or one server would replay all that another left in its log, and a new and empty
 * server would be sent all the writes of a new table.
 *
 * <p>Servers that are draining, or that failed lately, get tablets only if there are no others: a
 * tablet is better served by a server that is about to go than by none.
 */
final class Placement {
  /**
   * A tablet without server.
   *
   * @param kin those of the same kin are spread
   * @param failures of servers to load it: it goes where there were fewest
   */
  record Homeless(TabletKey tablet, String kin, Map<LiveServer, Integer> failures) {
    Homeless {
      failures = Map.copyOf(failures);
    }

    private int failuresOf(Place place) {
      return failures.getOrDefault(place.server, 0);
    }
  }

  /**
   * A server that lives.
   *
   * @param tablets that it has, or is about to have
   */
  record Room(LiveServer server, int tablets, boolean draining, boolean suspect) {}

  private Placement() {}

  /** Tablets by server; nothing if there is no server at all. */
  static Map<LiveServer, List<TabletKey>> place(
      Collection<Homeless> tablets, Collection<Room> servers) {
    List<Place> places = eligible(servers);
    Map<LiveServer, List<TabletKey>> placed = new LinkedHashMap<>();
    if (places.isEmpty()) {
      return placed;
    }
    Map<String, Integer> kin = new HashMap<>();
    tablets.forEach(tablet -> kin.merge(tablet.kin(), 1, Integer::sum));
    for (Homeless tablet : tablets) {
      int all = kin.getOrDefault(tablet.kin(), 0);
      int most = 2 * Math.ceilDiv(all, places.size());
      Place place =
          places.stream()
              .filter(each -> each.of(tablet.kin()) < most)
              .min(
                  Comparator.comparingInt((Place each) -> tablet.failuresOf(each))
                      .thenComparingInt(each -> each.tablets)
                      .thenComparingInt(each -> each.of(tablet.kin()))
                      .thenComparing(each -> each.server.run()))
              .orElseThrow(); // all together they hold twice as many
      place.add(tablet.kin());
      placed.computeIfAbsent(place.server, any -> new ArrayList<>()).add(tablet.tablet());
    }
    return placed;
  }

  private static List<Place> eligible(Collection<Room> servers) {
    List<Room> best = servers.stream().filter(room -> !room.draining() && !room.suspect()).toList();
    if (best.isEmpty()) {
      best = servers.stream().filter(room -> !room.draining()).toList();
    }
    return (best.isEmpty() ? servers : best).stream().map(Place::new).toList();
  }

  /** A server while tablets are given to it. */
  private static final class Place {
    private final LiveServer server;
    private final Map<String, Integer> byKin = new HashMap<>();
    private int tablets;

    private Place(Room room) {
      this.server = room.server();
      this.tablets = room.tablets();
    }

    private int of(String kin) {
      return byKin.getOrDefault(kin, 0);
    }

    private void add(String kin) {
      tablets++;
      byKin.merge(kin, 1, Integer::sum);
    }
  }
}
