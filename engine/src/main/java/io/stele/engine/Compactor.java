package io.stele.engine;

import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.engine.chain.Link;
import io.stele.engine.compaction.CompactionJob;
import io.stele.engine.compaction.CompactionPlan;
import io.stele.engine.compaction.CompactionPolicy;
import io.stele.engine.compaction.FragmentShape;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.disk.FragmentProperties;
import io.stele.engine.fragment.Fragment;
import io.stele.engine.merge.HistoryFloor;
import io.stele.engine.merge.Older;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Merges disk fragments, on a thread of its own: asks the policy for a plan, runs it as a job, and
 * puts the output in place if the inputs are still there. When no merge pays, it rewrites what
 * holds much garbage of the history, patiently.
 */
final class Compactor {
  /** A patient rewrite rests after it has worked for so long, four times as long. */
  private static final long SLICE_NANOS = 10_000_000;

  private static final int RESTS_PER_WORK = 4;
  private static final long LONGEST_REST_NANOS = 1_000_000_000;

  private final StoreContext context;
  private final CompactionPolicy policy;
  private final boolean automatic;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ReentrantLock running = new ReentrantLock(); // one job at a time
  private final AtomicInteger hurrying = new AtomicInteger(); // callers of compactAll
  private final Thread thread;

  private boolean hasWork; // guarded by lock
  private boolean closed; // guarded by running
  private volatile boolean closing;

  Compactor(StoreContext context, CompactionPolicy policy, boolean automatic) {
    this.context = context;
    this.policy = policy;
    this.automatic = automatic;
    this.thread = Thread.ofPlatform().name("stele-compact").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  void wake() {
    signal(true);
  }

  private void signal(boolean work) {
    lock.lock();
    try {
      hasWork |= work;
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Merges all disk fragments into one, even a single one. */
  void compactAll() {
    hurrying.incrementAndGet();
    signal(false);
    running.lock();
    try {
      if (closed) {
        throw new UnavailableException("the store is closed: nothing was compacted");
      }
      Optional<CompactionPlan> plan = policy.fullPlan(shapes(diskLinks(), HistoryFloor.NOTHING));
      if (plan.isPresent()) {
        runPlan(plan.get(), () -> closing);
      }
    } catch (CancellationException e) {
      throw new UnavailableException("compaction was given up: the store is closed", e);
    } catch (IOException e) {
      throw new UnavailableException("compaction failed: " + e, e);
    } finally {
      running.unlock();
      hurrying.decrementAndGet();
    }
  }

  /** Stops; a job under way is abandoned and its file deleted. */
  void close() {
    closing = true;
    wake();
    Threads.join(thread);
    running.lock(); // waits for a compaction by hand, on another thread
    try {
      closed = true;
    } finally {
      running.unlock();
    }
  }

  private void run() {
    while (awaitWork()) {
      running.lock();
      try {
        mergeAll(0);
        Optional<CompactionPlan> garbage = garbagePlan();
        while (garbage.isPresent() && !closing) {
          runPlan(garbage.get(), new PatientRewrite(garbage.get().to()));
          mergeAll(0);
          garbage = garbagePlan();
        }
      } catch (CancellationException e) {
        return;
      } catch (IOException | RuntimeException e) {
        context.report(new StoreEvent.BackgroundFailed("compaction", e));
      } catch (Error e) {
        context.report(new StoreEvent.WorkerDied("compactions", e));
        return;
      } finally {
        running.unlock();
      }
    }
  }

  /**
   * Runs all merges that pay; of those with some of the oldest fragments none.
   *
   * @param taken how many of the oldest
   * @return false if one was left out
   */
  private boolean mergeAll(int taken) throws IOException {
    Optional<CompactionPlan> plan = mergePlan();
    while (automatic && plan.isPresent() && !closing) {
      if (plan.get().from() < taken) {
        return false;
      }
      runPlan(plan.get(), () -> closing);
      plan = mergePlan();
    }
    return true;
  }

  private Optional<CompactionPlan> mergePlan() {
    return policy.plan(shapes(diskLinks(), HistoryFloor.NOTHING));
  }

  /** A floor that waits for its flush is not waited for if there is much to drop below it. */
  private Optional<CompactionPlan> garbagePlan() {
    if (!automatic) {
      return Optional.empty();
    }
    List<Link> links = diskLinks();
    Optional<CompactionPlan> plan = policy.garbagePlan(shapes(links, context.floor()));
    OptionalLong next = context.floorInMemory();
    if (plan.isEmpty()
        && next.isPresent()
        && policy.garbagePlan(shapes(links, next.getAsLong())).isPresent()) {
      context.flushSoon(); // which wakes this thread
    }
    return plan;
  }

  /** About how many bytes a rewrite of all that is on disk would drop below a floor. */
  long garbageBytes(long floor) {
    List<FragmentShape> all = shapes(diskLinks(), floor);
    long bytes = all.stream().mapToLong(FragmentShape::bytes).sum();
    return Math.min(bytes, all.stream().mapToLong(FragmentShape::garbage).sum());
  }

  /**
   * A rewrite for the sake of space alone: it works for a part of the time, and lets other merges
   * go first. Once one of these needs the same fragments, or somebody asks for all, it hurries.
   */
  private final class PatientRewrite implements BooleanSupplier {
    private final int taken; // of the oldest fragments
    private long resumed = context.clock().nanos();
    private boolean wanted;

    PatientRewrite(int taken) {
      this.taken = taken;
    }

    @Override
    public boolean getAsBoolean() {
      long worked = context.clock().nanos() - resumed;
      if (worked >= SLICE_NANOS) {
        rest(Math.min(worked * RESTS_PER_WORK, LONGEST_REST_NANOS));
        resumed = context.clock().nanos();
      }
      return closing;
    }

    private void rest(long nanos) {
      long left = nanos;
      while (left > 0 && !wanted && !closing && hurrying.get() == 0) {
        left = pause(left);
        if (takeWork()) {
          letOthersGo();
        }
      }
    }

    private void letOthersGo() {
      try {
        wanted = !mergeAll(taken);
      } catch (IOException e) {
        context.report(new StoreEvent.BackgroundFailed("compaction", e));
      }
    }
  }

  /** Waits until there may be work, at most so long; returns what is left of the time. */
  private long pause(long nanos) {
    lock.lock();
    try {
      long left = nanos;
      while (left > 0 && !hasWork && !closing && hurrying.get() == 0) {
        left = changed.awaitNanos(left);
      }
      return left;
    } catch (InterruptedException e) {
      return 0; // nobody interrupts this thread on purpose; then the rest is over early
    } finally {
      lock.unlock();
    }
  }

  private boolean takeWork() {
    lock.lock();
    try {
      boolean had = hasWork;
      hasWork = false;
      return had;
    } finally {
      lock.unlock();
    }
  }

  private boolean awaitWork() {
    lock.lock();
    try {
      while (!hasWork && !closing) {
        changed.awaitUninterruptibly();
      }
      hasWork = false;
      return !closing;
    } finally {
      lock.unlock();
    }
  }

  private void runPlan(CompactionPlan plan, BooleanSupplier cancelled) throws IOException {
    context.keeper().checkUsable();
    List<Link> links = diskLinks();
    List<Link> inputs = links.subList(plan.from(), plan.to());
    List<Fragment> before = links.subList(0, plan.from()).stream().map(Link::fragment).toList();
    FilePath path = context.keeper().newFragmentPath();
    long start = context.clock().nanos();
    CompactionJob job = context.job(path, inputs, Older.of(before));
    Optional<FragmentProperties> written = job.run(cancelled);
    boolean kept = context.keeper().replace(inputs, written.map(_ -> path), 0);
    context.report(
        new StoreEvent.Compacted(
            path,
            plan,
            kept,
            written.map(FragmentProperties::cells).orElse(0L),
            context.clock().nanos() - start));
  }

  private List<Link> diskLinks() {
    List<Link> links = new ArrayList<>();
    for (Link link : context.keeper().holder().current().links()) {
      if (link.fragment() instanceof DiskFragment) {
        links.add(link);
      }
    }
    return links;
  }

  /**
   * What the policy is told of fragments.
   *
   * @param floor of the history, for the garbage
   */
  private static List<FragmentShape> shapes(List<Link> links, long floor) {
    List<FragmentProperties> all =
        links.stream().map(link -> ((DiskFragment) link.fragment()).properties()).toList();
    long cells = all.stream().mapToLong(FragmentProperties::cells).sum();
    long cellBytes = all.stream().mapToLong(FragmentProperties::cellBytes).sum();
    List<FragmentShape> shapes = new ArrayList<>();
    for (int i = 0; i < links.size(); i++) {
      FragmentProperties properties = all.get(i);
      long bytes = links.get(i).fragment().bytes();
      long garbage = properties.garbageBelow(floor, cellBytes / cells);
      double stored = (double) bytes / properties.cellBytes(); // compressed, without repeated rows
      shapes.add(
          new FragmentShape(
              bytes,
              properties.cells(),
              properties.cellErasures() + properties.wideErasures(),
              Math.round(garbage * Math.min(1, stored))));
    }
    return shapes;
  }
}
