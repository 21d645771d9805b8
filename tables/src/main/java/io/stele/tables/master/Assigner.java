package io.stele.tables.master;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.tables.master.Placement.Homeless;
import io.stele.tables.master.Placement.Room;
import io.stele.tables.master.Reservations.Reservation;
import io.stele.tables.meta.MetaLevel;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Sees to it that every tablet has a server. Each server is told with one order per level which
 * tablets to load, all servers at the same time; nobody waits for them, and other tablets are
 * looked after meanwhile.
 */
final class Assigner {
  private final MasterParts parts;
  private final Orders orders;
  private final Reservations reservations;
  private final Troubles troubles;
  private final Consumer<Runnable> jobs;
  private final Runnable wake;

  @GuardedBy("this")
  private final Map<LiveServer, Integer> counts = new HashMap<>(); // when META was last whole

  @GuardedBy("this")
  private final Map<LiveServer, Integer> underWay = new HashMap<>();

  /**
   * Makes one.
   *
   * @param jobs runs something in the background
   * @param wake called when something was done that makes another look worth while
   */
  Assigner(
      MasterParts parts,
      Orders orders,
      Reservations reservations,
      Troubles troubles,
      Consumer<Runnable> jobs,
      Runnable wake) {
    this.parts = parts;
    this.orders = orders;
    this.reservations = reservations;
    this.troubles = troubles;
    this.jobs = jobs;
    this.wake = wake;
  }

  /**
   * Begins to load what no server has.
   *
   * @return whether all tablets have one already
   */
  boolean assign(Picture picture) {
    List<TabletConfig> unowned = picture.unowned();
    noteCounts(picture);
    if (picture.whole()) {
      troubles.keepOnly(unowned.stream().map(TabletConfig::key).toList());
    }
    if (!unowned.isEmpty() && !picture.live().isEmpty()) {
      Map<MetaLevel, List<TabletConfig>> levels = new EnumMap<>(MetaLevel.class);
      unowned.stream()
          .filter(each -> troubles.mayBeTried(each.key()))
          .forEach(
              each ->
                  levels
                      .computeIfAbsent(MetaLevel.of(each.table()), any -> new ArrayList<>())
                      .add(each));
      levels.values().forEach(each -> place(picture, each));
    }
    return unowned.isEmpty();
  }

  private synchronized void noteCounts(Picture picture) {
    if (picture.whole()) {
      counts.clear();
      picture.byOwner().forEach((server, tablets) -> counts.put(server, tablets.size()));
    }
  }

  private void place(Picture picture, List<TabletConfig> unowned) {
    List<Homeless> homeless =
        unowned.stream()
            .filter(each -> reservations.isFree(each.key(), picture.mark()))
            .map(each -> new Homeless(each.key(), kin(each), failures(each.key())))
            .toList();
    Placement.place(homeless, rooms(picture))
        .forEach((server, tablets) -> begin(picture, server, tablets));
  }

  private Map<LiveServer, Integer> failures(TabletKey tablet) {
    return troubles.of(tablet).map(Troubles.Trouble::failures).orElse(Map.of());
  }

  private static String kin(TabletConfig tablet) {
    return Picture.runOf(tablet)
        .map(run -> "run " + run)
        .orElseGet(() -> "table " + tablet.table());
  }

  private synchronized List<Room> rooms(Picture picture) {
    Set<LiveServer> suspects = troubles.suspects();
    List<Room> rooms = new ArrayList<>();
    for (LiveServer server : picture.live()) {
      rooms.add(
          new Room(
              server,
              counts.getOrDefault(server, 0) + underWay.getOrDefault(server, 0),
              picture.draining().contains(server.address()),
              suspects.contains(server)));
    }
    return rooms;
  }

  /** Begins to load tablets on a server that is to have them. */
  private void begin(Picture picture, LiveServer server, Collection<TabletKey> tablets) {
    Reservation mine = reservations.takeFree(tablets, picture.mark());
    int count = mine.tablets().size();
    if (count == 0) {
      mine.close();
      return;
    }
    addUnderWay(server, count);
    jobs.accept(
        () -> {
          try (mine) {
            long start = parts.clock().nanos();
            int done = load(server, mine.tablets()).size();
            if (done > 0) {
              long nanos = parts.clock().nanos() - start;
              parts.events().accept(new MasterEvent.Assigned(server.address(), done, nanos));
            }
          } finally {
            addUnderWay(server, -count);
            wake.run();
          }
        });
  }

  private synchronized void addUnderWay(LiveServer server, int count) {
    underWay.merge(server, count, (before, more) -> before + more == 0 ? null : before + more);
  }

  /**
   * Loads tablets that the caller has reserved; returns when the server has answered.
   *
   * @return those that it has now
   */
  List<TabletKey> load(LiveServer server, List<TabletKey> tablets) {
    List<TabletOutcome> outcomes;
    try {
      outcomes =
          orders.call(
              server,
              "load " + tablets.size() + " tablets",
              control -> control.load(parts.token(), tablets));
    } catch (SteleException e) {
      troubles.suspect(server);
      outcomes = tablets.stream().map(tablet -> TabletOutcome.failed(tablet, e)).toList();
    }
    List<TabletKey> done = new ArrayList<>();
    Set<TabletKey> answered = new HashSet<>();
    for (TabletOutcome outcome : outcomes) {
      answered.add(outcome.tablet());
      outcome
          .problem()
          .ifPresentOrElse(
              problem -> failed(server, outcome.tablet(), problem),
              () -> {
                troubles.settled(outcome.tablet());
                done.add(outcome.tablet());
              });
    }
    tablets.stream()
        .filter(tablet -> !answered.contains(tablet))
        .forEach(
            tablet ->
                failed(
                    server,
                    tablet,
                    new OutcomeUnknownException("the server did not say what became of it")));
    return done;
  }

  private void failed(LiveServer server, TabletKey tablet, SteleException problem) {
    boolean news = troubles.failed(tablet, server, problem);
    if (news && Troubles.isLasting(problem)) {
      parts
          .events()
          .accept(
              new MasterEvent.Unservable(tablet.toString(), String.valueOf(problem.getMessage())));
    } else if (news) {
      parts
          .events()
          .accept(new MasterEvent.AssignmentFailed(tablet.toString(), server.address(), problem));
    }
  }
}
