package io.stele.testkit.history;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * The calls and returns of the operations that have no place in the linearization yet, in order of
 * time: a linked list from which an operation is lifted when it gets its place, and into which it
 * is dropped again, last lifted first, when the search goes back. An operation may come next if no
 * other's return stands before its call. Operations without an answer have no return.
 */
final class PendingEvents {
  private final int operations;
  private final int[] next;
  private final int[] previous;

  PendingEvents(Partition<?, ?, ?> partition) {
    operations = partition.size();
    next = new int[2 * operations + 1];
    previous = new int[2 * operations + 1];
    // At one and the same time calls stand before returns: the two operations are concurrent then.
    int[] events =
        IntStream.range(0, 2 * operations)
            .filter(event -> event < operations || partition.known(event - operations))
            .boxed()
            .sorted(
                Comparator.<Integer>comparingLong(
                        event ->
                            event < operations
                                ? partition.invoked(event)
                                : partition.returned(event - operations))
                    .thenComparing(event -> event >= operations))
            .mapToInt(Integer::intValue)
            .toArray();
    Arrays.fill(next, end());
    Arrays.fill(previous, end());
    int last = end();
    for (int event : events) {
      link(last, event);
      last = event;
    }
    link(last, end());
  }

  private void link(int before, int after) {
    next[before] = after;
    previous[after] = before;
  }

  /** Stands before the first event and behind the last. */
  int end() {
    return 2 * operations;
  }

  int after(int event) {
    return next[event];
  }

  /**
   * True if the event is the call of the operation of the same number; else a return or the end.
   */
  boolean isCall(int event) {
    return event < operations;
  }

  void lift(int operation, boolean known) {
    link(previous[operation], next[operation]);
    if (known) {
      int event = operation + operations;
      link(previous[event], next[event]);
    }
  }

  void drop(int operation, boolean known) {
    if (known) {
      insert(operation + operations);
    }
    insert(operation);
  }

  private void insert(int event) {
    next[previous[event]] = event;
    previous[next[event]] = event;
  }
}
