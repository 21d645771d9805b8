package io.stele.engine.cache;

import io.stele.base.bytes.Bytes;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which families are to be served from memory, group by group, and what follows for a fragment that
 * holds some of them: after a schema change its families may belong to several groups.
 */
public record InMemoryGroups(List<Set<Bytes>> groups) {
  public static final InMemoryGroups NONE = new InMemoryGroups(List.of());

  public InMemoryGroups {
    groups = groups.stream().map(Set::copyOf).toList();
  }

  /** How the blocks of a fragment with these families are to be kept. */
  public CachePriority priorityOf(Set<Bytes> families) {
    Set<Bytes> rest = new HashSet<>(families);
    for (Set<Bytes> group : groups) {
      if (!families.isEmpty() && group.containsAll(families)) {
        return CachePriority.ONE_GROUP;
      }
      rest.removeAll(group);
    }
    if (rest.size() == families.size()) {
      return CachePriority.ON_DEMAND;
    }
    return rest.isEmpty() ? CachePriority.SEVERAL_GROUPS : CachePriority.SOME_FAMILIES;
  }
}
