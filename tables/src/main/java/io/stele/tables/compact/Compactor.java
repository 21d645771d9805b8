package io.stele.tables.compact;

import io.stele.base.error.UnavailableException;
import io.stele.engine.Worker;
import io.stele.engine.compaction.CompactionPlan;
import io.stele.engine.compaction.CompactionPolicy;
import io.stele.engine.compaction.FragmentShape;
import io.stele.tables.compact.CompactionChoice.Candidate;
import io.stele.tables.compact.CompactionRun.Work;
import io.stele.tables.event.TableEvent;
import io.stele.tables.tablet.OrderedLock;
import io.stele.tables.tablet.OrderedLock.Place;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableState;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletConfigs;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.tablet.ViewHolder.Borrowed;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Merges files of tablets, on a thread of its own: runs the plan that pays most, looks again, and
 * rests when no plan is left. One job runs at a time.
 */
public final class Compactor implements AutoCloseable {
  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final int ATTEMPTS = 10;

  private final ServerParts server;
  private final Supplier<? extends Collection<Table>> tables;
  private final TabletWarmer warmer;
  private final boolean automatic;
  private final BooleanSupplier diskIsLow;
  private final CompactionPolicy policy;
  private final CompactionChoice choice; // by the thread only
  private final CompactionRun run;
  private final Worker worker;
  private final OrderedLock running = new OrderedLock(Place.COMPACT); // one job at a time

  /**
   * Makes one that is not started.
   *
   * @param tables all that are on this server
   * @param warmer opens the files of a tablet, or returns if that was done meanwhile
   * @param diskIsLow while it is, nothing is merged except on request: a merged file needs room
   *     before those that it replaces are deleted
   */
  public Compactor(
      ServerParts server,
      TabletConfigs configs,
      Supplier<? extends Collection<Table>> tables,
      BiConsumer<Table, Tablet> warmer,
      BooleanSupplier diskIsLow,
      CompactSettings settings) {
    this.server = server;
    this.tables = tables;
    this.warmer = new TabletWarmer(server.clock(), warmer);
    this.automatic = settings.automatic();
    this.diskIsLow = diskIsLow;
    this.policy = new CompactionPolicy(settings.compaction());
    this.choice =
        new CompactionChoice(policy, settings.compaction().minWidth(), server.clock(), this.warmer);
    this.run = new CompactionRun(server, configs);
    this.worker =
        new Worker(
            "stele-compact",
            LOOK,
            this::work,
            cause -> server.report(new TableEvent.WorkerDied("compactions", cause)));
  }

  /** Begins to work, unless files are to be merged on request only. */
  public void start() {
    if (automatic) {
      worker.start();
    }
  }

  /** Files or tablets came or went: looks again, now. */
  public void wake() {
    worker.wake();
  }

  /**
   * Runs something while no merged file takes the place of others; a job under way goes on. Not
   * under the commit lock.
   */
  public <T> T pausing(Supplier<T> action) {
    return run.pausing(action);
  }

  /**
   * Merges the files of each tablet and group of a table into one. A single one is written anew
   * too: it may be shared with other tablets, or have cells that do not count any more.
   */
  public void compactAll(Table table) {
    Set<Tablet> done = Collections.newSetFromMap(new IdentityHashMap<>());
    while (true) {
      Optional<TabletView> next =
          table.view().tablets().stream()
              .filter(each -> each.state() == TabletState.ACTIVE && !done.contains(each.tablet()))
              .findFirst();
      if (next.isEmpty()) {
        return;
      }
      Tablet tablet = next.get().tablet();
      if (next.get().longestChain() > 0) {
        for (int group = 0; group < table.view().groups().size(); group++) {
          compactAll(table, tablet, group);
        }
      }
      done.add(tablet);
    }
  }

  private void compactAll(Table table, Tablet tablet, int group) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        if (compact(table, tablet, group, policy::fullPlan, worker::isClosing)) {
          return;
        }
      } catch (CancellationException e) {
        throw new UnavailableException("compaction was given up: the server is being closed", e);
      } catch (IOException e) {
        throw new UnavailableException("table \"" + table.name() + "\" was not compacted: " + e, e);
      }
    }
    throw new UnavailableException(
        "a tablet of table \""
            + table.name()
            + "\" was changed by others during each of "
            + ATTEMPTS
            + " compactions: try again");
  }

  /**
   * Runs what is planned for a group of a tablet.
   *
   * @return false if it was for nothing; true also if there was nothing to do
   */
  private boolean compact(
      Table table,
      Tablet tablet,
      int group,
      Function<List<FragmentShape>, Optional<CompactionPlan>> planner,
      BooleanSupplier stop)
      throws IOException {
    warmer.warm(table, tablet);
    running.lock();
    try (Borrowed borrowed = table.borrow()) {
      if (worker.isClosing()) {
        throw new CancellationException("the server is being closed");
      }
      Optional<TabletView> found =
          borrowed.view().find(tablet).filter(each -> each.state() == TabletState.ACTIVE);
      if (found.isEmpty() || group >= borrowed.view().groups().size()) {
        return true;
      }
      TabletView view = found.get();
      if (!view.isWarm()) {
        return false; // dropped again for want of use
      }
      Optional<CompactionPlan> plan =
          planner.apply(ChainShape.of(view.chains().orElseThrow().get(group), view.range()));
      return plan.isEmpty()
          || run.run(
              new Work(table, borrowed.view(), view, group, plan.get()),
              () -> isToStop(tablet, stop));
    } finally {
      running.unlock();
    }
  }

  /** Asked now and then by a job; a tablet that is compacted is in use, so its files stay open. */
  private boolean isToStop(Tablet tablet, BooleanSupplier stop) {
    tablet.use(server.clock().nanos());
    return stop.getAsBoolean();
  }

  /** A job that nobody asked for is given up when its disk runs low, and its file deleted. */
  private boolean isHeldBack() {
    return worker.isClosing() || diskIsLow.getAsBoolean();
  }

  private void work() {
    while (!isHeldBack()) {
      Optional<Candidate> next = choose();
      if (next.isEmpty()) {
        return;
      }
      compact(next.get());
    }
  }

  private Optional<Candidate> choose() {
    return choice.next(List.copyOf(tables.get()), (tablet, cause) -> failed(tablet.table(), cause));
  }

  private void compact(Candidate candidate) {
    Table table = candidate.table();
    try {
      compact(table, candidate.tablet(), candidate.group(), policy::plan, this::isHeldBack);
    } catch (CancellationException e) {
      // It is held back: the loop waits, or ends because the server is being closed.
    } catch (IOException | RuntimeException e) {
      choice.postpone(candidate.tablet());
      if (table.state() != TableState.UNKNOWN) {
        failed(table.name(), e);
      }
    }
  }

  private void failed(String table, Exception cause) {
    server.report(
        new TableEvent.BackgroundFailed("compaction of a tablet of table " + table, cause));
  }

  boolean isClosing() {
    return worker.isClosing();
  }

  /** Stops; a job under way is given up, and its file deleted. */
  @Override
  public void close() {
    worker.close();
    running.lock();
    try {
      // Nothing is to be done but to wait for a compaction on request, on another thread.
    } finally {
      running.unlock();
    }
  }
}
