package io.stele.metastore.command;

import io.stele.metastore.key.KeyRange;
import io.stele.metastore.key.OpaqueKey;
import java.util.List;
import java.util.Optional;

/**
 * Conditions, and steps for both cases, done as one. All its changes share one revision.
 *
 * @param reads of an interactive transaction: if they no longer hold, it is aborted
 */
public record Transaction(
    List<Comparison> comparisons,
    List<Operation> then,
    List<Operation> otherwise,
    Optional<ReadSet> reads) {
  public Transaction {
    comparisons = List.copyOf(comparisons);
    then = List.copyOf(then);
    otherwise = List.copyOf(otherwise);
  }

  /**
   * The range, if all it does is to delete opaque keys, and nothing of them is asked for. They may
   * be any number where it is the last command of its log entry.
   */
  public Optional<KeyRange> deletedRange() {
    return comparisons.isEmpty()
            && reads.isEmpty()
            && then.size() == 1
            && then.getFirst() instanceof Operation.Delete delete
            && !delete.previous()
            && !delete.range().isSingle()
            && OpaqueKey.holds(delete.range())
        ? Optional.of(delete.range())
        : Optional.empty();
  }

  /** One step without a condition. */
  public static Transaction of(Operation operation) {
    return new Transaction(List.of(), List.of(operation), List.of(), Optional.empty());
  }
}
