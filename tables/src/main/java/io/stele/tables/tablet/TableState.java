package io.stele.tables.tablet;

/**
 * The life of a table on a server. Invariant: a server that has a tablet in any state but {@link
 * TabletState#UNKNOWN} has its table in any but {@link #UNKNOWN}.
 */
public enum TableState {
  UNKNOWN,
  /** Its schema is being read. */
  SCHEMA_LOADING,
  ACTIVE
}
