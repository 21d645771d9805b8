package io.stele.tables.master;

import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.tables.master.BalancePolicy.Holding;
import io.stele.tables.master.BalancePolicy.PlannedMove;
import io.stele.tables.master.BalancePolicy.Weight;
import io.stele.tables.master.Orders.Answer;
import io.stele.tables.master.Reservations.Reservation;
import io.stele.tables.master.ServerReport.TabletReport;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Asks servers how they are, and plans by that which tablets are better off elsewhere. */
final class Balancer {
  private final MasterParts parts;
  private final MasterSettings settings;
  private final Orders orders;
  private final Reservations reservations;
  private final Assigner assigner;
  private final LoadRates rates;

  Balancer(
      MasterParts parts,
      MasterSettings settings,
      Orders orders,
      Reservations reservations,
      Assigner assigner,
      LoadRates rates) {
    this.parts = parts;
    this.settings = settings;
    this.orders = orders;
    this.reservations = reservations;
    this.assigner = assigner;
    this.rates = rates;
  }

  /** What servers say of themselves, or why they say nothing. */
  Map<LiveServer, Answer<ServerReport>> reports(Collection<LiveServer> servers) {
    Map<LiveServer, Answer<ServerReport>> answers =
        orders.callAll(servers, "say what it has", settings.answer(), TabletControl::report);
    answers.replaceAll(Balancer::ofItself);
    given(answers).values().forEach(rates::update);
    return answers;
  }

  /** At the address of a run that ended there may be the next one: that says nothing of this. */
  private static Answer<ServerReport> ofItself(LiveServer server, Answer<ServerReport> answer) {
    return answer instanceof Answer.Given<ServerReport>(ServerReport report)
            && !report.server().run().equals(server.run())
        ? new Answer.Failed<>(
            new NotServingException(
                "run "
                    + server.run()
                    + " has ended, and run "
                    + report.server().run()
                    + " answers for itself"))
        : answer;
  }

  static Map<LiveServer, ServerReport> given(Map<LiveServer, Answer<ServerReport>> answers) {
    Map<LiveServer, ServerReport> given = new LinkedHashMap<>();
    answers.forEach(
        (server, answer) -> {
          if (answer instanceof Answer.Given<ServerReport>(ServerReport report)) {
            given.put(server, report);
          }
        });
    return given;
  }

  // ---- planning

  /** What would even out the cluster. Servers that say nothing keep what they have. */
  List<PlannedMove> plan(Picture picture, Map<LiveServer, Answer<ServerReport>> answers, int most) {
    Map<LiveServer, ServerReport> reports = given(answers);
    List<Holding> holdings = new ArrayList<>();
    picture
        .byOwner()
        .forEach(
            (server, tablets) -> {
              if (reports.containsKey(server)) {
                holdings.add(
                    holding(
                        picture, server, tablets, bytes(Optional.ofNullable(reports.get(server)))));
              }
            });
    return BalancePolicy.plan(holdings, most);
  }

  /** What servers that are draining must give up. */
  List<PlannedMove> planDrains(Picture picture) {
    List<Holding> holdings = new ArrayList<>();
    picture
        .byOwner()
        .forEach((server, tablets) -> holdings.add(holding(picture, server, tablets, Map.of())));
    return BalancePolicy.planDrains(holdings, Integer.MAX_VALUE);
  }

  private Holding holding(
      Picture picture, LiveServer server, List<TabletConfig> tablets, Map<TabletKey, Long> bytes) {
    List<Weight> weights = new ArrayList<>();
    for (TabletConfig tablet : tablets) {
      if (reservations.isFree(tablet.key(), picture.mark())) {
        weights.add(
            new Weight(
                tablet.key(),
                bytes.getOrDefault(tablet.key(), 0L),
                rates.of(server, tablet.key()).both()));
      }
    }
    return new Holding(server, picture.draining().contains(server.address()), weights);
  }

  private static Map<TabletKey, Long> bytes(Optional<ServerReport> report) {
    return report.stream()
        .flatMap(each -> each.tablets().stream())
        .collect(Collectors.toMap(TabletReport::tablet, TabletReport::fileBytes, (one, _) -> one));
  }

  // ---- tablets that are served by name only

  /**
   * Tablets that META says a server has, and that it has not: it took one over and then failed. It
   * is told to load them again, for nobody else may.
   *
   * @param picture taken before the reports
   */
  List<TabletConfig> missing(Picture picture, Map<LiveServer, Answer<ServerReport>> answers) {
    Map<LiveServer, ServerReport> reports = given(answers);
    List<TabletConfig> missing = new ArrayList<>();
    picture
        .byOwner()
        .forEach(
            (server, tablets) -> {
              if (reports.containsKey(server)) {
                Set<TabletKey> there = bytes(Optional.ofNullable(reports.get(server))).keySet();
                tablets.stream()
                    .filter(tablet -> !there.contains(tablet.key()))
                    .filter(tablet -> reservations.isFree(tablet.key(), picture.mark()))
                    .filter(tablet -> isStill(tablet, server))
                    .forEach(missing::add);
              }
            });
    return missing;
  }

  /** A tablet that moved, was joined or dropped since META was read is not missing. */
  private boolean isStill(TabletConfig tablet, LiveServer server) {
    try {
      return parts
          .meta()
          .tablet(tablet.key())
          .flatMap(now -> Picture.ownerOf(now, List.of(server)))
          .isPresent();
    } catch (SteleException e) {
      return false;
    }
  }

  void loadAgain(Picture picture, List<TabletConfig> missing) {
    Map<LiveServer, List<TabletKey>> byServer = new LinkedHashMap<>();
    for (TabletConfig tablet : missing) {
      picture
          .ownerOf(tablet)
          .ifPresent(
              owner -> byServer.computeIfAbsent(owner, any -> new ArrayList<>()).add(tablet.key()));
    }
    byServer.forEach(
        (server, tablets) -> {
          try (Reservation mine = reservations.takeFree(tablets, picture.mark())) {
            if (!mine.tablets().isEmpty()) {
              assigner.load(server, mine.tablets());
            }
          }
        });
  }
}
