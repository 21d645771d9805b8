package io.stele.tables.schema;

import io.stele.base.file.FilePath;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;

/**
 * One order of the fragments of several chains in which each of the chains is ascending.
 *
 * @param files in this order, as far as there is one
 * @param cyclic those that the chains put before each other, or behind such; none if all is well
 */
record FragmentOrder(List<FilePath> files, Set<FilePath> cyclic) {

  /**
   * Merges chains.
   *
   * @param preference where no chain decides, the lower goes first
   */
  static FragmentOrder merge(Collection<List<FilePath>> chains, Comparator<FilePath> preference) {
    Map<FilePath, Integer> waitingFor = new HashMap<>();
    Map<FilePath, List<FilePath>> behind = new HashMap<>();
    for (List<FilePath> chain : chains) {
      for (int at = 0; at < chain.size(); at++) {
        waitingFor.merge(chain.get(at), at == 0 ? 0 : 1, Integer::sum);
        if (at > 0) {
          behind.computeIfAbsent(chain.get(at - 1), any -> new ArrayList<>()).add(chain.get(at));
        }
      }
    }
    PriorityQueue<FilePath> ready =
        new PriorityQueue<>(preference.thenComparing(Comparator.naturalOrder()));
    waitingFor.forEach(
        (path, count) -> {
          if (count == 0) {
            ready.add(path);
          }
        });
    List<FilePath> order = new ArrayList<>();
    while (!ready.isEmpty()) {
      FilePath path = ready.remove();
      order.add(path);
      for (FilePath next : behind.getOrDefault(path, List.of())) {
        if (waitingFor.merge(next, -1, Integer::sum) == 0) {
          ready.add(next);
        }
      }
    }
    Set<FilePath> cyclic = new TreeSet<>(waitingFor.keySet());
    cyclic.removeAll(new HashSet<>(order));
    return new FragmentOrder(order, cyclic);
  }
}
