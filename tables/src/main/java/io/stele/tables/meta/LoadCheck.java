package io.stele.tables.meta;

import io.stele.base.table.MetaProblem;
import io.stele.base.table.MetaProblem.Kind;
import java.util.List;
import java.util.Optional;

/**
 * Looks whether META is whole around a tablet before it is loaded, from no more than the first two
 * rows of a scan. It begins at the row that the tablet before it must end with:
 *
 * <pre>
 *   (A, ?..a) (C, a..c)               the tablet before it, then itself: as it must be
 *   (C, b..c)                         itself at once: a gap before it
 *   (A, ?..a) (B, a..b) (C, a..c)     another in between: an overlap
 *   (A, ?..a) (C, a..c) (D, a..d)     one behind it that has the same rows: an overlap
 * </pre>
 *
 * <p>The last is what half a join leaves, or half a split. Were C loaded nevertheless, it would
 * have a log of its own from then on, and no repair could tell any more that D has all it had.
 *
 * <p>The first tablet of a table has none before it: there, itself at once is right.
 */
public final class LoadCheck {
  private LoadCheck() {}

  /**
   * Finds what is wrong around a tablet.
   *
   * @param scanned the tablets whose rows begin at {@link MetaRows#tabletsFrom} the tablet's {@code
   *     first}; three suffice
   */
  public static Optional<MetaProblem> check(TabletConfig tablet, List<TabletConfig> scanned) {
    List<TabletConfig> rest = scanned;
    if (!tablet.first().isEmpty()) {
      boolean found =
          !rest.isEmpty() && rest.getFirst().last().filter(tablet.first()::equals).isPresent();
      if (!found) {
        return Optional.of(
            problem(
                Kind.GAP, tablet, "no tablet before it ends with row \"" + tablet.first() + "\""));
      }
      rest = rest.subList(1, rest.size());
    }
    if (rest.isEmpty()) {
      return Optional.of(problem(Kind.GAP, tablet, "its row is gone"));
    }
    TabletConfig next = rest.getFirst();
    if (next.key().equals(tablet.key())) {
      return rest.size() < 2 ? Optional.empty() : overlapBehind(tablet, rest.get(1));
    }
    return Optional.of(
        problem(
            Kind.OVERLAP,
            tablet,
            "it begins behind row \"" + tablet.first() + "\" and there is another: " + next.key()));
  }

  private static Optional<MetaProblem> overlapBehind(TabletConfig tablet, TabletConfig behind) {
    boolean overlaps = tablet.last().isEmpty() || behind.first().compareTo(tablet.last().get()) < 0;
    return overlaps
        ? Optional.of(
            problem(
                Kind.OVERLAP,
                tablet,
                "the tablet behind it has rows of it, too: "
                    + behind.key()
                    + " begins behind row \""
                    + behind.first()
                    + "\""))
        : Optional.empty();
  }

  private static MetaProblem problem(Kind kind, TabletConfig tablet, String explanation) {
    return new MetaProblem(
        kind, tablet.table(), tablet.metaRow(), tablet.key() + ": " + explanation, "", false);
  }
}
