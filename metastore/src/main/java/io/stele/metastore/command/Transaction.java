package io.stele.metastore.command;

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

  /** One step without a condition. */
  public static Transaction of(Operation operation) {
    return new Transaction(List.of(), List.of(operation), List.of(), Optional.empty());
  }
}
