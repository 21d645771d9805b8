package io.stele.engine.chain;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts who still uses something that has been replaced, without a counter that all readers fight
 * over: each thread counts on a stripe of its own, more or less.
 *
 * <p>Whoever wants to use the thing pins it first and only then makes sure that it is still the
 * current one; whoever replaces it first publishes the new one and only then looks at {@link
 * #inUse}. Both are sequentially consistent, so of a reader and a replacer that meet at least one
 * notices the other. A stripe that is seen at zero after that can rise only for a reader that will
 * notice and back off; so stripes may be looked at one by one.
 */
public final class Pins {
  private static final int STRIPES = 16;
  private static final int SPACING = 16; // longs: two cache lines, as they are fetched in pairs

  private final AtomicLongArray counts = new AtomicLongArray((STRIPES + 1) * SPACING);

  /** Pins and returns the stripe to be given back. */
  public int pin() {
    int stripe = (int) (Thread.currentThread().threadId() & (STRIPES - 1));
    counts.getAndIncrement((stripe + 1) * SPACING);
    return stripe;
  }

  public void unpin(int stripe) {
    counts.getAndDecrement((stripe + 1) * SPACING);
  }

  public boolean inUse() {
    for (int stripe = 0; stripe < STRIPES; stripe++) {
      if (counts.get((stripe + 1) * SPACING) != 0) {
        return true;
      }
    }
    return false;
  }
}
