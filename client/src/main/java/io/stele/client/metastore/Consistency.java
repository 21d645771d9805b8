package io.stele.client.metastore;

/** How fresh a read is. */
public enum Consistency {
  /** Sees everything that was acknowledged before it began. The default. */
  LINEARIZABLE,
  /**
   * By a leader whom a majority confirmed a moment ago: quicker, and may miss what another leader
   * did within that moment.
   */
  LEASE,
  /** By any member, as far as it has come. */
  STALE
}
