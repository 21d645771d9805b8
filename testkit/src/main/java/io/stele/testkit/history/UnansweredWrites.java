package io.stele.testkit.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The transactions of unknown outcome that may have made changes, each at most once. Which of them
 * made a revision is seen by its changes; among several that ask for the same, one whose reads fit
 * is taken first. It makes no difference otherwise: one that may take effect now may do so for
 * ever.
 */
final class UnansweredWrites {
  private final RealTimeFloor floor;
  private final Map<String, List<Operation<Transaction, Long>>> byKey = new HashMap<>();

  UnansweredWrites(List<Operation<Transaction, Long>> history, RealTimeFloor floor) {
    this.floor = floor;
    for (Operation<Transaction, Long> operation : history) {
      if (operation.outcome() instanceof Outcome.Unknown<Long>) {
        for (String key : operation.call().writes().keySet()) {
          byKey.computeIfAbsent(key, _ -> new ArrayList<>()).add(operation);
        }
      }
    }
  }

  /**
   * Finds the one that made these changes, which is then spent.
   *
   * @param effective the revision's changes, without deletes that change nothing; not empty
   */
  Optional<Operation<Transaction, Long>> take(
      long revision, Map<String, Change> effective, SortedMap<String, String> before) {
    Optional<Operation<Transaction, Long>> found = find(revision, effective, before);
    found.ifPresent(this::spend);
    return found;
  }

  /** True if one of those that are left can have made these changes. */
  boolean explains(long revision, Map<String, Change> effective, SortedMap<String, String> before) {
    return find(revision, effective, before).isPresent();
  }

  private Optional<Operation<Transaction, Long>> find(
      long revision, Map<String, Change> effective, SortedMap<String, String> before) {
    String key = effective.keySet().iterator().next();
    List<Operation<Transaction, Long>> possible =
        byKey.getOrDefault(key, List.of()).stream()
            .filter(operation -> revision > floor.revisionBefore(operation.invoked()))
            .filter(
                operation ->
                    effective.equals(
                        RevisionHistory.effective(
                            RevisionHistory.changes(operation.call()), before)))
            .toList();
    return possible.stream()
        .filter(
            operation -> operation.call().reads().stream().allMatch(r -> r.again(before).equals(r)))
        .findFirst()
        .or(() -> possible.stream().findFirst());
  }

  private void spend(Operation<Transaction, Long> operation) {
    for (String key : operation.call().writes().keySet()) {
      byKey.getOrDefault(key, List.of()).remove(operation);
    }
  }
}
