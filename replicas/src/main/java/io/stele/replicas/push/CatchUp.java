package io.stele.replicas.push;

import io.stele.base.cell.CellBatch;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.replicas.partition.PartitionStore;
import io.stele.replicas.partition.Threads;
import io.stele.replicas.push.Duty.Target;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sends a target that is far behind, or new, what the files have: beside the newest changes, which
 * its {@link Sender} sends meanwhile. A half of a split on the same server takes it over as a file;
 * what one on another server has by way of its {@link Neighbour}, or one that joins by way of its
 * {@link Feeder}, is left out. The receiver passes over what it has already.
 */
final class CatchUp {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int TRIES_OF_ONE = 10; // before it starts over, and lets go of the files

  private final Sender sender;
  private final LocalReplica replica;
  private final Target target;
  private final PushSettings settings;
  private final Neighbour neighbour;
  private final Feeder feeder;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private @Nullable Thread thread; // guarded by lock
  private boolean running; // guarded by lock
  private boolean woken; // guarded by lock
  private boolean closed; // guarded by lock

  CatchUp(Sender sender, LocalReplica replica, Target target, PushSettings settings) {
    this.sender = sender;
    this.replica = replica;
    this.target = target;
    this.settings = settings;
    this.neighbour = new Neighbour(replica, target);
    this.feeder = new Feeder(replica, target);
  }

  void startOrWake() {
    lock.lock();
    try {
      if (!running && !closed) {
        running = true;
        thread =
            Thread.ofVirtual()
                .name("catch up " + replica.name() + " to " + target.assignment())
                .start(this::run);
      }
    } finally {
      lock.unlock();
    }
  }

  void wake() {
    lock.lock();
    try {
      woken = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  void awaitEnd() {
    Thread last;
    lock.lock();
    try {
      last = thread;
    } finally {
      lock.unlock();
    }
    if (last != null) {
      Threads.join(last);
    }
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    int failures = 0;
    while (!ended()) {
      try {
        pass();
        failures = 0;
      } catch (SteleException | CompletionException | CancellationException e) {
        pause(sender.backoff(++failures));
      } catch (RuntimeException e) {
        replica.report(
            new ReplicaEvent.BackgroundFailed(
                "sending " + replica.name() + " to " + target.assignment(), e));
        pause(sender.backoff(++failures));
      }
    }
  }

  /**
   * Under the lock of who starts it, so that a gap that opens now finds it ended or sees it run.
   */
  private boolean ended() {
    lock.lock();
    try {
      running = !closed && (sender.base() < sender.gapEnd() || awaitsHeir());
      return !running;
    } finally {
      lock.unlock();
    }
  }

  /** Whether the target is one that has still to take over from the replica. */
  boolean awaitsHeir() {
    return replica
        .handovers()
        .heir(replica, target)
        .filter(each -> !each.beginning().isWhole())
        .isPresent();
  }

  /** Sends all that there is now and that the target has not got on another way. */
  private void pass() {
    if (!replica.beginning().isWhole() || !skipWhatIsThere()) {
      pause(LOOK_NANOS);
      return;
    }
    if (sender.base() < sender.gapEnd()) {
      sendAll();
    }
  }

  /** Moves over what the target has without having been sent it; false if that is still to come. */
  private boolean skipWhatIsThere() {
    long epoch = sender.epoch();
    Optional<LocalReplica> heir = replica.handovers().heir(replica, target);
    if (heir.isPresent()) {
      replica.handovers().handOver(replica, heir.get(), this::isClosed);
      sender.caughtUp(heir.get().beginning().sequence(), heir.get().metadata().sequence(), epoch);
      return true;
    }
    Neighbour.Finding found = neighbour.ask(sender.base());
    if (found instanceof Neighbour.Finding.Nothing) {
      found = feeder.ask(sender.held());
    }
    return switch (found) {
      case Neighbour.Finding.Nothing _ -> true;
      case Neighbour.Finding.NotYet _ -> false;
      case Neighbour.Finding.Has(long upTo, long metadata) -> {
        sender.caughtUp(upTo, metadata, epoch);
        yield true;
      }
    };
  }

  private void sendAll() {
    long epoch = sender.epoch();
    PartitionStore store = replica.store();
    store.whenDurable(sender.gapEnd()).join();
    long cells = 0;
    long metadata = 0;
    try (PartitionStore.Changes changes = store.changesSince(sender.base(), target.rows())) {
      Optional<CellBatch> batch = next(changes);
      while (batch.isPresent()) {
        if (isClosed()) {
          return;
        }
        metadata = Math.max(metadata, send(batch.get(), changes.upTo()).metadata());
        cells += batch.get().cellCount();
        batch = next(changes);
      }
      sender.caughtUp(changes.upTo(), metadata, epoch);
      replica.report(
          new ReplicaEvent.CaughtUp(
              replica.name().toString(), target.assignment().toString(), cells, changes.upTo()));
    }
  }

  /** Much may have to be read for little. */
  private Optional<CellBatch> next(PartitionStore.Changes changes) {
    return replica.handovers().read(() -> changes.next(settings.pushBytes()));
  }

  private Push.Answer send(CellBatch batch, long upTo) {
    for (int failures = 1; ; failures++) {
      Optional<ReplicaPeer> peer = replica.partners().peer(target.assignment().server());
      try {
        if (peer.isPresent()) {
          return sender.send(peer.get(), List.of(batch), upTo, true);
        }
      } catch (SteleException e) {
        if (failures >= TRIES_OF_ONE || isClosed()) {
          throw e;
        }
      }
      if (isClosed()) {
        throw new UnavailableException("closed");
      }
      pause(sender.backoff(failures));
    }
  }

  private void pause(long nanos) {
    long left = nanos;
    lock.lock();
    try {
      while (left > 0 && !woken && !closed) {
        left = Threads.await(changed, left);
      }
      woken = false;
    } finally {
      lock.unlock();
    }
  }
}
