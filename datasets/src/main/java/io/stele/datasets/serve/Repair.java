package io.stele.datasets.serve;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * Takes over shards that have had too few holders for a while, if that is wanted: those that the
 * nodes which are there now would be dealt. Off by default, because a node that is only restarted
 * comes back with its shards.
 */
final class Repair {
  private final NodeContext node;
  private final Map<Integer, Long> since = new TreeMap<>(); // nanos, by shard
  private String watched = ""; // the version they are of

  Repair(NodeContext node) {
    this.node = node;
  }

  void step(HeldVersion version) {
    ServedVersion served = version.served();
    Optional<Set<String>> nodes = node.nodes.get();
    if (!node.settings.repair() || served == null || nodes.isEmpty() || !version.assigned()) {
      return;
    }
    if (!watched.equals(version.version())) {
      watched = version.version();
      since.clear();
    }
    int enough = Math.min(node.settings.replication(), nodes.get().size());
    long now = node.clock.nanos();
    SortedSet<Integer> dealt =
        Assignment.of(served.shards(), node.settings.replication(), nodes.get(), node.address);
    SortedSet<Integer> mine = version.assignment();
    boolean more = false;
    for (int shard = 0; shard < served.shards(); shard++) {
      if (served.replicas(shard) >= enough) {
        since.remove(shard);
        continue;
      }
      long began = since.computeIfAbsent(shard, _ -> now);
      boolean due = now - began >= node.settings.repairAfter().toNanos();
      more |= due && dealt.contains(shard) && mine.add(shard);
    }
    if (more) {
      version.assign(mine);
      version.load();
    }
  }
}
