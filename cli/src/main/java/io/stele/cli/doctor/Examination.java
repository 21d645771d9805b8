package io.stele.cli.doctor;

import io.stele.base.error.SteleException;
import io.stele.base.node.NodeReport;
import io.stele.base.table.Cluster;
import io.stele.base.table.Cluster.ServerStatus;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.StoredFiles.Garbage;
import io.stele.cli.Count;
import io.stele.cli.table.TabletText;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Looks at a store from the bottom up: the metastore, who takes part, the master, META, tablets and
 * files, replicas, then each machine. What lies below something broken is still looked at; what
 * lies above it is not, since all it could say is that it cannot be asked.
 */
final class Examination {
  private static final String SERVERS = "servers";
  private static final String MASTER = "master";
  private static final String META = "META";
  private static final String TABLETS = "tablets";
  private static final String FILES = "files";
  private static final int FEW = 5;

  private final Patient patient;
  private final List<Finding> findings = new ArrayList<>();
  private final Set<String> addresses = new LinkedHashSet<>();

  Examination(Patient patient) {
    this.patient = patient;
  }

  List<Finding> run() {
    MetastoreCheck metastore = new MetastoreCheck(patient.members());
    findings.addAll(metastore.findings());
    addresses.addAll(metastore.reached());
    if (metastore.answers()) {
      boolean cluster = servers();
      if (cluster) {
        master();
      }
      boolean tables = meta();
      if (!cluster && tables) {
        ask(FILES, patient::garbage).ifPresent(this::files);
      }
      ReplicaCheck replicas = new ReplicaCheck(patient);
      findings.addAll(replicas.findings());
      addresses.addAll(replicas.addresses());
    }
    findings.addAll(new MachineCheck(patient, List.copyOf(addresses)).findings());
    return List.copyOf(findings);
  }

  /** Whether there is a cluster, healthy or not. */
  private boolean servers() {
    Optional<Map<String, String>> asked = ask(SERVERS, patient::servers);
    if (asked.isEmpty()) {
      return false;
    }
    Map<String, String> servers = asked.get();
    outside(servers);
    if (servers.isEmpty()) {
      if (ask(MASTER, patient::master).flatMap(found -> found).isEmpty()) {
        findings.add(
            Finding.ok(SERVERS, "no cluster: the tables, if any, are those of one server alone"));
        return false;
      }
      findings.add(
          Finding.problem(
              SERVERS,
              "there is a master, and no tablet server has a session",
              "start servers with the role tables, tables.shared=true and the cluster's"
                  + " tables.files; if they run, their logs say why they do not take part"));
      return true;
    }
    addresses.addAll(servers.values());
    findings.add(
        Finding.ok(
            SERVERS,
            "%d tablet servers have a session: %s"
                .formatted(servers.size(), String.join(", ", servers.values()))));
    Set<String> once = new LinkedHashSet<>();
    for (String address : servers.values()) {
      if (!once.add(address)) {
        findings.add(
            Finding.warning(
                SERVERS,
                "two sessions name the address " + address,
                "a server that was started again right after it was killed: the old session ends"
                    + " by itself in a few seconds. If it does not, two servers have one address:"
                    + " set server.advertise"));
      }
    }
    return true;
  }

  /**
   * A server that gave up its session, because its log or its disk has failed, is not in the list:
   * if it still answers, it says what is wrong. One that does not answer may have left for good.
   */
  private void outside(Map<String, String> servers) {
    for (String address : ask(SERVERS, patient::knownServers).orElse(List.of())) {
      if (servers.containsValue(address)) {
        continue;
      }
      try {
        NodeReport report = patient.node(address);
        if (report.address().equals(address) && !report.problems().isEmpty()) {
          addresses.add(address);
        }
      } catch (SteleException e) {
        // Tablets that miss it are found below.
      }
    }
  }

  private void master() {
    Optional<Optional<String>> asked = ask(MASTER, patient::master);
    if (asked.isEmpty()) {
      return;
    }
    if (asked.get().isEmpty()) {
      findings.add(
          Finding.problem(
              MASTER,
              "there is none: tablets of servers that fail are not taken over",
              "start a server with the role master. After a master has failed, another takes over"
                  + " within about tables.session: look again in a few seconds"));
      return;
    }
    addresses.add(asked.get().get());
    ask(MASTER, patient::status).ifPresent(this::status);
    ask(FILES, patient::garbage).ifPresent(this::files);
  }

  private void status(Cluster.Status status) {
    findings.add(
        Finding.ok(MASTER, "%s, with token %d".formatted(status.master(), status.token())));
    for (ServerStatus server : status.servers()) {
      if (!server.problem().isEmpty()) {
        findings.add(
            Finding.problem(
                SERVERS,
                "%s has a session and does not answer the master: %s"
                    .formatted(server.address(), server.problem()),
                "look at its log and its machine; if it hangs, kill it: others then take its"
                    + " tablets"));
      } else if (server.draining()) {
        findings.add(
            Finding.warning(
                SERVERS,
                "%s is being drained, and has %s"
                    .formatted(server.address(), Count.of(server.tablets(), "tablet")),
                "`stele cluster drain %s --undo` gives it tablets again"
                    .formatted(server.address())));
      }
    }
    if (status.unserved().isEmpty()) {
      findings.add(Finding.ok(TABLETS, "all %d are served".formatted(status.tablets())));
    } else {
      findings.add(
          Finding.problem(
              TABLETS,
              "%d of %d are not served: %s"
                  .formatted(status.unserved().size(), status.tablets(), few(status.unserved())),
              "after a failure this passes in seconds; if it stays, the master's log says what each"
                  + " load failed with"));
    }
  }

  private void files(Garbage garbage) {
    if (!garbage.blocked().isEmpty()) {
      findings.add(
          Finding.warning(
              FILES,
              "none is moved to the trash at the moment: " + garbage.blocked(),
              "nothing is lost, but the disk fills: see to what is named; a server that does not"
                  + " answer may have to be ended"));
      return;
    }
    findings.add(
        Finding.ok(
            FILES,
            garbage.files().isEmpty()
                ? "every one is named by META or in use"
                : "%d of %s are needed by nothing, and go to the trash in time; `stele cluster gc` does it now"
                    .formatted(garbage.files().size(), TabletText.size(garbage.bytes()))));
  }

  /** Whether it could be asked. */
  private boolean meta() {
    Optional<List<MetaProblem>> problems = ask(META, patient::verifyMeta);
    if (problems.isPresent()) {
      if (problems.get().isEmpty()) {
        findings.add(Finding.ok(META, "no gaps, no overlaps, no missing files"));
      }
      problems.get().forEach(problem -> findings.add(finding(problem)));
    }
    return problems.isPresent();
  }

  private static Finding finding(MetaProblem problem) {
    String kind = problem.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    String found = "table %s: %s: %s".formatted(problem.table(), kind, problem.explanation());
    if (problem.kind() == MetaProblem.Kind.FILE_MISSING) {
      return Finding.problem(
          FILES,
          found,
          "bring the file back, from a backup or a lost disk: what it holds cannot be read without"
              + " it");
    }
    return problem.repair().isEmpty()
        ? Finding.problem(
            META, found, "`stele meta ls " + problem.table() + "` shows what there is: you decide")
        : Finding.problem(
            META,
            found,
            "`stele meta repair %s` does this: %s".formatted(problem.table(), problem.repair()));
  }

  private <T> Optional<T> ask(String area, Supplier<T> question) {
    try {
      return Optional.of(question.get());
    } catch (SteleException e) {
      findings.add(
          Finding.problem(
              area,
              "cannot be asked: " + e.getMessage(),
              "see to what is said above first, if anything; else look at the servers' logs"));
      return Optional.empty();
    }
  }

  private static String few(List<String> names) {
    return names.size() <= FEW
        ? String.join("; ", names)
        : String.join("; ", names.subList(0, FEW)) + "; and " + (names.size() - FEW) + " more";
  }
}
