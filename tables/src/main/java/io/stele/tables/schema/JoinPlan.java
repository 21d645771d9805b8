package io.stele.tables.schema;

import io.stele.base.file.FilePath;
import io.stele.base.predicate.RowRange;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.TabletConfig;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * The chains of two neighbours that become one tablet, if they can.
 *
 * <p>In the joined tablet a fragment counts for the rows of both. One that only one of them has
 * must therefore have no rows of the other: after a split both shared its files, and a compaction
 * of one half may have dropped there what the other half's copy of the file would bring back. Such
 * tablets can be joined when the file has been compacted away in both. Nothing is lost by waiting:
 * a join is never urgent.
 */
public final class JoinPlan {
  private JoinPlan() {}

  /**
   * Joins the chains of two tablets of the same schema.
   *
   * @param rowsOf the rows of which a file may have cells, erasures included
   * @return nothing if the two cannot be joined as they are
   */
  public static Optional<SortedMap<String, List<FragmentRef>>> join(
      TabletConfig lower, TabletConfig upper, Function<FilePath, RowRange> rowsOf) {
    if (!isApart(lower, upper, rowsOf) || !isApart(upper, lower, rowsOf)) {
      return Optional.empty();
    }
    List<List<FilePath>> chains = new ArrayList<>();
    for (TabletConfig each : List.of(lower, upper)) {
      for (List<FragmentRef> chain : each.fragments().values()) {
        chains.add(chain.stream().map(FragmentRef::path).toList());
      }
    }
    FragmentOrder order = FragmentOrder.merge(chains, Comparator.naturalOrder());
    return order.cyclic().isEmpty()
        ? Optional.of(united(lower.fragments(), upper.fragments(), order.files()))
        : Optional.empty();
  }

  /** Has each file of one the same place in the other, or no rows there? */
  private static boolean isApart(
      TabletConfig one, TabletConfig other, Function<FilePath, RowRange> rowsOf) {
    for (Map.Entry<String, List<FragmentRef>> chain : one.fragments().entrySet()) {
      List<FragmentRef> there = other.fragments().getOrDefault(chain.getKey(), List.of());
      for (FragmentRef fragment : chain.getValue()) {
        if (!there.contains(fragment)
            && (names(there, fragment.path())
                || rowsOf.apply(fragment.path()).intersect(other.range()).isPresent())) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean names(Collection<FragmentRef> chain, FilePath path) {
    return chain.stream().anyMatch(fragment -> fragment.path().equals(path));
  }

  private static SortedMap<String, List<FragmentRef>> united(
      SortedMap<String, List<FragmentRef>> lower,
      SortedMap<String, List<FragmentRef>> upper,
      List<FilePath> order) {
    SortedSet<String> groups = new TreeSet<>(lower.keySet());
    groups.addAll(upper.keySet());
    SortedMap<String, List<FragmentRef>> united = new TreeMap<>();
    for (String group : groups) {
      Set<FragmentRef> both = new HashSet<>(lower.getOrDefault(group, List.of()));
      both.addAll(upper.getOrDefault(group, List.of()));
      List<FragmentRef> chain = new ArrayList<>(both);
      chain.sort(Comparator.comparingInt(fragment -> order.indexOf(fragment.path())));
      united.put(group, chain);
    }
    return united;
  }
}
