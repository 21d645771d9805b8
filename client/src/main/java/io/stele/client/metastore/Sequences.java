package io.stele.client.metastore;

import io.stele.base.error.ExhaustedException;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a session's changes. The server keeps the answers of the newest {@link #WINDOW},
 * so no more than that may be without an answer; those beyond wait for their number.
 */
final class Sequences {
  /** As many as the server keeps answers of. */
  static final int WINDOW = 1024;

  /** How many may wait for a number. */
  static final int MOST_WAITING = 1 << 16;

  // Invariant: low <= next, next - low <= WINDOW; bit n % WINDOW is set if n in [low, next) is
  // answered, and low is not.
  private long low = 1;
  private long next = 1;
  private final BitSet answered = new BitSet(WINDOW);
  private final ArrayDeque<LongConsumer> waiting = new ArrayDeque<>();

  /** Calls the taker with a number, now or when there is one. */
  void take(LongConsumer taker) {
    long number;
    synchronized (this) {
      if (next - low >= WINDOW) {
        if (waiting.size() >= MOST_WAITING) {
          throw new ExhaustedException(
              MOST_WAITING
                  + " changes wait behind "
                  + WINDOW
                  + " without an answer: wait for some answers before sending more");
        }
        waiting.add(taker);
        return;
      }
      number = next++;
    }
    taker.accept(number);
  }

  /** All below have their answers. */
  synchronized long answeredBelow() {
    return low;
  }

  /** The change has its answer, or will never be asked for again. */
  void answered(long number) {
    long freed = 0;
    LongConsumer taker;
    synchronized (this) {
      answered.set((int) (number % WINDOW));
      while (low < next && answered.get((int) (low % WINDOW))) {
        answered.clear((int) (low % WINDOW));
        low++;
      }
      taker = nextWaiting();
      if (taker != null) {
        freed = next++;
      }
    }
    while (taker != null) {
      taker.accept(freed);
      synchronized (this) {
        taker = nextWaiting();
        if (taker != null) {
          freed = next++;
        }
      }
    }
  }

  private @Nullable LongConsumer nextWaiting() {
    return next - low < WINDOW ? waiting.poll() : null;
  }
}
