package io.stele.tables.master;

import io.stele.base.error.ConflictException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.tables.compact.CompactSettings;
import io.stele.tables.master.JoinPolicy.Candidate;
import io.stele.tables.master.JoinPolicy.PlannedJoin;
import io.stele.tables.master.Reservations.Reservation;
import io.stele.tables.master.ServerReport.TabletReport;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.tablet.TabletState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Joins neighbours that are on two servers: brings one to the other's server, and has that server
 * join them.
 */
final class Joiner {
  private final MasterParts parts;
  private final MasterSettings settings;
  private final Orders orders;
  private final Reservations reservations;
  private final Mover mover;
  private final LoadRates rates;
  private final JoinWatch watch; // used by one thread at a time, as plan and carryOut are

  Joiner(
      MasterParts parts,
      MasterSettings settings,
      Orders orders,
      Reservations reservations,
      Mover mover,
      LoadRates rates) {
    this.parts = parts;
    this.settings = settings;
    this.orders = orders;
    this.reservations = reservations;
    this.mover = mover;
    this.rates = rates;
    this.watch = new JoinWatch(parts.clock(), parts.sizes().joinAge());
  }

  /** The joins that are due. Tablets of servers that say nothing are left alone. */
  List<PlannedJoin> plan(Picture picture, Map<LiveServer, ServerReport> reports) {
    CompactSettings sizes = parts.sizes();
    if (!sizes.automatic()) {
      return List.of();
    }
    List<Candidate> candidates = new ArrayList<>();
    Map<LiveServer, Integer> counts = new HashMap<>();
    picture
        .byOwner()
        .forEach(
            (server, tablets) -> {
              counts.put(server, tablets.size());
              ServerReport report = reports.get(server);
              if (report != null && !picture.draining().contains(server.address())) {
                candidates.addAll(candidates(picture, tablets, report));
              }
            });
    return JoinPolicy.choose(
        watch.settled(JoinPolicy.pairs(candidates, sizes.joinBytes())), counts, settings.moves());
  }

  private List<Candidate> candidates(
      Picture picture, List<TabletConfig> tablets, ServerReport report) {
    Map<TabletKey, TabletReport> active =
        report.tablets().stream()
            .filter(tablet -> tablet.state() == TabletState.ACTIVE.number())
            .collect(Collectors.toMap(TabletReport::tablet, Function.identity(), (one, _) -> one));
    List<Candidate> candidates = new ArrayList<>();
    for (TabletConfig tablet : tablets) {
      TabletReport there = active.get(tablet.key());
      if (there != null && reservations.isFree(tablet.key(), picture.mark())) {
        candidates.add(
            new Candidate(
                tablet.key(),
                tablet.first(),
                report.server(),
                there.fileBytes(),
                rates.of(report.server(), tablet.key()).both()));
      }
    }
    return candidates;
  }

  /**
   * Makes joins, one after the other. Tablets that somebody else is busy with, or was since the
   * plan was made, are left alone; so are those whose files do not go together yet, which
   * compactions will change in time.
   *
   * @param mark when what the plan goes by was read
   * @return whether one was made
   */
  boolean carryOut(List<PlannedJoin> joins, long mark) {
    boolean some = false;
    for (PlannedJoin join : joins) {
      watch.attempted(join.pair());
      List<TabletKey> both = List.of(join.pair().lower().tablet(), join.pair().upper().tablet());
      try (Reservation mine = reservations.takeFree(both, mark)) {
        if (mine.tablets().size() == both.size() && isStill(join)) {
          Candidate moved = join.moved();
          mover.bring(
              moved.tablet(), Optional.of(moved.server()), join.at(), "to be joined: both small");
          order(join.at(), join.pair().lower().tablet());
          some = true;
        }
      } catch (SteleException e) {
        parts.events().accept(new MasterEvent.BackgroundFailed("join of " + both.getFirst(), e));
      }
    }
    return some;
  }

  /** Whether META says of both what the plan goes by. */
  private boolean isStill(PlannedJoin join) {
    return isStill(join.pair().lower()) && isStill(join.pair().upper());
  }

  private boolean isStill(Candidate candidate) {
    return parts
        .meta()
        .tablet(candidate.tablet())
        .filter(now -> now.first().equals(candidate.first()))
        .flatMap(now -> Picture.ownerOf(now, List.of(candidate.server())))
        .isPresent();
  }

  /**
   * Joins two neighbours, which the caller has reserved, at the server of the lower one. Files that
   * do not go together as they are have the server compact the table first.
   */
  void join(TabletConfig lower, TabletConfig upper) {
    List<LiveServer> live = parts.membership().live();
    LiveServer at =
        Picture.ownerOf(lower, live)
            .orElseThrow(
                () -> new UnavailableException(lower.key() + " has no server at the moment"));
    mover.bring(upper.key(), Picture.ownerOf(upper, live), at, "to be joined");
    try {
      order(at, lower.key());
    } catch (ConflictException e) {
      var _ =
          orders.call(
              at,
              "compact tablets to be joined",
              control -> {
                control.compact(lower.table());
                return control;
              });
      order(at, lower.key());
    }
  }

  private void order(LiveServer server, TabletKey lower) {
    var _ =
        orders.call(
            server,
            "join two tablets",
            control -> {
              control.join(parts.token(), lower);
              return control;
            });
  }
}
