package io.stele.tables.txn;

import io.stele.base.error.FencedException;

/**
 * A server's right to answer for its tablets. It ends by itself when nothing is heard from the
 * metastore for long enough, by this machine's monotonic clock; and before anybody else may take
 * the tablets. So it is looked at after the work is done, before the answer leaves.
 */
public interface Lease {
  /** Of a server that nobody takes tablets from. */
  Lease FOR_EVER = () -> true;

  /** Whether it certainly lasts at this moment. Once false, it stays so. */
  boolean isHeld();

  /** Fails if it does not. */
  default void check() {
    if (!isHeld()) {
      throw new FencedException(
          "this server has lost its session in the metastore: others may have its tablets");
    }
  }
}
