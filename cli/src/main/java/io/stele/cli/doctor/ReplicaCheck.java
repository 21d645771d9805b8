package io.stele.cli.doctor;

import io.stele.base.error.SteleException;
import io.stele.base.table.Replicas;
import io.stele.base.table.Replicas.PartitionStatus;
import io.stele.base.table.Replicas.ReplicaStatus;
import io.stele.cli.Count;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Whether the servers of replicated tables are there, and every partition has its replicas. */
final class ReplicaCheck {
  private static final String REPLICAS = "replicas";
  private static final String SERVING = "serving";

  private final Patient patient;
  private final List<Finding> findings = new ArrayList<>();
  private final Set<String> addresses = new LinkedHashSet<>();

  ReplicaCheck(Patient patient) {
    this.patient = patient;
  }

  /** Of the servers that have a session; known once it has looked. */
  Set<String> addresses() {
    return addresses;
  }

  List<Finding> findings() {
    try {
      Map<String, String> servers = patient.replicaServers();
      List<String> tables = patient.replicatedTables();
      addresses.addAll(servers.values());
      if (servers.isEmpty() && tables.isEmpty()) {
        return List.of(); // nobody has any
      }
      if (servers.isEmpty()) {
        findings.add(
            Finding.problem(
                REPLICAS,
                "there are %d replicated tables, and no server of them has a session"
                    .formatted(tables.size()),
                "start servers with the role replicas on the data directories that they had"));
        return findings;
      }
      findings.add(
          Finding.ok(
              REPLICAS,
              "servers of replicated tables with a session: %d: %s"
                  .formatted(servers.size(), String.join(", ", servers.values()))));
      tables.forEach(table -> ask(() -> patient.replicas(table)));
    } catch (SteleException e) {
      findings.add(unasked(e));
    }
    return findings;
  }

  private void ask(Supplier<Replicas.Status> question) {
    try {
      look(question.get());
    } catch (SteleException e) {
      findings.add(unasked(e));
    }
  }

  private static Finding unasked(SteleException problem) {
    return Finding.problem(
        REPLICAS,
        "cannot be asked: " + problem.getMessage(),
        "see to what is said above first, if anything; else look at the servers' logs");
  }

  private void look(Replicas.Status status) {
    int before = findings.size();
    for (PartitionStatus partition : status.partitions()) {
      look(status, partition);
    }
    if (findings.size() == before) {
      findings.add(
          Finding.ok(
              REPLICAS,
              "table %s: all replicas answer: %s in %s"
                  .formatted(
                      status.table(),
                      Count.of(
                          status.partitions().stream()
                              .mapToInt(each -> each.replicas().size())
                              .sum(),
                          "replica"),
                      Count.of(status.partitions().size(), "partition"))));
    }
  }

  private void look(Replicas.Status status, PartitionStatus partition) {
    long members = partition.replicas().stream().filter(ReplicaCheck::isMember).count();
    List<ReplicaStatus> silent =
        partition.replicas().stream().filter(replica -> !replica.problem().isEmpty()).toList();
    long left = members - silent.stream().filter(ReplicaCheck::isMember).count();
    for (ReplicaStatus replica : silent) {
      String where = replica.address().isEmpty() ? replica.server() : replica.address();
      String found =
          "table %s, partition %s: its replica at %s does not answer: %s"
              .formatted(status.table(), partition.id(), where, replica.problem());
      findings.add(
          left > members / 2
              ? Finding.warning(
                  REPLICAS,
                  found,
                  "start that server again; one that stays dead is replaced after"
                      + " replicas.dead-after")
              : Finding.problem(
                  REPLICAS,
                  found,
                  "%d of %d replicas are left, which is no majority: start that server again"
                      .formatted(left, members)));
    }
    if (silent.isEmpty() && members < status.replicas()) {
      findings.add(
          Finding.warning(
              REPLICAS,
              "table %s, partition %s has %d of %d replicas"
                  .formatted(status.table(), partition.id(), members, status.replicas()),
              "others get it when enough servers with the role replicas run"));
    }
  }

  private static boolean isMember(ReplicaStatus replica) {
    return replica.role().equals(SERVING);
  }
}
