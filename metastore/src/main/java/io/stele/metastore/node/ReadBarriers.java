package io.stele.metastore.node;

import io.stele.base.time.Clock;
import io.stele.metastore.Consistency;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** What a read has to wait for before it may look at the state. */
final class ReadBarriers {
  private static final CompletableFuture<Void> NOTHING = CompletableFuture.completedFuture(null);

  private final Clock clock;
  private final long leaseNanos;
  private final Supplier<CompletableFuture<Void>> log;
  // When the call of the newest barrier that succeeded was made; none since the lead was lost.
  private volatile Optional<Long> confirmed = Optional.empty();
  private volatile long lead; // how often it was lost: a barrier from before confirms nothing after

  ReadBarriers(Clock clock, Duration lease, Supplier<CompletableFuture<Void>> log) {
    this.clock = clock;
    this.leaseNanos = lease.toNanos();
    this.log = log;
  }

  CompletableFuture<Void> before(Consistency consistency) {
    return switch (consistency) {
      case LINEARIZABLE -> linearizable();
      case LEASE -> isTrusted() ? NOTHING : linearizable();
      case STALE -> NOTHING;
    };
  }

  CompletableFuture<Void> linearizable() {
    // From the call on, not from the answer: the majority may have confirmed right after the call.
    long asked = clock.nanos();
    long during = lead;
    CompletableFuture<Void> barrier = log.get();
    if (barrier.isDone()) {
      if (!barrier.isCompletedExceptionally()) {
        confirm(asked, during);
      }
      return barrier;
    }
    return barrier.thenRun(() -> confirm(asked, during));
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time tells of the lead
  void leadLost() {
    lead++;
    confirmed = Optional.empty();
  }

  private synchronized void confirm(long asked, long during) {
    if (during == lead && confirmed.map(before -> asked - before > 0).orElse(true)) {
      confirmed = Optional.of(asked);
    }
  }

  private boolean isTrusted() {
    Optional<Long> at = confirmed;
    return at.isPresent() && clock.nanos() - at.get() < leaseNanos;
  }
}
