package io.stele.base.table;

import io.stele.base.error.SteleException;
import java.util.Optional;

/**
 * What became of one row of a batch.
 *
 * @param txn the transaction that committed it; 0 if it failed
 */
public record RowOutcome(long txn, Optional<SteleException> failure) {
  public static RowOutcome committed(long txn) {
    return new RowOutcome(txn, Optional.empty());
  }

  public static RowOutcome failed(SteleException failure) {
    return new RowOutcome(0, Optional.of(failure));
  }
}
