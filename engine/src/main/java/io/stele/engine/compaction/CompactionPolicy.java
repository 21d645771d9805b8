package io.stele.engine.compaction;

import java.util.List;
import java.util.Optional;

/**
 * Decides which adjacent fragments of a chain to merge next. Pure: shapes in, plan out; whoever
 * runs the plan asks again with the new chain until nothing is left to do, which it is after fewer
 * steps than there are fragments, because every plan makes the chain shorter.
 *
 * <p>The rules, in this order:
 *
 * <ol>
 *   <li><b>Erasures.</b> If more than {@code erasurePercent} of the cells of some fragments above
 *       the oldest are erasures, everything from the oldest up to them is merged, provided that
 *       this reads at most {@code erasureReach} times their cells. Only such a rooted merge drops
 *       them. Cells are counted, not bytes: a small erasure hides a large value.
 *   <li><b>Space.</b> If the fragments above the oldest have more than {@code spacePercent} of its
 *       bytes, all are merged. At worst all of them overwrite what is in the oldest: the rule
 *       bounds what is stored in vain.
 *   <li><b>Runs.</b> From the newest end: a run grows towards the older ones as long as the next
 *       has no more than {@code runPercent} of the bytes of the run so far. A run of {@code
 *       minWidth} is merged. So a byte is rewritten only when it lands in a fragment about twice as
 *       large, and the cost per byte grows with the logarithm of the data.
 *   <li><b>Length.</b> A chain of more than {@code maxFragments} is brought back by merging the
 *       adjacent fragments that have the fewest bytes.
 * </ol>
 *
 * <p>Apart from these, {@link #garbagePlan} asks for a rooted merge where more than {@code
 * garbagePercent} of the bytes would be dropped. It may rewrite very much, for nothing but space:
 * it can wait, and others go first.
 *
 * <p>No merge reads more than {@code maxWidth} fragments; in a chain that is longer than that,
 * because merging fell behind, the fourth rule comes first.
 */
public final class CompactionPolicy {
  private final CompactionSettings settings;
  private final int maxFragments;

  public CompactionPolicy(CompactionSettings settings) {
    this.settings = settings;
    // A longer chain could not be merged whole.
    this.maxFragments = Math.min(settings.maxFragments(), settings.maxWidth());
  }

  /** The next merge that pays, if any; the chain is given oldest first. */
  public Optional<CompactionPlan> plan(List<FragmentShape> chain) {
    if (chain.size() > settings.maxWidth()) {
      return Optional.of(shortest(chain));
    }
    Optional<CompactionPlan> plan = dropErasures(chain);
    if (plan.isEmpty() && chain.size() >= settings.minWidth()) {
      plan = reclaimSpace(chain).or(() -> mergeRun(chain));
    }
    if (plan.isEmpty() && chain.size() > maxFragments) {
      plan = Optional.of(shortest(chain));
    }
    return plan;
  }

  /** The widest rooted merge that is worth the garbage that it drops, if any. */
  public Optional<CompactionPlan> garbagePlan(List<FragmentShape> chain) {
    for (int to = Math.min(chain.size(), settings.maxWidth()); to >= 1; to--) {
      long garbage = chain.subList(0, to).stream().mapToLong(FragmentShape::garbage).sum();
      long bytes = bytes(chain, 0, to);
      if (exceeds(garbage, settings.garbagePercent(), bytes)) {
        String reason =
            "about %d%% of the bytes of %s are garbage"
                .formatted(Math.min(100, percent(garbage, bytes)), range(0, to));
        return Optional.of(new CompactionPlan(0, to, reason));
      }
    }
    return Optional.empty();
  }

  /** Everything into one fragment, even a single one; for people who ask for it. */
  public Optional<CompactionPlan> fullPlan(List<FragmentShape> chain) {
    return chain.isEmpty()
        ? Optional.empty()
        : Optional.of(new CompactionPlan(0, chain.size(), "all fragments, as asked"));
  }

  /** The rule of erasures: the newest end first, because it drops the most. */
  private Optional<CompactionPlan> dropErasures(List<FragmentShape> chain) {
    for (int to = chain.size(); to >= 2; to--) {
      long allCells = cells(chain, 0, to);
      long cells = 0;
      long erasures = 0;
      // The oldest fragment has none to drop, or some that an open snapshot holds.
      for (int from = to - 1; from >= 1; from--) {
        cells += chain.get(from).cells();
        erasures += chain.get(from).erasures();
        if (exceeds(erasures, settings.erasurePercent(), cells)
            && allCells <= settings.erasureReach() * cells) {
          String reason =
              "erasures are %d%% of the cells of %s"
                  .formatted(percent(erasures, cells), range(from, to));
          return Optional.of(new CompactionPlan(0, to, reason));
        }
      }
    }
    return Optional.empty();
  }

  private Optional<CompactionPlan> reclaimSpace(List<FragmentShape> chain) {
    long oldest = chain.getFirst().bytes();
    long others = bytes(chain, 1, chain.size());
    if (!exceeds(others, settings.spacePercent(), oldest)) {
      return Optional.empty();
    }
    String reason =
        "%s have %d%% of the oldest's bytes"
            .formatted(range(1, chain.size()), percent(others, oldest));
    return Optional.of(new CompactionPlan(0, chain.size(), reason));
  }

  private Optional<CompactionPlan> mergeRun(List<FragmentShape> chain) {
    for (int to = chain.size(); to >= settings.minWidth(); to--) {
      long first = chain.get(to - 1).bytes();
      long run = first;
      int from = to - 1;
      while (from > 0 && !exceeds(chain.get(from - 1).bytes(), settings.runPercent(), run)) {
        run += chain.get(--from).bytes();
      }
      // A large fragment behind small ones must not be rewritten for their sake alone.
      boolean lopsided = exceeds(first, settings.runPercent(), run - first);
      if (to - from >= settings.minWidth() && !lopsided) {
        String reason = "a run of %d of similar size".formatted(to - from);
        return Optional.of(new CompactionPlan(from, to, reason));
      }
    }
    return Optional.empty();
  }

  /** The cheapest window whose merge brings the chain back to its bound, or as far as allowed. */
  private CompactionPlan shortest(List<FragmentShape> chain) {
    int tooMany = chain.size() - maxFragments;
    int width = Math.clamp(tooMany + 1L, 2, settings.maxWidth());
    int best = 0;
    long fewest = Long.MAX_VALUE;
    for (int from = 0; from + width <= chain.size(); from++) {
      long bytes = bytes(chain, from, from + width);
      if (bytes <= fewest) { // of equal ones the newest: the older are read less often
        best = from;
        fewest = bytes;
      }
    }
    String reason =
        "the chain has %d fragments, at most %d; these are the smallest"
            .formatted(chain.size(), maxFragments);
    return new CompactionPlan(best, best + width, reason);
  }

  private static long bytes(List<FragmentShape> chain, int from, int to) {
    return chain.subList(from, to).stream().mapToLong(FragmentShape::bytes).sum();
  }

  private static long cells(List<FragmentShape> chain, int from, int to) {
    return chain.subList(from, to).stream().mapToLong(FragmentShape::cells).sum();
  }

  /** Is the part more than so many percent of the whole? */
  private static boolean exceeds(long part, int percent, long whole) {
    return (double) part * 100 > (double) whole * percent;
  }

  private static long percent(long part, long whole) {
    return whole == 0 ? 100 : Math.round(part * 100.0 / whole);
  }

  private static String range(int from, int to) {
    return to - from == 1 ? "fragment " + from : "fragments " + from + " to " + (to - 1);
  }
}
