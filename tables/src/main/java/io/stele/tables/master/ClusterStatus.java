package io.stele.tables.master;

import io.stele.base.error.SteleException;
import io.stele.base.table.Cluster.ServerStatus;
import io.stele.base.table.Cluster.Status;
import io.stele.tables.master.Orders.Answer;
import io.stele.tables.master.ServerReport.TabletReport;
import io.stele.tables.meta.MetaRows;
import io.stele.tables.meta.TableRows.UnreadableRow;
import io.stele.tables.meta.TabletConfig;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The cluster as people want to know it. It answers also when META or a server does not. */
final class ClusterStatus {
  private final MasterParts parts;
  private final Survey survey;
  private final Balancer balancer;
  private final Troubles troubles;
  private final LoadRates rates;

  ClusterStatus(
      MasterParts parts, Survey survey, Balancer balancer, Troubles troubles, LoadRates rates) {
    this.parts = parts;
    this.survey = survey;
    this.balancer = balancer;
    this.troubles = troubles;
    this.rates = rates;
  }

  /** A row of META that cannot be read, for people. */
  static String name(UnreadableRow row) {
    return "META row of " + MetaRows.describe(row.row());
  }

  Status ask() {
    List<String> unserved = new ArrayList<>();
    Picture picture;
    try {
      picture = survey.look();
    } catch (SteleException e) {
      unserved.add("META cannot be read: " + e.getMessage());
      picture =
          new Picture(
              parts.membership().live(),
              parts.membership().draining(),
              List.of(),
              List.of(),
              List.of(),
              false,
              0);
    }
    Map<LiveServer, Answer<ServerReport>> answers = balancer.reports(picture.live());
    addUnserved(picture, answers, unserved);
    return new Status(
        parts.address(),
        parts.token(),
        servers(picture, answers),
        picture.tablets().size(),
        unserved,
        down(picture));
  }

  private List<String> down(Picture picture) {
    Set<String> live = picture.live().stream().map(LiveServer::address).collect(Collectors.toSet());
    return parts.membership().known().stream()
        .filter(address -> !live.contains(address))
        .sorted()
        .toList();
  }

  private void addUnserved(
      Picture picture, Map<LiveServer, Answer<ServerReport>> answers, List<String> unserved) {
    picture
        .unreadable()
        .forEach(row -> unserved.add(name(row) + " cannot be read: " + row.problem()));
    for (TabletConfig tablet : picture.unowned()) {
      String why =
          troubles
              .of(tablet.key())
              .map(
                  trouble -> ", " + trouble.attempts() + " attempts: " + message(trouble.problem()))
              .orElse("");
      unserved.add(tablet.key() + ": no server has it" + why);
    }
    if (!picture.whole()) {
      unserved.add("what META does not say while tablets of it have no server");
    }
    for (TabletConfig tablet : balancer.missing(picture, answers)) {
      unserved.add(tablet.key() + ": " + tablet.location() + " took it over and does not serve it");
    }
  }

  private static String message(SteleException problem) {
    return String.valueOf(problem.getMessage());
  }

  private List<ServerStatus> servers(
      Picture picture, Map<LiveServer, Answer<ServerReport>> answers) {
    Map<LiveServer, List<TabletConfig>> owned = picture.byOwner();
    Set<String> draining = picture.draining();
    List<ServerStatus> servers = new ArrayList<>();
    answers.forEach(
        (server, answer) -> {
          boolean drains = draining.contains(server.address());
          LoadRates.Rate rate = rates.of(server);
          servers.add(
              switch (answer) {
                case Answer.Given<ServerReport>(ServerReport report) ->
                    new ServerStatus(
                        server.address(),
                        server.run(),
                        drains,
                        report.tablets().size(),
                        report.tablets().stream().mapToLong(TabletReport::fileBytes).sum(),
                        report.memoryBytes(),
                        rate.reads(),
                        rate.writes(),
                        "");
                case Answer.Failed<ServerReport>(SteleException problem) ->
                    new ServerStatus(
                        server.address(),
                        server.run(),
                        drains,
                        owned.getOrDefault(server, List.of()).size(),
                        0,
                        0,
                        0,
                        0,
                        message(problem));
              });
        });
    servers.sort(Comparator.comparing(ServerStatus::address));
    return servers;
  }
}
