package io.stele.client.metastore;

import java.util.List;
import java.util.Optional;

/** What a step of a transaction did. */
public sealed interface StepResult {
  /** A key was put. */
  record Put(Optional<KeyValue> previous) implements StepResult {}

  /** Keys were deleted. */
  record Deleted(long count, List<KeyValue> previous) implements StepResult {
    public Deleted {
      previous = List.copyOf(previous);
    }
  }

  /**
   * Keys were read.
   *
   * @param more whether the limit left keys out
   */
  record Found(List<KeyValue> keys, boolean more) implements StepResult {
    public Found {
      keys = List.copyOf(keys);
    }
  }
}
