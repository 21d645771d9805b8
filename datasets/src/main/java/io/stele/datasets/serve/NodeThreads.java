package io.stele.datasets.serve;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a running node: the keeper, which decides whenever something has changed and once
 * in a while; one that looks after lookups of which other nodes have not answered in time; those
 * that load, as many as files may be read at a time; and one for each piece of work that only waits
 * for a disk or the source.
 */
final class NodeThreads implements AutoCloseable {
  private static final long LONGEST_REST = 500_000_000L; // what is due by the clock is that late

  /** Not virtual ones: lookups that never wait could keep those from running at all. */
  private final ExecutorService work =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().daemon().name("dataset-work-", 1).factory());

  private final ExecutorService loads;
  private volatile boolean woken;
  private volatile boolean closed;
  private volatile @Nullable Thread keeper;
  private volatile @Nullable Thread lookups;

  NodeThreads(int parallelLoads) {
    loads =
        Executors.newFixedThreadPool(
            parallelLoads, Thread.ofPlatform().daemon().name("dataset-load-", 1).factory());
  }

  Executor work() {
    return work;
  }

  Executor loads() {
    return loads;
  }

  void start(Runnable step) {
    keeper =
        Thread.ofPlatform()
            .daemon()
            .name("dataset-keeper")
            .start(
                () -> {
                  while (!closed) {
                    woken = false;
                    step.run();
                    if (!woken && !closed) {
                      LockSupport.parkNanos(LONGEST_REST);
                    }
                  }
                });
  }

  void startLookups(PeerLookup peers) {
    Thread started =
        Thread.ofPlatform()
            .daemon()
            .name("dataset-lookups")
            .unstarted(
                () -> {
                  while (!closed) {
                    long nanos = peers.tick();
                    if (nanos == PeerLookup.NOTHING) {
                      LockSupport.park();
                    } else {
                      LockSupport.parkNanos(nanos);
                    }
                  }
                });
    lookups = started;
    peers.whenNeeded(() -> LockSupport.unpark(started));
    started.start();
  }

  void wake() {
    woken = true;
    LockSupport.unpark(keeper);
  }

  @Override
  public void close() {
    closed = true;
    wake();
    LockSupport.unpark(lookups);
    boolean interrupted = join(keeper);
    interrupted |= join(lookups);
    // Loads have been told to end, and do so with the read they are in.
    loads.shutdown();
    work.shutdown();
    try {
      if (!loads.awaitTermination(30, TimeUnit.SECONDS)
          || !work.awaitTermination(30, TimeUnit.SECONDS)) {
        loads.shutdownNow();
        work.shutdownNow();
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean join(@Nullable Thread running) {
    try {
      if (running != null) {
        running.join();
      }
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }
}
