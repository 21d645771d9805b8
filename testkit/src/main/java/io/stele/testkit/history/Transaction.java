package io.stele.testkit.history;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a client asked of the store as one: a transaction, a one-shot transaction, or a single get,
 * range, put or delete. As a call in a {@link HistoryRecorder}, its result is its revision: with
 * changes, the one that it made; without, one after which the store held what it read.
 *
 * <p>Aborted ones are not in the history, like all that failed for certain. One that reads what may
 * be old, on purpose, has no place in real time and is marked so.
 *
 * @param reads what it saw of the store
 * @param writes each key's last value in it, empty for a delete. A delete of an absent key changes
 *     nothing, and a transaction that changes nothing need not make a revision
 * @param mayBeStale true if it need not see all that was acknowledged before it began
 */
public record Transaction(
    List<Read> reads, Map<String, Optional<String>> writes, boolean mayBeStale) {
  public Transaction {
    reads = List.copyOf(reads);
    writes = Map.copyOf(writes);
    if (mayBeStale && !writes.isEmpty()) {
      throw new IllegalArgumentException("it writes " + writes + ": only a reader may be stale");
    }
  }

  public static Transaction of(List<Read> reads, List<Change> writes) {
    Map<String, Optional<String>> last = new TreeMap<>();
    writes.forEach(change -> last.put(change.key(), change.value()));
    return new Transaction(reads, last, false);
  }

  public static Transaction reading(Read... reads) {
    return of(List.of(reads), List.of());
  }

  public static Transaction readingMaybeStale(Read... reads) {
    return new Transaction(List.of(reads), Map.of(), true);
  }

  public static Transaction writing(Change... writes) {
    return of(List.of(), List.of(writes));
  }

  /** True if it can do without a revision of its own: it writes nothing or only deletes. */
  boolean mayChangeNothing() {
    return writes.values().stream().allMatch(Optional::isEmpty);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    reads.forEach(read -> text.append(text.isEmpty() ? "read " : ", ").append(read));
    String writing = text.isEmpty() ? "write " : "; write ";
    for (var write : new TreeMap<>(writes).entrySet()) {
      text.append(writing).append(new Change(write.getKey(), write.getValue()));
      writing = ", ";
    }
    return text.toString();
  }
}
