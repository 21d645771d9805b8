package io.stele.replicas.placement;

import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Coordination.LiveServer;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.Partition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which replica to move next to balance servers, decided by what is known alone.
 *
 * <p>A replica weighs its bytes and, so that counts matter as much as bytes do, the mean of all
 * partitions in addition; small ones are balanced by count alone. The plan lessens the sum of the
 * squares of what servers have, of all tables together and of each table alone:
 *
 * <pre>
 *   gain(replica, from, to) =   all(from) - all(to) - weight
 *                             + ofTable(from) - ofTable(to) - weight
 * </pre>
 *
 * A move must gain at least half the weight of what it copies. Racks come first: a move to a rack
 * with fewer of the partition's other replicas is made whatever it gains, and one to a rack with
 * more is not. As each move lessens the same sums, moves come to an end, and none is undone by a
 * later one while sizes stay as they are. Replicas that are being moved or replaced count where
 * they will be.
 *
 * <p>Only partitions that are at rest are touched: all members live, none joins, no split.
 */
final class BalancePlan {
  /** A replica that another server should have. */
  record Move(String table, String partition, Assignment from, LiveServer to) {
    /** Whether the partition is still as it was when this was decided. */
    boolean fits(Partition now) {
      return now.split().isEmpty()
          && now.joining().isEmpty()
          && now.members().contains(from)
          && now.members().stream().noneMatch(each -> each.server().equals(to.id()));
    }
  }

  /** What a move is good for: first by racks, then by what servers have. */
  private record Scored(Move move, int racks, double gain) {
    boolean isBetterThan(Scored other) {
      return racks != other.racks ? racks > other.racks : gain > other.gain;
    }
  }

  private static final double LEAST_MEAN = 8 << 20;

  private final Collection<LiveServer> live;
  private final Map<String, String> places = new HashMap<>(); // racks, by server
  private final Collection<Metadata> tables;
  private final Map<String, Long> bytes;
  private final double mean;
  private final Map<String, Double> all = new HashMap<>(); // by server
  private final Map<String, Map<String, Double>> ofTable = new HashMap<>(); // by table, server

  /**
   * A plan for one moment.
   *
   * @param bytes of partitions, by their ids; those that are not known count as the mean
   */
  BalancePlan(Collection<LiveServer> live, Collection<Metadata> tables, Map<String, Long> bytes) {
    this.live = live;
    this.tables = tables;
    this.bytes = bytes;
    this.mean =
        Math.max(LEAST_MEAN, bytes.values().stream().mapToLong(each -> each).average().orElse(0));
    live.forEach(each -> places.put(each.id(), each.place()));
    for (Metadata table : tables) {
      Map<String, Double> own = new HashMap<>();
      for (Partition partition : table.partitions()) {
        for (String server : servers(partition)) {
          all.merge(server, weight(partition), Double::sum);
          own.merge(server, weight(partition), Double::sum);
        }
      }
      ofTable.put(table.table(), own);
    }
  }

  /** The servers that a partition will have when all that join it have joined. */
  private static List<String> servers(Partition partition) {
    Set<String> replaced = new HashSet<>();
    List<String> servers = new ArrayList<>();
    for (Partition.Joining joining : partition.joining()) {
      joining.replaces().ifPresent(replaced::add);
      servers.add(joining.assignment().server());
    }
    partition.members().stream()
        .filter(each -> !replaced.contains(each.id()))
        .forEach(each -> servers.add(each.server()));
    return servers;
  }

  private double weight(Partition partition) {
    Long known = bytes.get(partition.id());
    return mean + (known == null ? mean : known);
  }

  /** Partitions of a table that may be moved. */
  List<Partition> atRest(Metadata table) {
    return table.partitions().stream()
        .filter(each -> each.split().isEmpty() && each.joining().isEmpty())
        .filter(each -> each.members().stream().allMatch(this::isLive))
        .toList();
  }

  private boolean isLive(Assignment assignment) {
    return places.containsKey(assignment.server());
  }

  /** How many replicas are on their way from a live server to another. */
  int underWay() {
    int moves = 0;
    for (Metadata table : tables) {
      for (Partition partition : table.partitions()) {
        for (Partition.Joining joining : partition.joining()) {
          moves +=
              partition.members().stream()
                      .filter(each -> joining.replaces().equals(Optional.of(each.id())))
                      .anyMatch(this::isLive)
                  ? 1
                  : 0;
        }
      }
    }
    return moves;
  }

  /** The move that gains most; none if none gains enough. */
  Optional<Move> next() {
    Optional<Scored> best = Optional.empty();
    for (Metadata table : tables) {
      for (Partition partition : atRest(table)) {
        for (Assignment from : partition.members()) {
          for (LiveServer to : live) {
            Move move = new Move(table.table(), partition.id(), from, to);
            if (move.fits(partition) && !Placement.isNearlyFull(to)) {
              Scored scored = new Scored(move, gainOfRacks(move, partition), gain(move, partition));
              boolean worthIt =
                  scored.racks > 0 || (scored.racks == 0 && scored.gain >= weight(partition) / 2);
              if (worthIt && best.map(scored::isBetterThan).orElse(true)) {
                best = Optional.of(scored);
              }
            }
          }
        }
      }
    }
    return best.map(Scored::move);
  }

  /** By how many fewer of the partition's other replicas are on the rack. */
  private int gainOfRacks(Move move, Partition partition) {
    return others(partition, move.from, places.getOrDefault(move.from.server(), ""))
        - others(partition, move.from, move.to.place());
  }

  private int others(Partition partition, Assignment except, String place) {
    int others = 0;
    for (Assignment member : partition.members()) {
      others += !member.equals(except) && place.equals(places.get(member.server())) ? 1 : 0;
    }
    return others;
  }

  private double gain(Move move, Partition partition) {
    Map<String, Double> own = ofTable.getOrDefault(move.table, Map.of());
    return difference(all, move) + difference(own, move) - 2 * weight(partition);
  }

  private static double difference(Map<String, Double> loads, Move move) {
    return loads.getOrDefault(move.from.server(), 0.0) - loads.getOrDefault(move.to.id(), 0.0);
  }
}
