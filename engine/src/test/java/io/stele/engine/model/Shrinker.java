package io.stele.engine.model;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Makes a history that fails smaller, as long as it still fails: first steps, then changes. */
public final class Shrinker {
  private final Predicate<History> fails;
  private int triesLeft;

  /** At most {@code tries} histories are tried. */
  public Shrinker(Predicate<History> fails, int tries) {
    this.fails = fails;
    this.triesLeft = tries;
  }

  public History shrink(History history) {
    History smaller = history.withSteps(shrinkList(history.steps(), history::withSteps));
    for (int i = smaller.steps().size() - 1; i >= 0; i--) {
      if (smaller.steps().get(i) instanceof Step.Apply(var changes, var synced)) {
        History base = smaller;
        int at = i;
        List<Change> fewer =
            shrinkList(changes, kept -> withStep(base, at, new Step.Apply(kept, synced)));
        smaller = withStep(smaller, i, new Step.Apply(fewer, synced));
      }
    }
    return smaller;
  }

  /** What becomes of a history when only part of a list is kept. */
  private interface Rebuild<T> {
    History with(List<T> kept);
  }

  private <T> List<T> shrinkList(List<T> list, Rebuild<T> rebuild) {
    List<T> kept = new ArrayList<>(list);
    for (int chunk = Math.max(1, kept.size() / 2); chunk >= 1; chunk /= 2) {
      for (int at = Math.max(0, kept.size() - chunk); at >= 0; at -= chunk) {
        List<T> without = new ArrayList<>(kept.subList(0, at));
        without.addAll(kept.subList(Math.min(at + chunk, kept.size()), kept.size()));
        if (!without.isEmpty() && triesLeft-- > 0 && fails.test(rebuild.with(without))) {
          kept = without;
        }
      }
    }
    return kept;
  }

  private static History withStep(History history, int at, Step step) {
    List<Step> steps = new ArrayList<>(history.steps());
    steps.set(at, step);
    return history.withSteps(steps);
  }
}
