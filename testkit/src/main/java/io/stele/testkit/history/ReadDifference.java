package io.stele.testkit.history;

import java.util.ArrayList;
import java.util.List;

/** Where two reads of the same differ, so that a message shows that and not a range in full. */
final class ReadDifference {
  private ReadDifference() {}

  static String seen(Read seen, Read held) {
    return describe(seen, held);
  }

  static String held(Read seen, Read held) {
    return describe(held, seen);
  }

  private static String describe(Read one, Read other) {
    return switch (one) {
      case Read.OfKey key -> key.toString();
      case Read.OfRange(KeyRange range, _, List<Change> found) -> {
        List<Change> alone = new ArrayList<>(found);
        if (other instanceof Read.OfRange(_, _, List<Change> others)) {
          alone.removeAll(others);
        }
        yield range + " with " + found.size() + " keys, among them alone " + alone;
      }
    };
  }
}
