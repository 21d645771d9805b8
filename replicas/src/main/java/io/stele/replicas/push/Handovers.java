package io.stele.replicas.push;

import io.stele.replicas.push.Duty.Target;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Has the halves of a split take over what the replica of the split partition on the same server
 * has. One at a time, and on a thread of its own: it is work for processor and disk alone, for
 * which virtual threads, of which few run at once, would keep those of readers and writers waiting.
 */
final class Handovers implements AutoCloseable {
  private final Function<String, Optional<LocalReplica>> local; // by assignment
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("stele-replica-handover").factory());

  Handovers(Function<String, Optional<LocalReplica>> local) {
    this.local = local;
  }

  /** A target on this server that takes over from a replica. */
  Optional<LocalReplica> heir(LocalReplica from, Target target) {
    return local
        .apply(target.assignment().id())
        .filter(each -> each.beginning().isFrom(from.name()));
  }

  /**
   * Has a target take over from a replica.
   *
   * @throws CancellationException if asked to stop, or one of them is closed
   */
  void handOver(LocalReplica from, LocalReplica heir, BooleanSupplier cancelled) {
    Beginning beginning = heir.beginning();
    if (beginning.isWhole()) {
      return;
    }
    from.store().whenDurable(beginning.sequence()).join();
    try {
      long cells =
          CompletableFuture.supplyAsync(() -> beginning.takeOver(heir, from, cancelled), thread)
              .join();
      heir.report(
          new ReplicaEvent.TakenOver(
              heir.name().toString(), from.name().toString(), cells, beginning.sequence()));
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw e;
    }
    heir.retryNow(); // it may hand over, and send, what it has
  }

  @Override
  public void close() {
    thread.shutdown(); // those that wait are asked to stop, and do so
  }
}
