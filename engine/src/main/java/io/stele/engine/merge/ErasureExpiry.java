package io.stele.engine.merge;

/**
 * Which erasures a rewrite may drop, by {@link Resolution.ByTime}: those that have been here long
 * enough, and can hide nothing that is not among the sources or too late to count.
 *
 * @param txn they were committed at or before this transaction
 * @param time and hide nothing at or above this timestamp
 */
public record ErasureExpiry(long txn, long time) {
  public static final ErasureExpiry NEVER = new ErasureExpiry(-1, Long.MIN_VALUE);

  /** Without those that were committed behind a transaction. */
  public ErasureExpiry upTo(long most) {
    return most < txn ? new ErasureExpiry(most, time) : this;
  }

  boolean includes(long erasureTxn, long rangeTo) {
    return erasureTxn <= txn && rangeTo <= time;
  }
}
