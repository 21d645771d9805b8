package io.stele.metastore.command;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.metastore.key.KeyRange;
import java.util.List;

/** A step of a transaction. A step sees what the steps before it did. */
public sealed interface Operation {
  /**
   * Sets a key.
   *
   * @param session whose end is to delete the key; 0 for none
   * @param previous whether to answer what was there before
   */
  record Put(Bytes key, Bytes value, long session, boolean previous) implements Operation {}

  /** Deleting what is not there is no error, and no change. */
  record Delete(KeyRange range, boolean previous) implements Operation {}

  /**
   * Reads keys.
   *
   * @param limit the most keys to answer; 0 for the server's own limit
   */
  record Get(KeyRange range, int limit) implements Operation {
    public Get {
      if (limit < 0) {
        throw new InvalidRequestException("limit of " + limit + " keys: must be 0 or more");
      }
    }
  }

  /**
   * Sets a key, which a lease may end, and may leave of it what is not to change.
   *
   * @param lease whose end is to delete the key; 0 for none
   * @param keepValue whether the key must be there, and keeps its value
   * @param keepLease whether the key must be there, and keeps its lease
   */
  record Assign(
      Bytes key, Bytes value, long lease, boolean previous, boolean keepValue, boolean keepLease)
      implements Operation {}

  /** Reads keys as {@link Selection} says; one of a past revision sees no step of its own. */
  record Select(Selection selection) implements Operation {}

  /** A transaction within one. Its comparisons, too, are about the state before the first step. */
  record Branch(List<Comparison> comparisons, List<Operation> then, List<Operation> otherwise)
      implements Operation {
    public Branch {
      comparisons = List.copyOf(comparisons);
      then = List.copyOf(then);
      otherwise = List.copyOf(otherwise);
    }
  }
}
