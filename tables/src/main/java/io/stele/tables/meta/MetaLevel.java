package io.stele.tables.meta;

import io.stele.base.error.InvalidRequestException;

/**
 * Where the rows that describe a table are kept: each table's tablets are in the one above it.
 *
 * <pre>
 *   root store     the one tablet of META0
 *   META0          the tablets of META1
 *   META1          the tablets and the schemas of all other tables
 * </pre>
 */
public enum MetaLevel {
  ROOT(""),
  META0(TableNames.META0),
  META1(TableNames.META1);

  private final String table;

  MetaLevel(String table) {
    this.table = table;
  }

  /** Where a table is described. */
  public static MetaLevel of(String table) {
    return switch (table) {
      case TableNames.META0 -> ROOT;
      case TableNames.META1 -> META0;
      default -> META1;
    };
  }

  /** The META table of this level; the root has none. */
  public String table() {
    if (this == ROOT) {
      throw new InvalidRequestException(
          "META0 is described in the root store: there is no table to look in");
    }
    return table;
  }
}
