package io.stele.client.metastore;

import java.util.List;

/**
 * A transaction was done.
 *
 * @param succeeded whether its conditions held: the steps are those of {@code then}, otherwise
 *     those of {@code otherwise}
 * @param revision of its changes, or of the state if it made none
 * @param results one per step
 */
public record TransactionResult(boolean succeeded, long revision, List<StepResult> results) {
  public TransactionResult {
    results = List.copyOf(results);
  }
}
