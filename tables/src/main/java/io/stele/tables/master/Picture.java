package io.stele.tables.master;

import io.stele.tables.meta.LogRef;
import io.stele.tables.meta.TableRows.UnreadableRow;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.UnfinishedTables.Unfinished;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The cluster at one moment: who lives, and who has which tablet.
 *
 * <p>The owner of a tablet is the run of a server that its newest log belongs to. Its address is
 * for clients: a server that was started again has the same one, and none of the tablets.
 *
 * @param draining addresses
 * @param tablets as META has them, level by level
 * @param unreadable rows of META
 * @param unfinished tables that are being made; their tablets are not among the others
 * @param whole false if a META tablet has no owner: then what it says is not among the tablets
 * @param mark when the look began: see {@link Reservations#mark}
 */
record Picture(
    List<LiveServer> live,
    Set<String> draining,
    List<TabletConfig> tablets,
    List<UnreadableRow> unreadable,
    List<Unfinished> unfinished,
    boolean whole,
    long mark) {
  Picture {
    live = List.copyOf(live);
    draining = Set.copyOf(draining);
    tablets = List.copyOf(tablets);
    unreadable = List.copyOf(unreadable);
    unfinished = List.copyOf(unfinished);
  }

  /** The run that has a tablet, or had it last; none if it was given up, or never served. */
  static Optional<String> runOf(TabletConfig tablet) {
    return tablet.log().map(LogRef::directory).map(directory -> directory.name());
  }

  static Optional<LiveServer> ownerOf(TabletConfig tablet, List<LiveServer> live) {
    if (tablet.location().isEmpty()) {
      return Optional.empty();
    }
    return runOf(tablet)
        .flatMap(run -> live.stream().filter(server -> server.run().equals(run)).findFirst());
  }

  Optional<LiveServer> ownerOf(TabletConfig tablet) {
    return ownerOf(tablet, live);
  }

  List<TabletConfig> unowned() {
    Map<String, LiveServer> runs = byRun();
    return tablets.stream()
        .filter(
            tablet ->
                tablet.location().isEmpty() || runOf(tablet).filter(runs::containsKey).isEmpty())
        .toList();
  }

  /** The tablets of each live server, also of those that have none. */
  Map<LiveServer, List<TabletConfig>> byOwner() {
    Map<String, LiveServer> runs = byRun();
    Map<LiveServer, List<TabletConfig>> owned = new HashMap<>();
    live.forEach(server -> owned.put(server, new ArrayList<>()));
    for (TabletConfig tablet : tablets) {
      if (!tablet.location().isEmpty()) {
        runOf(tablet)
            .map(runs::get)
            .ifPresent(server -> owned.getOrDefault(server, List.of()).add(tablet));
      }
    }
    return owned;
  }

  private Map<String, LiveServer> byRun() {
    return live.stream().collect(Collectors.toMap(LiveServer::run, Function.identity()));
  }

  Optional<LiveServer> at(String address) {
    return live.stream().filter(server -> server.address().equals(address)).findFirst();
  }
}
