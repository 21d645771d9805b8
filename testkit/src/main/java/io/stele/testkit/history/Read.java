package io.stele.testkit.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * What a transaction saw of the store. What it saw of its own buffered writes is no read.
 *
 * <p>Keys are compared as strings; that is the order of their bytes as long as they are ASCII.
 */
public sealed interface Read {

  /** One key, and its value or absence. */
  record OfKey(String key, Optional<String> seen) implements Read {
    @Override
    public String toString() {
      return key + " = " + seen.orElse("(absent)");
    }
  }

  /**
   * The keys of a range with their values, in order: the lowest {@code limit} of them. With fewer
   * than that, the range had no more.
   */
  record OfRange(KeyRange range, int limit, List<Change> seen) implements Read {
    public OfRange {
      seen = List.copyOf(seen);
      if (limit < 1 || seen.size() > limit) {
        throw new IllegalArgumentException(
            seen.size() + " keys read of " + range + " with limit " + limit);
      }
    }

    /** Without a limit. */
    public OfRange(KeyRange range, List<Change> seen) {
      this(range, Integer.MAX_VALUE, seen);
    }

    @Override
    public String toString() {
      return range + " = " + seen;
    }
  }

  /** The same read of the given state. */
  default Read again(SortedMap<String, String> state) {
    return switch (this) {
      case OfKey(String key, _) -> new OfKey(key, Optional.ofNullable(state.get(key)));
      case OfRange(KeyRange range, int limit, _) -> {
        SortedMap<String, String> tail = state.tailMap(range.start());
        List<Change> found = new ArrayList<>();
        for (var entry : tail.entrySet()) {
          if (found.size() == limit || !range.contains(entry.getKey())) {
            break;
          }
          found.add(Change.put(entry.getKey(), entry.getValue()));
        }
        yield new OfRange(range, limit, found);
      }
    };
  }
}
