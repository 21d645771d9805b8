package io.stele.replicas.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.table.Replicas;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Coordination.LiveServer;
import io.stele.replicas.metadata.MetadataCache;
import io.stele.replicas.metadata.Partition;
import io.stele.replicas.push.Duty;
import io.stele.replicas.push.Push;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** How tables are, for people. */
final class Inspection {
  private final Machinery machinery;
  private final Gathering gathering;

  Inspection(Machinery machinery) {
    this.machinery = machinery;
    this.gathering = new Gathering(machinery);
  }

  Replicas.Status status(String table) {
    MetadataCache.Known known = machinery.table(table);
    List<Replicas.PartitionStatus> partitions = new ArrayList<>();
    for (Partition partition : known.metadata().partitions()) {
      partitions.add(status(known, partition));
    }
    Set<String> ids = new TreeSet<>(known.metadata().servers());
    machinery.cache().servers().forEach(each -> ids.add(each.id()));
    int replicas = known.config().schema().replication().map(each -> each.replicas()).orElse(0);
    return new Replicas.Status(
        table, replicas, partitions, ids.stream().map(this::server).toList());
  }

  private Replicas.Server server(String id) {
    Optional<LiveServer> live = machinery.cache().server(id);
    return new Replicas.Server(
        id,
        live.map(LiveServer::address).orElse(""),
        live.map(LiveServer::freeBytes).orElse(0L),
        live.map(LiveServer::totalBytes).orElse(0L),
        live.flatMap(LiveServer::rack));
  }

  private Replicas.PartitionStatus status(MetadataCache.Known known, Partition partition) {
    Map<String, String> serverOf = new HashMap<>();
    partition.assignments().forEach(each -> serverOf.put(each.id(), each.server()));
    List<Replicas.ReplicaStatus> replicas = new ArrayList<>();
    String id = partition.id();
    List<Gathering.Answer<List<Push.Progress>>> members = ask(known, id, partition.members());
    replicas.addAll(status(members, Duty.Role.SERVING, serverOf));
    List<Assignment> joining =
        partition.joining().stream().map(Partition.Joining::assignment).toList();
    replicas.addAll(status(ask(known, id, joining), Duty.Role.JOINING, serverOf));
    partition
        .split()
        .ifPresent(
            split -> {
              Partition.Half lower = split.lower();
              Partition.Half upper = split.upper();
              replicas.addAll(
                  status(ask(known, lower.id(), lower.members()), Duty.Role.LOWER_HALF, serverOf));
              replicas.addAll(
                  status(ask(known, upper.id(), upper.members()), Duty.Role.UPPER_HALF, serverOf));
            });
    return new Replicas.PartitionStatus(
        id,
        partition.first(),
        partition.last(),
        partition.split().map(Partition.Split::at),
        replicas,
        scrubbed(members));
  }

  /** When a member last compared them. */
  private static Optional<Instant> scrubbed(List<Gathering.Answer<List<Push.Progress>>> members) {
    return members.stream()
        .flatMap(each -> each.value().stream())
        .flatMap(List::stream)
        .map(Push.Progress::scrubbed)
        .filter(micros -> micros > 0)
        .max(Long::compare)
        .map(micros -> Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
  }

  private List<Gathering.Answer<List<Push.Progress>>> ask(
      MetadataCache.Known known, String partition, List<Assignment> assignments) {
    return gathering.ask(assignments, peer -> peer.progress(known.config().id(), partition));
  }

  private List<Replicas.ReplicaStatus> status(
      List<Gathering.Answer<List<Push.Progress>>> answers,
      Duty.Role role,
      Map<String, String> serverOf) {
    List<Replicas.ReplicaStatus> found = new ArrayList<>();
    for (Gathering.Answer<List<Push.Progress>> answer : answers) {
      found.add(status(answer, role, serverOf));
      answer
          .value()
          .ifPresent(
              all ->
                  all.stream()
                      .filter(each -> !each.assignment().equals(answer.from()))
                      .forEach(
                          each -> found.add(status(each, Duty.Role.LEAVING.text(), serverOf))));
    }
    return found;
  }

  private Replicas.ReplicaStatus status(
      Gathering.Answer<List<Push.Progress>> answer, Duty.Role role, Map<String, String> serverOf) {
    Optional<Push.Progress> own =
        answer
            .value()
            .flatMap(
                all ->
                    all.stream()
                        .filter(each -> each.assignment().equals(answer.from()))
                        .findFirst());
    if (own.isPresent()) {
      return status(own.get(), role.text(), serverOf);
    }
    String problem = answer.problem().isEmpty() ? "has not begun to have it" : answer.problem();
    return new Replicas.ReplicaStatus(
        answer.from().server(),
        machinery.address(answer.from().server()).orElse(""),
        answer.from().id(),
        role.text(),
        0,
        0,
        List.of(),
        problem);
  }

  private Replicas.ReplicaStatus status(
      Push.Progress progress, String role, Map<String, String> serverOf) {
    List<Replicas.Behind> behind =
        progress.confirmed().stream()
            .map(
                each ->
                    new Replicas.Behind(
                        serverOf.getOrDefault(each.assignment(), ""),
                        each.assignment(),
                        each.sequence(),
                        progress.sequence()))
            .toList();
    String server = progress.assignment().server();
    return new Replicas.ReplicaStatus(
        server,
        machinery.address(server).orElse(""),
        progress.assignment().id(),
        progress.filling() ? "filling" : role,
        progress.sequence(),
        progress.bytes(),
        behind,
        "");
  }

  Replicas.Metadata metadata(String table) {
    MetadataCache.Known known = machinery.table(table);
    known = machinery.cache().refresh(known.config().id()).orElse(known);
    List<String> text = new ArrayList<>();
    for (Partition partition : known.metadata().partitions()) {
      text.add(
          "partition %s: rows behind \"%s\" to %s"
              .formatted(partition.id(), partition.first(), to(partition.last())));
      partition.members().forEach(each -> text.add("  member " + each));
      partition
          .joining()
          .forEach(
              each ->
                  text.add(
                      "  joining "
                          + each.assignment()
                          + each.replaces().map(id -> ", in the place of " + id).orElse("")));
      partition
          .split()
          .ifPresent(
              split -> {
                text.add("  being split at \"" + split.at() + "\"");
                text.add("    lower " + split.lower().id() + ": " + split.lower().members());
                text.add("    upper " + split.upper().id() + ": " + split.upper().members());
              });
    }
    return new Replicas.Metadata(
        table,
        known.metadata().txn(),
        known.metadata().sequence(),
        known.config().metadataServers().stream().map(this::server).toList(),
        text);
  }

  private static String to(Optional<Bytes> last) {
    return last.map(each -> "\"" + each + "\"").orElse("the end");
  }
}
