package io.stele.testkit.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Which revision had been acknowledged when: what a transaction must come after. Two that share an
 * instant are concurrent.
 */
final class RealTimeFloor {
  private final List<Operation<Transaction, Long>> highest = new ArrayList<>();

  RealTimeFloor(List<Operation<Transaction, Long>> history) {
    List<Operation<Transaction, Long>> byReturn =
        history.stream()
            .filter(operation -> operation.outcome() instanceof Outcome.Returned<Long>)
            .sorted(Comparator.comparingLong(Operation::returned))
            .toList();
    for (Operation<Transaction, Long> operation : byReturn) {
      if (highest.isEmpty() || revision(operation) > revision(highest.getLast())) {
        highest.add(operation);
      }
    }
  }

  /** The revision of an answered one. */
  static long revision(Operation<Transaction, Long> operation) {
    return switch (operation.outcome()) {
      case Outcome.Returned<Long>(Long revision, _) -> revision;
      case Outcome.Unknown<Long>() ->
          throw new IllegalArgumentException(operation + " has no revision: it was not answered");
    };
  }

  /** Of all that were acknowledged before that time, the one with the highest revision. */
  Optional<Operation<Transaction, Long>> before(long time) {
    int low = 0;
    int high = highest.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (highest.get(middle).returned() < time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == 0 ? Optional.empty() : Optional.of(highest.get(low - 1));
  }

  long revisionBefore(long time) {
    return before(time).map(RealTimeFloor::revision).orElse(Long.MIN_VALUE);
  }
}
