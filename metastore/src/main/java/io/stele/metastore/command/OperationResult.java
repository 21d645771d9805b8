package io.stele.metastore.command;

import java.util.List;
import java.util.Optional;

/** What a step of a transaction did. */
public sealed interface OperationResult {
  record Done(Optional<KeyValue> previous) implements OperationResult {}

  /**
   * Keys were deleted.
   *
   * @param previous what was deleted, if that was asked for
   */
  record Deleted(long count, List<KeyValue> previous) implements OperationResult {
    public Deleted {
      previous = List.copyOf(previous);
    }
  }

  /**
   * Keys were read.
   *
   * @param more whether the limit left keys out
   */
  record Found(List<KeyValue> keys, boolean more) implements OperationResult {
    public Found {
      keys = List.copyOf(keys);
    }
  }
}
