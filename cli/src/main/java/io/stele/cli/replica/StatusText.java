package io.stele.cli.replica;

import io.stele.base.bytes.Bytes;
import io.stele.base.table.Replicas;
import io.stele.base.table.Replicas.Behind;
import io.stele.base.table.Replicas.Difference;
import io.stele.base.table.Replicas.PartitionStatus;
import io.stele.base.table.Replicas.ReplicaStatus;
import io.stele.base.table.Replicas.Server;
import io.stele.base.table.Replicas.Status;
import io.stele.cli.Count;
import io.stele.cli.TextTable;
import io.stele.cli.ValueText;
import io.stele.cli.table.CellText;
import io.stele.cli.table.TabletText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Replicas for people and for programs. */
final class StatusText {
  private static final String NOTHING = "-";
  private static final String SERVING = "serving";
  private static final double WHOLE = 100;
  private static final int SHOWN = 8;
  private static final int RACK_COLUMN = 4;

  private StatusText() {}

  /** Whether every replica that is to serve does; others may have yet to begin. */
  static boolean isWell(Status status) {
    return replicas(status)
        .allMatch(replica -> replica.problem().isEmpty() || !replica.role().equals(SERVING));
  }

  private static Stream<ReplicaStatus> replicas(Status status) {
    return status.partitions().stream().flatMap(partition -> partition.replicas().stream());
  }

  // ---- status

  static String text(Status status) {
    StringBuilder text = new StringBuilder();
    text.append(
        "table %s: %s, %s of each, %s\n\n"
            .formatted(
                status.table(),
                Count.of(status.partitions().size(), "partition"),
                Count.of(status.replicas(), "replica"),
                Count.of(
                    status.servers().stream().filter(server -> !server.address().isEmpty()).count(),
                    "server")));
    Map<String, String> racks = racks(status);
    TextTable table =
        new TextTable(
            columns(
                racks,
                "RACK",
                "PARTITION",
                "AFTER",
                "UP TO",
                "SERVER",
                "ROLE",
                "SEQUENCE",
                "SIZE",
                "BEHIND",
                "COPIED"));
    for (PartitionStatus partition : status.partitions()) {
      for (ReplicaStatus replica : partition.replicas()) {
        row(table, partition, replica, racks);
      }
    }
    text.append(table);
    for (PartitionStatus partition : status.partitions()) {
      partition
          .splitAt()
          .ifPresent(
              row ->
                  text.append(
                      "\npartition %s is being split at %s: %s copied\n"
                          .formatted(
                              shortened(partition.id()),
                              CellText.show(row),
                              percent(split(partition)))));
    }
    text.append(scrubbed(status));
    replicas(status)
        .filter(replica -> !replica.problem().isEmpty())
        .forEach(replica -> text.append("\n%s: %s\n".formatted(where(replica), replica.problem())));
    return text.toString();
  }

  /** Nothing of partitions that are new, or of servers that do not compare. */
  private static String scrubbed(Status status) {
    List<Instant> times =
        status.partitions().stream().flatMap(each -> each.scrubbed().stream()).toList();
    if (times.isEmpty()) {
      return "";
    }
    int partitions = status.partitions().size();
    String which =
        times.size() == partitions
            ? "all partitions were"
            : "%d of %d partitions were".formatted(times.size(), partitions);
    return "\n%s scrubbed since %s\n".formatted(which, Collections.min(times));
  }

  /** By server; empty if none is on a rack, as nobody wants to see that. */
  private static Map<String, String> racks(Status status) {
    Map<String, String> racks = new LinkedHashMap<>();
    for (Server server : status.servers()) {
      server.rack().ifPresent(rack -> racks.put(server.id(), rack));
    }
    return racks;
  }

  /** With the rack behind the server, if there are racks. */
  private static String[] columns(Map<String, String> racks, String rack, String... others) {
    List<String> columns = new ArrayList<>(List.of(others));
    if (!racks.isEmpty()) {
      columns.add(RACK_COLUMN, rack);
    }
    return columns.toArray(String[]::new);
  }

  private static void row(
      TextTable table,
      PartitionStatus partition,
      ReplicaStatus replica,
      Map<String, String> racks) {
    boolean answers = replica.problem().isEmpty();
    table.row(
        columns(
            racks,
            racks.getOrDefault(replica.server(), NOTHING),
            shortened(partition.id()),
            partition.first().isEmpty() ? NOTHING : CellText.show(partition.first()),
            partition.last().map(CellText::show).orElse(NOTHING),
            where(replica),
            answers || !replica.role().equals(SERVING) ? replica.role() : "no answer",
            answers ? Long.toString(replica.sequence()) : NOTHING,
            answers ? TabletText.size(replica.bytes()) : NOTHING,
            Long.toString(behind(partition, replica)),
            replica.role().equals(SERVING) ? NOTHING : percent(copied(partition, replica))));
  }

  /** Enough of an id to tell it from others. */
  private static String shortened(String id) {
    return id.length() <= SHOWN ? id : id.substring(0, SHOWN);
  }

  private static String where(ReplicaStatus replica) {
    return replica.address().isEmpty() ? replica.server() : replica.address();
  }

  /** How many changes have yet to come to a replica, from whoever has sent it the most. */
  private static long behind(PartitionStatus partition, ReplicaStatus replica) {
    return senders(partition, replica)
        .mapToLong(
            sender ->
                owed(sender, replica).map(owed -> owed.sequence() - owed.confirmed()).orElse(0L))
        .min()
        .orElse(0);
  }

  /** How much of a partition has come to a replica, from whoever has sent it the most. */
  private static double copied(PartitionStatus partition, ReplicaStatus replica) {
    return senders(partition, replica)
        .mapToDouble(sender -> owed(sender, replica).map(StatusText::percentOf).orElse(WHOLE))
        .max()
        .orElse(WHOLE);
  }

  private static double percentOf(Behind owed) {
    return owed.sequence() == 0 ? WHOLE : WHOLE * owed.confirmed() / owed.sequence();
  }

  /** Other replicas that serve, and tell how far they are. */
  private static Stream<ReplicaStatus> senders(PartitionStatus partition, ReplicaStatus to) {
    return partition.replicas().stream()
        .filter(sender -> sender.role().equals(SERVING) && sender.problem().isEmpty())
        .filter(sender -> !sender.assignment().equals(to.assignment()));
  }

  /** What a replica has yet to send to another; nothing if that has confirmed all. */
  private static Optional<Behind> owed(ReplicaStatus sender, ReplicaStatus to) {
    return sender.behind().stream()
        .filter(owed -> owed.assignment().equals(to.assignment()))
        .findFirst();
  }

  /** Of both halves together. */
  private static double split(PartitionStatus partition) {
    return partition.replicas().stream()
        .filter(replica -> replica.role().endsWith("half"))
        .mapToDouble(replica -> copied(partition, replica))
        .average()
        .orElse(0);
  }

  private static String percent(double value) {
    return (int) value + " %";
  }

  static Map<String, Object> json(Status status) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("table", status.table());
    object.put("replicas", status.replicas());
    object.put("partitions", status.partitions().stream().map(StatusText::json).toList());
    object.put("servers", status.servers().stream().map(StatusText::json).toList());
    return object;
  }

  private static Map<String, Object> json(PartitionStatus partition) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("id", partition.id());
    if (!partition.first().isEmpty()) {
      ValueText.putJson(object, "after", partition.first());
    }
    partition.last().ifPresent((Bytes last) -> ValueText.putJson(object, "upTo", last));
    partition
        .splitAt()
        .ifPresent(
            (Bytes row) -> {
              ValueText.putJson(object, "splitAt", row);
              object.put("splitPercent", split(partition));
            });
    partition.scrubbed().ifPresent(at -> object.put("scrubbed", at.toString()));
    object.put(
        "replicas",
        partition.replicas().stream().map(replica -> json(partition, replica)).toList());
    return object;
  }

  private static Map<String, Object> json(PartitionStatus partition, ReplicaStatus replica) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("server", replica.server());
    object.put("address", replica.address());
    object.put("assignment", replica.assignment());
    object.put("role", replica.role());
    object.put("sequence", replica.sequence());
    object.put("bytes", replica.bytes());
    object.put("behind", behind(partition, replica));
    object.put("copiedPercent", copied(partition, replica));
    object.put("owes", replica.behind().stream().map(StatusText::json).toList());
    object.put("problem", replica.problem());
    return object;
  }

  private static Map<String, Object> json(Behind behind) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("server", behind.server());
    object.put("assignment", behind.assignment());
    object.put("confirmed", behind.confirmed());
    object.put("sequence", behind.sequence());
    return object;
  }

  private static Map<String, Object> json(Server server) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("id", server.id());
    object.put("address", server.address());
    object.put("freeBytes", server.freeBytes());
    object.put("totalBytes", server.totalBytes());
    server.rack().ifPresent(rack -> object.put("rack", rack));
    return object;
  }

  // ---- METADATA

  static String text(Replicas.Metadata metadata) {
    StringBuilder text = new StringBuilder();
    text.append(
        "table %s, METADATA transaction %s, sequence %d, kept by %s\n\n"
            .formatted(
                metadata.table(),
                metadata.txn(),
                metadata.sequence(),
                String.join(", ", names(metadata.servers()))));
    metadata.text().forEach(line -> text.append(line).append('\n'));
    return text.toString();
  }

  private static List<String> names(List<Server> servers) {
    return servers.stream()
        .map(server -> server.address().isEmpty() ? server.id() + " (not live)" : server.address())
        .toList();
  }

  static Map<String, Object> json(Replicas.Metadata metadata) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("table", metadata.table());
    object.put("txn", metadata.txn());
    object.put("sequence", metadata.sequence());
    object.put("servers", metadata.servers().stream().map(StatusText::json).toList());
    object.put("text", metadata.text());
    return object;
  }

  // ---- differences

  static String text(Difference difference) {
    String partition = shortened(difference.partition());
    StringBuilder text = new StringBuilder();
    text.append(
        difference.row().isEmpty()
            ? "partition %s cannot be compared:\n".formatted(partition)
            : "row %s of partition %s:\n".formatted(CellText.show(difference.row()), partition));
    difference.found().forEach(line -> text.append("  ").append(line).append('\n'));
    return text.toString();
  }

  static Map<String, Object> json(Difference difference) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("partition", difference.partition());
    ValueText.putJson(object, "row", difference.row());
    object.put("found", difference.found());
    return object;
  }
}
