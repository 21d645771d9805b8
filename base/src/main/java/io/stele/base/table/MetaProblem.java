package io.stele.base.table;

import io.stele.base.bytes.Bytes;

/**
 * Something wrong in META.
 *
 * @param row the META row at which it shows, as text for people
 * @param explanation what was found and what would be right
 * @param repair what a repair does or did; empty if people must decide
 */
public record MetaProblem(
    Kind kind, String table, Bytes row, String explanation, String repair, boolean repaired) {
  /** The ways in which META can be wrong. */
  public enum Kind {
    OVERLAP,
    GAP,
    FIRST_TABLET_MISSING,
    LAST_TABLET_MISSING,
    FILE_MISSING,
    UNKNOWN_LOCATION,
    INVALID_SCHEMA,
    UNREADABLE
  }
}
