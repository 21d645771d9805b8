package io.stele.client.table;

import java.util.Optional;

/**
 * Rows in their order, fetched as they are asked for. It sees the table as of its start; when a
 * tablet has moved to another server meanwhile, the rows of that tablet are as of then. Close it:
 * it holds old versions on the servers.
 */
public interface RowScan extends AutoCloseable {
  /** The next row; nothing at the end. */
  Optional<Row> next();

  @Override
  void close();
}
