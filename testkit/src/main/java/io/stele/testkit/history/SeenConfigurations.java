package io.stele.testkit.history;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The configurations that the search has been in: which operations have their place, and the state
 * they lead to. Of two that differ only in the operations of unknown outcome that they have spent,
 * the one that spent fewer can do all that the other can; so for each state and set of answered
 * operations only the smallest sets of spent ones are kept.
 *
 * <p>Answered operations get their places roughly in order of invocation. A set of them is kept as
 * the place of the first that is not in it and the bits from there on, so that memory grows with
 * the concurrency of a history and not with the square of its length.
 */
final class SeenConfigurations {
  private final Map<Key, List<long[]>> spentSets = new HashMap<>();

  private static final class Key {
    private final int firstWord;
    private final int state;
    private final long[] words;

    Key(int firstWord, int state, long[] words) {
      this.firstWord = firstWord;
      this.state = state;
      this.words = words;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key that
          && firstWord == that.firstWord
          && state == that.state
          && Arrays.equals(words, that.words);
    }

    @Override
    public int hashCode() {
      return (Arrays.hashCode(words) * 31 + firstWord) * 31 + state;
    }
  }

  /**
   * True if the configuration is new, and no one seen before can do all that it can.
   *
   * @param placed the answered operations that have their place, as bits by rank
   * @param lowest the lowest rank that is not among them
   * @param highest the highest rank that is among them, -1 if none
   * @param spent the operations of unknown outcome that have been used, as bits by rank
   */
  boolean add(long[] placed, int lowest, int highest, int state, long[] spent) {
    boolean gapless = highest < lowest;
    int from = lowest >>> 6;
    long[] words = gapless ? new long[0] : Arrays.copyOfRange(placed, from, (highest >>> 6) + 1);
    // Without a word to show it, the first place itself must tell two sets apart.
    int first = gapless ? -1 - lowest : from;
    List<long[]> known =
        spentSets.computeIfAbsent(new Key(first, state, words), _ -> new ArrayList<>(1));
    for (long[] fewer : known) {
      if (within(fewer, spent)) {
        return false;
      }
    }
    known.removeIf(more -> within(spent, more));
    known.add(spent.clone());
    return true;
  }

  private static boolean within(long[] some, long[] all) {
    for (int i = 0; i < some.length; i++) {
      if ((some[i] & ~all[i]) != 0) {
        return false;
      }
    }
    return true;
  }
}
