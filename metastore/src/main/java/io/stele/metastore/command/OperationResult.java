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

  /**
   * Keys were selected.
   *
   * @param more whether the limit left keys out
   * @param count of all keys in the range
   */
  record Selected(List<KeyValue> keys, boolean more, long count) implements OperationResult {
    public Selected {
      keys = List.copyOf(keys);
    }
  }

  /** A transaction within the transaction was done. */
  record Branched(boolean succeeded, List<OperationResult> results) implements OperationResult {
    public Branched {
      results = List.copyOf(results);
    }
  }
}
