package io.stele.replicas.push;

import io.stele.base.error.UnavailableException;
import io.stele.base.file.FileStore;
import io.stele.replicas.partition.PartitionStore;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

/**
 * What a replica began with: nothing, or the cells that it takes over from another. Until it has
 * those it takes changes, but must not say that anybody has all of it, nor hand anything over.
 */
final class Beginning {
  private final FileStore directory;
  private final Semaphore taking = new Semaphore(1); // held over the whole of it
  private volatile Optional<Takeover> takeover; // written by who holds taking
  private volatile boolean closed;

  Beginning(FileStore directory, Optional<Takeover> takeover) {
    this.directory = directory;
    this.takeover = takeover;
  }

  boolean isWhole() {
    return takeover.map(Takeover::done).orElse(true);
  }

  /** The sequence behind which the replica began. */
  long sequence() {
    return takeover.map(Takeover::sequence).orElse(0L);
  }

  Optional<Push.Source> source() {
    return takeover.map(each -> new Push.Source(each.partition(), each.assignment(), each.done()));
  }

  /** Whether it is of a replica that this one takes over from. */
  boolean isFrom(Replica other) {
    return takeover.filter(each -> each.assignment().equals(other.assignment().id())).isPresent();
  }

  /** Whether nothing is to be taken over any more, or from a replica that there is. */
  boolean isFromOneOf(Set<String> assignments) {
    return isWhole()
        || takeover.filter(each -> assignments.contains(each.assignment())).isPresent();
  }

  /** Begins with nothing, as what was to be taken over is lost here: others will send it. */
  void giveUp() throws IOException {
    taking.acquireUninterruptibly();
    try {
      Takeover.delete(directory);
      takeover = Optional.empty();
    } finally {
      taking.release();
    }
  }

  /**
   * Takes over all of it, if that was not done before.
   *
   * @return how many cells it was
   * @throws CancellationException if asked to stop, or the replica is closed
   */
  long takeOver(LocalReplica replica, LocalReplica from, BooleanSupplier cancelled) {
    taking.acquireUninterruptibly();
    try {
      Takeover wanted = takeover.orElseThrow();
      if (wanted.done()) {
        return 0;
      }
      PartitionStore store = replica.store();
      long cells =
          store.takeOver(
              from.store(),
              replica.name().rows(),
              wanted.sequence(),
              () -> closed || cancelled.getAsBoolean());
      if (closed) {
        throw new CancellationException("replica " + replica.name() + " is closed");
      }
      wanted.asDone().save(directory);
      takeover = Optional.of(wanted.asDone());
      return cells;
    } catch (IOException e) {
      throw new UnavailableException(
          "replica " + replica.name() + " could not note what it took over: " + e, e);
    } finally {
      taking.release();
    }
  }

  /** Stops what is under way, and waits for its end. */
  void close() {
    closed = true;
    taking.acquireUninterruptibly();
    taking.release();
  }
}
