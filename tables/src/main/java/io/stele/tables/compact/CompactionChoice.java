package io.stele.tables.compact;

import io.stele.base.bytes.Bytes;
import io.stele.base.time.Clock;
import io.stele.engine.compaction.CompactionPlan;
import io.stele.engine.compaction.CompactionPolicy;
import io.stele.engine.compaction.FragmentShape;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.tablet.ViewHolder.Borrowed;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Which chain to compact next, of all tablets. Those with nothing to do are passed over until their
 * files or rows change, those where something failed for a while. By one thread.
 */
final class CompactionChoice {
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * A plan that pays. The longest chains come first, since every read pays for each of their files;
   * then what makes one shorter by more, and for less work.
   */
  record Candidate(Table table, Tablet tablet, int group, int files, int width, long bytes) {
    static final Comparator<Candidate> BY_WORTH =
        Comparator.comparingInt(Candidate::files)
            .thenComparingInt(Candidate::width)
            .thenComparing(Candidate::bytes, Comparator.reverseOrder());
  }

  /** What a tablet was like when nothing was to be done. */
  private record Seen(
      Bytes first, Optional<Bytes> last, SortedMap<String, List<FragmentRef>> files) {
    static Seen of(TabletView tablet) {
      return new Seen(tablet.first(), tablet.last(), tablet.files());
    }
  }

  private final CompactionPolicy policy;
  private final int minWidth;
  private final Clock clock;
  private final TabletWarmer warmer;
  private final Map<Tablet, Seen> quiet = new WeakHashMap<>();
  private final Map<Tablet, Long> notBefore = new WeakHashMap<>(); // nanos

  CompactionChoice(CompactionPolicy policy, int minWidth, Clock clock, TabletWarmer warmer) {
    this.policy = policy;
    this.minWidth = minWidth;
    this.clock = clock;
    this.warmer = warmer;
  }

  /** Something failed with a tablet: others come first for a while. */
  void postpone(Tablet tablet) {
    notBefore.put(tablet, clock.nanos() + RETRY_NANOS);
  }

  /** Told of a tablet that could not be looked at. */
  interface FailureHandler {
    void failed(Tablet tablet, RuntimeException cause);
  }

  Optional<Candidate> next(Collection<Table> tables, FailureHandler failures) {
    List<Candidate> candidates = new ArrayList<>();
    for (Table table : tables) {
      for (TabletView tablet : table.view().tablets()) {
        if (isWorthALook(tablet)) {
          try {
            look(table, tablet.tablet(), candidates);
          } catch (RuntimeException e) {
            postpone(tablet.tablet());
            failures.failed(tablet.tablet(), e);
          }
        }
      }
    }
    return candidates.stream().max(Candidate.BY_WORTH);
  }

  private boolean isWorthALook(TabletView tablet) {
    if (tablet.state() != TabletState.ACTIVE
        || Seen.of(tablet).equals(quiet.get(tablet.tablet()))) {
      return false;
    }
    Long until = notBefore.get(tablet.tablet());
    if (until != null && clock.nanos() - until < 0) {
      return false;
    }
    // Files are not opened for the sake of a chain that costs no reader anything.
    return tablet.longestChain() >= (tablet.isWarm() ? 1 : minWidth);
  }

  private void look(Table table, Tablet tablet, List<Candidate> candidates) {
    warmer.warm(table, tablet);
    try (Borrowed borrowed = table.borrow()) {
      Optional<TabletView> found = borrowed.view().find(tablet);
      if (found.isEmpty() || !found.get().isWarm()) {
        return;
      }
      TabletView view = found.get();
      boolean any = false;
      for (int group = 0; group < borrowed.view().groups().size(); group++) {
        List<FragmentShape> shapes =
            ChainShape.of(view.chains().orElseThrow().get(group), view.range());
        Optional<CompactionPlan> plan = policy.plan(shapes);
        if (plan.isPresent()) {
          any = true;
          long bytes =
              shapes.subList(plan.get().from(), plan.get().to()).stream()
                  .mapToLong(FragmentShape::bytes)
                  .sum();
          candidates.add(
              new Candidate(table, tablet, group, shapes.size(), plan.get().width(), bytes));
        }
      }
      if (!any) {
        quiet.put(tablet, Seen.of(view));
      }
    }
  }
}
