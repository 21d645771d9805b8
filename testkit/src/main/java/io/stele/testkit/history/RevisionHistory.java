package io.stele.testkit.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All changes that a store says it has gone through, by revision: read from it when all is over,
 * from the very first revision on. Revisions without changes of keys need not be in it.
 */
public record RevisionHistory(NavigableMap<Long, List<Change>> revisions) {
  public RevisionHistory {
    TreeMap<Long, List<Change>> copy = new TreeMap<>();
    revisions.forEach((revision, changes) -> copy.put(revision, List.copyOf(changes)));
    revisions = copy;
  }

  public RevisionHistory(Map<Long, List<Change>> revisions) {
    this(new TreeMap<>(revisions));
  }

  /** What the store's keys were after the last revision. */
  public SortedMap<String, String> state() {
    SortedMap<String, String> state = new TreeMap<>();
    revisions.values().forEach(changes -> apply(changes, state));
    return state;
  }

  static void apply(Iterable<Change> changes, Map<String, String> state) {
    for (Change change : changes) {
      if (change.value().isPresent()) {
        state.put(change.key(), change.value().get());
      } else {
        state.remove(change.key());
      }
    }
  }

  /** By key, without deletes of what is not there: those that change something. */
  static Map<String, Change> effective(Iterable<Change> changes, Map<String, String> before) {
    Map<String, Change> effective = new TreeMap<>();
    for (Change change : changes) {
      if (change.value().isPresent() || before.containsKey(change.key())) {
        effective.put(change.key(), change);
      }
    }
    return effective;
  }

  static List<Change> changes(Transaction transaction) {
    List<Change> changes = new ArrayList<>();
    transaction.writes().forEach((key, value) -> changes.add(new Change(key, value)));
    return changes;
  }
}
