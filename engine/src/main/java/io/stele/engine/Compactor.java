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
import io.stele.engine.merge.Older;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Merges disk fragments, on a thread of its own: asks the policy for a plan, runs it as a job, and
 * puts the output in place if the inputs are still there.
 */
final class Compactor {
  private final StoreContext context;
  private final CompactionPolicy policy;
  private final boolean automatic;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ReentrantLock running = new ReentrantLock(); // one job at a time
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
    lock.lock();
    try {
      hasWork = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Merges all disk fragments into one, even a single one. */
  void compactAll() {
    running.lock();
    try {
      if (closed) {
        throw new UnavailableException("the store is closed: nothing was compacted");
      }
      Optional<CompactionPlan> plan = policy.fullPlan(shapes(diskLinks()));
      if (plan.isPresent()) {
        runPlan(plan.get());
      }
    } catch (CancellationException e) {
      throw new UnavailableException("compaction was given up: the store is closed", e);
    } catch (IOException e) {
      throw new UnavailableException("compaction failed: " + e, e);
    } finally {
      running.unlock();
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
        Optional<CompactionPlan> plan = policy.plan(shapes(diskLinks()));
        while (automatic && plan.isPresent() && !closing) {
          runPlan(plan.get());
          plan = policy.plan(shapes(diskLinks()));
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

  private void runPlan(CompactionPlan plan) throws IOException {
    context.keeper().checkUsable();
    List<Link> links = diskLinks();
    List<Link> inputs = links.subList(plan.from(), plan.to());
    List<Fragment> before = links.subList(0, plan.from()).stream().map(Link::fragment).toList();
    FilePath path = context.keeper().newFragmentPath();
    long start = context.clock().nanos();
    CompactionJob job = context.job(path, inputs, Older.of(before));
    Optional<FragmentProperties> written = job.run(() -> closing);
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

  private static List<FragmentShape> shapes(List<Link> links) {
    List<FragmentShape> shapes = new ArrayList<>();
    for (Link link : links) {
      FragmentProperties properties = ((DiskFragment) link.fragment()).properties();
      shapes.add(
          new FragmentShape(
              link.fragment().bytes(),
              properties.cells(),
              properties.cellErasures() + properties.wideErasures()));
    }
    return shapes;
  }
}
