package io.stele.engine.compaction;

import java.util.List;
import java.util.Optional;

/** Decides which adjacent fragments of a chain to merge. Pure: shapes in, plan out. */
public final class CompactionPolicy {
  private final CompactionSettings settings;

  public CompactionPolicy(CompactionSettings settings) {
    this.settings = settings;
  }

  /** The next merge that pays, if any; the chain is given oldest first. */
  public Optional<CompactionPlan> plan(List<FragmentShape> chain) {
    return chain.size() >= settings.minWidth() ? fullPlan(chain) : Optional.empty();
  }

  /** Everything into one fragment. */
  public Optional<CompactionPlan> fullPlan(List<FragmentShape> chain) {
    return chain.isEmpty()
        ? Optional.empty()
        : Optional.of(new CompactionPlan(0, chain.size(), "all"));
  }
}
