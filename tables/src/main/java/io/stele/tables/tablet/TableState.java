package io.stele.tables.tablet;

/**
 * The life of a table on a server.
 *
 * <pre>
 *   0 UNKNOWN ──► 1 SCHEMA_LOADING ──► 2 ACTIVE ──► 0
 *                       └── the schema could not be read ──► 0
 * </pre>
 *
 * Invariant: a server that has a tablet in any state but {@link TabletState#UNKNOWN} has its table
 * in any but {@link #UNKNOWN}.
 */
public enum TableState {
  /** Requests are refused. */
  UNKNOWN,

  /** Its schema is being read, or its tablets are not named yet: requests wait, for some time. */
  SCHEMA_LOADING,

  /** Its tablets are here, each in a state of its own that tells what becomes of requests. */
  ACTIVE
}
