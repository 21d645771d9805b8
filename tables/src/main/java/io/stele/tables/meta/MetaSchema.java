package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.TableSchema;
import java.util.List;

/**
 * The families of META tables, and their schema, which is written nowhere: to read a schema one
 * needs META.
 *
 * <pre>
 *   row of a tablet      first:              the row before its first; empty for the first tablet
 *                        location:           the address of its server
 *                        log:                directory of its log, space, transaction
 *                        log:stamped         the newest time that a server gave to its cells
 *                        fragments:GROUP     files, oldest first, with spaces in between
 *   row of a schema      schema:GROUP:SETTING
 * </pre>
 */
public final class MetaSchema {
  static final Bytes FIRST = Bytes.utf8("first");
  static final Bytes LOCATION = Bytes.utf8("location");
  static final Bytes LOG = Bytes.utf8("log");
  static final Bytes FRAGMENTS = Bytes.utf8("fragments");
  static final Bytes SCHEMA = Bytes.utf8("schema");

  /** Every access to any table may ask META first, so it is kept in memory. */
  private static final TableSchema TABLE =
      TableSchema.of(
          GroupSchema.of("meta", List.of("first", "location", "log", "fragments", "schema"))
              .withPurge(new PurgePolicy.MaxHistory(1))
              .withInMemory(true));

  private MetaSchema() {}

  /** The schema of META0 and of META1. */
  public static TableSchema table() {
    return TABLE;
  }
}
