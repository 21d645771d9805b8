package io.stele.cli.doctor;

import io.stele.base.error.NotServingException;
import io.stele.client.metastore.MemberReport;
import io.stele.client.metastore.MemberReport.Reached;
import io.stele.client.metastore.MemberStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Whether the metastore has a leader, enough members, and all of them up to date. */
final class MetastoreCheck {
  private static final String AREA = "metastore";

  /** Log entries by which a member may lag; under load some always do. */
  private static final long SMALL_LAG = 10_000;

  private final List<MemberReport> reports;
  private final List<Reached> members;
  private final Optional<MemberStatus> leader;

  MetastoreCheck(List<MemberReport> reports) {
    this.reports = List.copyOf(reports);
    this.members =
        reports.stream()
            .filter(Reached.class::isInstance)
            .map(Reached.class::cast)
            .filter(report -> !report.status().group().isEmpty())
            .toList();
    this.leader =
        members.stream()
            .map(Reached::status)
            .filter(status -> status.role().equals("LEADER") && status.ready())
            .findFirst();
  }

  /** Whether it can be asked. */
  boolean answers() {
    return leader.isPresent();
  }

  /** The addresses of members that answered. */
  List<String> reached() {
    return members.stream().map(Reached::address).toList();
  }

  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    if (members.isEmpty()) {
      findings.add(nobody());
      return findings;
    }
    long groups = members.stream().map(member -> member.status().group()).distinct().count();
    if (groups > 1) {
      findings.add(
          Finding.problem(
              AREA,
              "the servers belong to " + groups + " different groups: " + addresses(members),
              "name only servers of one store in --endpoints; a server started without --wait forms"
                  + " a group of its own"));
    }
    findings.add(leader.map(this::led).orElseGet(this::leaderless));
    for (MemberReport report : reports) {
      if (report instanceof MemberReport.Failed(String address, var problem)) {
        if (isMember(address) || !(problem instanceof NotServingException)) {
          findings.add(silent(address, String.valueOf(problem.getMessage())));
        } // else it answers, and has no part in the metastore
      } else if (report instanceof Reached(String address, var status)
          && status.group().isEmpty()) {
        findings.add(
            Finding.warning(
                AREA,
                "%s belongs to no group".formatted(address),
                "it waits to be made a member: `stele metastore members add %s`"
                    .formatted(address)));
      }
    }
    leader.ifPresent(first -> members.forEach(member -> lag(first, member, findings)));
    return findings;
  }

  private Finding nobody() {
    String asked = reports.stream().map(MemberReport::address).collect(Collectors.joining(", "));
    boolean answered = reports.stream().anyMatch(Reached.class::isInstance);
    if (answered) {
      return Finding.problem(
          AREA,
          "none of " + asked + " holds a part of a metastore",
          "they wait to be made members: `stele metastore members bootstrap ADDRESS...`; or they"
              + " never hold one: name those that do in --endpoints");
    }
    String why =
        reports.stream()
            .filter(MemberReport.Failed.class::isInstance)
            .map(report -> ((MemberReport.Failed) report).problem().getMessage())
            .findFirst()
            .orElse("nobody was asked");
    return Finding.problem(
        AREA,
        "no server answers at " + asked + ": " + why,
        "start one (`stele up`, `stele server`, `stele cluster up`), or name the right ones by"
            + " --endpoints or STELE_ENDPOINTS. If they run: their logs, and the network between");
  }

  private Finding led(MemberStatus first) {
    return Finding.ok(
        AREA,
        "%d of %d members answer, %s leads at revision %d"
            .formatted(
                members.size(),
                Math.max(members.size(), first.members().size()),
                first.self().serviceAddress(),
                first.revision()));
  }

  private Finding leaderless() {
    int all = members.stream().mapToInt(member -> member.status().members().size()).max().orElse(0);
    int needed = all / 2 + 1;
    String found = "no member leads: %d of %d answer".formatted(members.size(), all);
    return members.size() < needed
        ? Finding.problem(
            AREA,
            found + ", and it takes " + needed,
            "start the others again. If they are lost for good: restore a backup"
                + " (`stele metastore restore`) to a new group")
        : Finding.problem(
            AREA,
            found + ", which is enough",
            "an election takes about a second: look again; if it stays so, members cannot reach"
                + " each other at their raft addresses");
  }

  private Finding silent(String address, String why) {
    return isMember(address)
        ? Finding.problem(
            AREA,
            "member %s does not answer: %s".formatted(address, why),
            "start it again; if it is lost for good, `stele metastore members replace ID"
                + " HOST:PORT` puts another in its place. Until then the group"
                + " survives one failure fewer")
        : Finding.warning(
            "servers",
            "%s does not answer: %s".formatted(address, why),
            "it was named in --endpoints and is no member: start it, or leave it out");
  }

  private boolean isMember(String address) {
    return members.stream()
        .flatMap(member -> member.status().members().stream())
        .anyMatch(member -> member.serviceAddress().equals(address));
  }

  private static void lag(MemberStatus first, Reached member, List<Finding> findings) {
    long behind = first.applied() - member.status().applied();
    if (behind > SMALL_LAG) {
      findings.add(
          Finding.warning(
              AREA,
              "member %s is %d log entries behind the leader".formatted(member.address(), behind),
              "after a restart it catches up: look again. If the gap grows, its disk or network is"
                  + " too slow"));
    }
  }

  private static String addresses(List<Reached> members) {
    return members.stream().map(Reached::address).collect(Collectors.joining(", "));
  }
}
