package io.stele.datasets.serve;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Which shards of a version a node loads, computed by each node for itself from the nodes it knows.
 *
 * <p>All shards in order, each as often as it is to be replicated, are dealt out to the nodes in
 * the order of their names: the one at index {@code i} goes to node {@code i mod nodes}. Whoever
 * goes wrong about the nodes loads too much or too little and nothing else: which node has which
 * shard is said by the map.
 */
final class Assignment {
  private Assignment() {}

  static SortedSet<Integer> of(int shards, int replication, Collection<String> nodes, String self) {
    List<String> sorted = new ArrayList<>(new TreeSet<>(nodes));
    int position = sorted.indexOf(self);
    SortedSet<Integer> assigned = new TreeSet<>();
    if (position < 0) {
      return assigned;
    }
    for (long index = position; index < (long) shards * replication; index += sorted.size()) {
      assigned.add((int) (index / replication));
    }
    return assigned;
  }
}
