package io.stele.metastore.watch;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.key.KeyRange;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Finds the watchers of a key: those of that key alone and those of a prefix by a look-up, the rest
 * by trying each. One thread at a time.
 */
final class WatcherIndex {
  private final Map<Bytes, Set<Watcher>> byKey = new HashMap<>();
  private final Map<Bytes, Set<Watcher>> byPrefix = new HashMap<>();
  // How many of the watched prefixes have each length.
  private final TreeMap<Integer, Integer> prefixLengths = new TreeMap<>();
  private final Set<Watcher> others = new LinkedHashSet<>();

  void add(Watcher watcher) {
    KeyRange range = watcher.request().range();
    if (range.isSingle()) {
      byKey.computeIfAbsent(range.from(), key -> new LinkedHashSet<>()).add(watcher);
    } else if (isPrefix(range)) {
      Set<Watcher> same = byPrefix.computeIfAbsent(range.from(), key -> new LinkedHashSet<>());
      if (same.isEmpty()) {
        prefixLengths.merge(range.from().length(), 1, Integer::sum);
      }
      same.add(watcher);
    } else {
      others.add(watcher);
    }
  }

  void remove(Watcher watcher) {
    KeyRange range = watcher.request().range();
    if (range.isSingle()) {
      removeFrom(byKey, range.from(), watcher);
    } else if (isPrefix(range)) {
      if (removeFrom(byPrefix, range.from(), watcher)) {
        prefixLengths.computeIfPresent(
            range.from().length(), (length, count) -> count == 1 ? null : count - 1);
      }
    } else {
      others.remove(watcher);
    }
  }

  void find(Bytes key, Consumer<Watcher> found) {
    Set<Watcher> exact = byKey.get(key);
    if (exact != null) {
      exact.forEach(found);
    }
    for (int length : prefixLengths.keySet()) {
      if (length > key.length()) {
        break;
      }
      Set<Watcher> below = byPrefix.get(Bytes.copyOf(key.sharedArray(), 0, length));
      if (below != null) {
        below.forEach(found);
      }
    }
    for (Watcher other : others) {
      if (other.request().range().contains(key)) {
        found.accept(other);
      }
    }
  }

  private static boolean isPrefix(KeyRange range) {
    Bytes end = range.from().prefixEnd();
    return end == null ? range.to() == null : end.equals(range.to());
  }

  /** Returns whether nothing is left under the key. */
  private static boolean removeFrom(Map<Bytes, Set<Watcher>> sets, Bytes key, Watcher watcher) {
    Set<Watcher> set = sets.get(key);
    if (set == null || !set.remove(watcher) || !set.isEmpty()) {
      return false;
    }
    sets.remove(key);
    return true;
  }
}
