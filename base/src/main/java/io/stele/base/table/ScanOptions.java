package io.stele.base.table;

import io.stele.base.bytes.Bytes;
import java.util.Optional;

/**
 * How a read is done.
 *
 * @param latest also see what has been committed and is not durable yet
 * @param atTxn the transaction to read at; 0 for now. Fails with {@code NotFound} if what it saw
 *     may be gone: only transactions that a scan holds open stay readable
 * @param after start behind this cell
 * @param maxRows end after so many rows; 0 for all
 */
public record ScanOptions(boolean latest, long atTxn, Optional<Position> after, long maxRows) {
  public static final ScanOptions DEFAULT = new ScanOptions(false, 0, Optional.empty(), 0);

  /** A version's place in the order of cells. */
  public record Position(Bytes row, Bytes family, Bytes qualifier, long timestamp) {}

  public ScanOptions withLatest(boolean value) {
    return new ScanOptions(value, atTxn, after, maxRows);
  }

  public ScanOptions withAfter(Position position) {
    return new ScanOptions(latest, atTxn, Optional.of(position), maxRows);
  }

  public ScanOptions withAtTxn(long txn) {
    return new ScanOptions(latest, txn, after, maxRows);
  }

  public ScanOptions withMaxRows(long rows) {
    return new ScanOptions(latest, atTxn, after, rows);
  }
}
