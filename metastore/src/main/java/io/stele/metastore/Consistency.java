package io.stele.metastore;

/** How fresh a read is. */
public enum Consistency {
  /** Sees everything that was acknowledged before it began. The default. */
  LINEARIZABLE,
  /**
   * By a leader whom a majority confirmed a moment ago: saves the round trip, and may miss what
   * another leader did within that moment.
   */
  LEASE,
  /** By any member, as far as it has come. */
  STALE
}
