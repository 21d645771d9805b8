package io.stele.tables.master;

import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.tables.master.BalancePolicy.PlannedMove;
import io.stele.tables.master.Orders.Answer;
import io.stele.tables.master.Reservations.Reservation;
import io.stele.tables.meta.MetaLevel;
import io.stele.tables.meta.TabletKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Moves tablets: what is in memory is written to files while the tablet is still served, so that
 * little is left to write when it is not; then the one server gives it up, and the other loads it.
 * A tablet that the other cannot load is nobody's, and placed anew as every such tablet is.
 */
final class Mover {
  /** What became of a move; no problem if the tablet is where it was to be. */
  record Outcome(PlannedMove move, Optional<SteleException> problem) {}

  /** Moves that are made with one order to each of the two servers. */
  private record Route(LiveServer from, LiveServer to, MetaLevel level) {}

  private final MasterParts parts;
  private final MasterSettings settings;
  private final Orders orders;
  private final Reservations reservations;
  private final Assigner assigner;
  private final Runnable wake;

  Mover(
      MasterParts parts,
      MasterSettings settings,
      Orders orders,
      Reservations reservations,
      Assigner assigner,
      Runnable wake) {
    this.parts = parts;
    this.settings = settings;
    this.orders = orders;
    this.reservations = reservations;
    this.assigner = assigner;
    this.wake = wake;
  }

  /**
   * Makes moves, a bounded number at a time; ends early if one fails, for then the plan is out of
   * date. Tablets that somebody else is busy with, or was since the plan was made, are left alone.
   *
   * @param mark when what the plan goes by was read
   * @return what was tried
   */
  List<Outcome> carryOut(List<PlannedMove> moves, long mark) {
    List<Outcome> outcomes = new ArrayList<>();
    for (int at = 0; at < moves.size(); at += settings.moves()) {
      List<PlannedMove> next = moves.subList(at, Math.min(moves.size(), at + settings.moves()));
      List<Outcome> made;
      try (Reservation mine =
          reservations.takeFree(next.stream().map(PlannedMove::tablet).toList(), mark)) {
        Set<TabletKey> free = new HashSet<>(mine.tablets());
        made = moveReserved(next.stream().filter(move -> free.contains(move.tablet())).toList());
      }
      outcomes.addAll(made);
      if (made.stream().anyMatch(outcome -> outcome.problem().isPresent())) {
        break;
      }
    }
    return outcomes;
  }

  /** Makes moves of tablets that the caller has reserved, all at once. */
  List<Outcome> moveReserved(List<PlannedMove> moves) {
    flushFirst(moves);
    Map<Route, List<PlannedMove>> routes = new LinkedHashMap<>();
    moves.forEach(
        move ->
            routes
                .computeIfAbsent(
                    new Route(move.from(), move.to(), levelOf(move)), any -> new ArrayList<>())
                .add(move));
    List<Outcome> outcomes = new ArrayList<>();
    // META last, and level by level: the moves of the others are written there.
    for (MetaLevel level : List.of(MetaLevel.META1, MetaLevel.META0, MetaLevel.ROOT)) {
      Map<Route, Supplier<List<Outcome>>> together = new LinkedHashMap<>();
      routes.forEach(
          (route, each) -> {
            if (route.level() == level) {
              together.put(route, () -> moveTogether(route, each));
            }
          });
      Answer.values(Orders.all(together).values()).forEach(outcomes::addAll);
    }
    outcomes.forEach(this::tell);
    if (outcomes.stream().anyMatch(outcome -> outcome.problem().isPresent())) {
      wake.run();
    }
    return outcomes;
  }

  /**
   * Brings a tablet, which the caller has reserved, to a server from wherever it is.
   *
   * @throws SteleException if it is not there then
   */
  void bring(TabletKey tablet, Optional<LiveServer> owner, LiveServer to, String reason) {
    if (owner.isEmpty()) {
      if (assigner.load(to, List.of(tablet)).isEmpty()) {
        wake.run();
        throw new UnavailableException(
            to.address() + " could not load " + tablet + ": it is given to any server that can");
      }
    } else if (!owner.get().equals(to)) {
      moveReserved(List.of(new PlannedMove(tablet, owner.get(), to, reason))).stream()
          .flatMap(outcome -> outcome.problem().stream())
          .findFirst()
          .ifPresent(
              problem -> {
                throw problem;
              });
    }
  }

  private static MetaLevel levelOf(PlannedMove move) {
    return MetaLevel.of(move.tablet().table());
  }

  /** Only makes the move quicker: what fails here is done by the unload. */
  private void flushFirst(Collection<PlannedMove> moves) {
    Map<LiveServer, Set<String>> tables = new LinkedHashMap<>();
    for (PlannedMove move : moves) {
      tables.computeIfAbsent(move.from(), any -> new HashSet<>()).add(move.tablet().table());
    }
    Map<LiveServer, Supplier<Boolean>> calls = new LinkedHashMap<>();
    tables.forEach(
        (server, names) ->
            calls.put(
                server,
                () ->
                    orders.call(
                        server,
                        "flush " + names,
                        control -> {
                          names.forEach(control::flush);
                          return true;
                        })));
    var _ = Orders.all(calls);
  }

  private List<Outcome> moveTogether(Route route, List<PlannedMove> moves) {
    long start = parts.clock().nanos();
    List<TabletKey> tablets = moves.stream().map(PlannedMove::tablet).toList();
    Map<TabletKey, Optional<SteleException>> problems = new LinkedHashMap<>();
    tablets.forEach(
        tablet ->
            problems.put(
                tablet,
                Optional.of(
                    new OutcomeUnknownException(
                        route.from().address() + " did not say what became of it"))));
    try {
      List<TabletOutcome> given =
          orders.call(
              route.from(),
              "unload " + tablets.size() + " tablets",
              control -> control.unload(parts.token(), tablets));
      given.forEach(outcome -> problems.put(outcome.tablet(), outcome.problem()));
      List<TabletKey> left =
          tablets.stream()
              .filter(tablet -> problems.getOrDefault(tablet, Optional.empty()).isEmpty())
              .toList();
      if (!left.isEmpty()) {
        Set<TabletKey> arrived = new HashSet<>(assigner.load(route.to(), left));
        left.stream()
            .filter(tablet -> !arrived.contains(tablet))
            .forEach(tablet -> problems.put(tablet, Optional.of(notLoaded(route))));
      }
    } catch (SteleException e) {
      tablets.forEach(tablet -> problems.put(tablet, Optional.of(e)));
    }
    long nanos = parts.clock().nanos() - start;
    List<Outcome> outcomes = new ArrayList<>();
    for (PlannedMove move : moves) {
      Optional<SteleException> problem = problems.getOrDefault(move.tablet(), Optional.empty());
      outcomes.add(new Outcome(move, problem));
      if (problem.isEmpty()) {
        parts
            .events()
            .accept(
                new MasterEvent.Moved(
                    move.tablet().toString(),
                    move.from().address(),
                    move.to().address(),
                    move.reason(),
                    nanos));
      }
    }
    return outcomes;
  }

  private static SteleException notLoaded(Route route) {
    return new UnavailableException(
        "it left "
            + route.from().address()
            + " and "
            + route.to().address()
            + " could not load it: it is given to any server that can");
  }

  private void tell(Outcome outcome) {
    outcome
        .problem()
        .ifPresent(
            problem ->
                parts
                    .events()
                    .accept(
                        new MasterEvent.MoveFailed(
                            outcome.move().tablet().toString(),
                            outcome.move().from().address(),
                            outcome.move().to().address(),
                            problem)));
  }
}
