package io.stele.base.table;

/**
 * A scan under way. It sees the table as of the transaction at which it began, across flushes,
 * compactions, splits and joins. One thread at a time.
 *
 * <p>It holds no file open between calls longer than others leave it there: what it needs can be
 * taken from it and is then opened again at the same transaction. Scans that are left alone are
 * closed after a while; asking one of those is {@code NotFound}, and the caller starts another
 * behind the last cell it has ({@link ScanOptions#after}).
 */
public interface TableScan extends AutoCloseable {
  /** The transaction at which it reads. */
  long txn();

  /**
   * The next cells: at least one, unless there are none, and not many more than so many bytes.
   *
   * @throws io.stele.base.error.NotServingException if the tablet it has come to is not here, or no
   *     longer
   */
  CellPage next(int maxBytes);

  @Override
  void close();
}
