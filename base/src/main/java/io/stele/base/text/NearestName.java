package io.stele.base.text;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/**
 * Finds what somebody probably meant: the known name that takes the fewest typing slips (a letter
 * missing, added, wrong, or two swapped) to become the unknown one.
 */
public final class NearestName {
  private NearestName() {}

  /**
   * The nearest of {@code known}, or nothing if none is near enough to be worth naming: at most a
   * third of the letters may be wrong, and two always may. Case does not count; of equally near
   * names it is the first in alphabetical order.
   */
  public static Optional<String> of(String wanted, Collection<String> known) {
    String lower = wanted.toLowerCase(Locale.ROOT);
    String nearest = null;
    int least = Integer.MAX_VALUE;
    for (String name : known) {
      int slips = slips(lower, name.toLowerCase(Locale.ROOT));
      boolean nearer = slips < least || (slips == least && name.compareTo(nearest) < 0);
      if (nearer && slips <= allowed(wanted, name)) {
        nearest = name;
        least = slips;
      }
    }
    return Optional.ofNullable(nearest);
  }

  /** Two slips would turn any name of two letters into any other: short names get fewer. */
  private static int allowed(String wanted, String name) {
    int length = Math.max(wanted.length(), name.length());
    return length <= 4 ? length / 2 : Math.max(2, length / 3);
  }

  /** Edit distance with swaps of neighbours; three rows of the table are kept. */
  static int slips(String from, String to) {
    int[] beforeLast = new int[to.length() + 1];
    int[] last = new int[to.length() + 1];
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      last[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int wrong = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
        int least = Math.min(last[j - 1] + wrong, Math.min(last[j], row[j - 1]) + 1);
        boolean swapped =
            i > 1
                && j > 1
                && from.charAt(i - 1) == to.charAt(j - 2)
                && from.charAt(i - 2) == to.charAt(j - 1);
        row[j] = swapped ? Math.min(least, beforeLast[j - 2] + 1) : least;
      }
      int[] free = beforeLast;
      beforeLast = last;
      last = row;
      row = free;
    }
    return last[to.length()];
  }
}
