package io.stele.datasets.serve;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * Takes over shards of a version that have had too few holders for a while: those that the nodes
 * which are there now would be dealt. Nodes that chose by different lists, or one that was lost
 * while it loaded, leave such shards behind, and nobody else would ever load them.
 */
final class Repair {
  private final NodeContext node;
  private final Duration patience;
  private final int enough;
  private final boolean loading; // its shards may still be on their way to nodes
  private final Map<Integer, Long> since = new TreeMap<>(); // nanos, by shard
  private String watched = ""; // the version they are of
  private long copies; // of all its shards, when it was last looked at

  private Repair(NodeContext node, Duration patience, int enough, boolean loading) {
    this.node = node;
    this.patience = patience;
    this.enough = enough;
    this.loading = loading;
  }

  /** Of a version that clients get: a node that is only restarted comes back with its shards. */
  static Repair ofServed(NodeContext node) {
    return new Repair(node, node.settings.repairAfter(), node.settings.replication(), false);
  }

  /** Of a version that clients do not get because of these shards. */
  static Repair ofNext(NodeContext node) {
    return new Repair(node, node.settings.timeToConverge(), node.settings.minReplication(), true);
  }

  void step(HeldVersion version) {
    ServedVersion served = version.served();
    Optional<Set<String>> nodes = node.nodes.get();
    if (!node.settings.repair() || served == null || nodes.isEmpty() || !version.assigned()) {
      return;
    }
    long now = node.clock.nanos();
    noteProgress(served);
    SortedSet<Integer> dealt =
        Assignment.of(served.shards(), node.settings.replication(), nodes.get(), node.address);
    SortedSet<Integer> mine = version.assignment();
    boolean more = false;
    for (int shard = 0; shard < served.shards(); shard++) {
      if (served.replicas(shard) >= Math.min(enough, nodes.get().size())) {
        since.remove(shard);
        continue;
      }
      long began = since.computeIfAbsent(shard, _ -> now);
      boolean due = now - began >= patience.toNanos();
      more |= due && dealt.contains(shard) && mine.add(shard);
    }
    if (more) {
      version.assign(mine);
      version.load();
    }
  }

  /** As long as shards become ready somewhere, the others of a new version are on their way. */
  private void noteProgress(ServedVersion served) {
    long copiesNow = served.copies();
    if (!watched.equals(served.version()) || (loading && copiesNow > copies)) {
      watched = served.version();
      since.clear();
    }
    copies = copiesNow;
  }
}
