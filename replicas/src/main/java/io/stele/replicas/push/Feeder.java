package io.stele.replicas.push;

import io.stele.base.error.SteleException;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Partition;
import io.stele.replicas.push.Duty.Target;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Has one member copy everything to a server that joins, and not each of them. That is the first
 * live one in the order of METADATA; the others wait until the joiner has what they know the feeder
 * to have, and send only the rest:
 *
 * <pre>
 *   replica ──── has sent up to c, confirmed ────► feeder, at its sequence s
 *      ┊                                              │ has sent all up to s, confirmed
 *      ┊                                              ▼
 *      └┄┄┄┄┄┄┄┄┄┄┄┄ need not send up to c ┄┄┄┄┄┄┄► joiner
 * </pre>
 *
 * Each waits only for members before it, so that no two wait for each other; and only as long as a
 * slow copy takes, after which it copies as well. All this is true of stores that were never lost:
 * the feeder's must be the one that confirmed, and neither it nor the joiner may be being filled.
 * One thread.
 */
final class Feeder {
  private static final long SLOW_BYTES_PER_SECOND = 4 << 20;
  private static final long LEAST_SECONDS = 10;

  private final LocalReplica replica;
  private final Target target;

  private @Nullable Wait wait; // none before the first question
  private boolean alone; // has given up

  /**
   * For a feeder.
   *
   * @param upTo the feeder has all of the replica up to this sequence
   * @param store of the feeder, that this is true of
   * @param sequence of the feeder, at a moment after that
   * @param end when it is given up, by the clock's nanoseconds
   */
  private record Wait(Assignment feeder, long upTo, String store, long sequence, long end) {}

  Feeder(LocalReplica replica, Target target) {
    this.replica = replica;
    this.target = target;
  }

  /**
   * Asks what the target has by way of a feeder.
   *
   * @param held what the replica knows the target to have
   */
  Neighbour.Finding ask(Optional<SequenceMap.Held> held) {
    if (alone || held.isEmpty() || held.get().sequence() > 0) {
      return Neighbour.NOTHING; // it was fed, or the store that it has now is not known
    }
    try {
      return feeder().map(each -> ask(each, held.get().store())).orElse(Neighbour.NOTHING);
    } catch (SteleException e) {
      return Neighbour.NOTHING; // the feeder is away: the next one feeds
    }
  }

  /** The first live member, if the target joins, or did, and this is not the replica itself. */
  private Optional<Assignment> feeder() {
    Optional<Partition> partition = replica.metadata().partition(target.partition());
    if (partition.isEmpty() || (wait == null && !joins(partition.get()))) {
      return Optional.empty();
    }
    Assignment own = replica.name().assignment();
    return partition.get().members().stream()
        .filter(each -> !each.equals(target.assignment()))
        .filter(each -> each.equals(own) || replica.partners().peer(each.server()).isPresent())
        .findFirst()
        .filter(each -> !each.equals(own));
  }

  private boolean joins(Partition partition) {
    return partition.joining().stream()
        .anyMatch(each -> each.assignment().equals(target.assignment()));
  }

  private Neighbour.Finding ask(Assignment feeder, String targetStore) {
    Optional<SequenceMap.Held> has = replica.heldBy(feeder.id());
    Optional<Push.Progress> progress = progress(target.partition(), feeder);
    if (has.isEmpty()
        || progress.isEmpty()
        || progress.get().filling()
        || !progress.get().store().equals(has.get().store())) {
      return Neighbour.NOTHING;
    }
    long now = replica.clock().nanos();
    Wait current = wait;
    if (current == null
        || !current.feeder.equals(feeder)
        || !current.store.equals(has.get().store())) {
      current =
          new Wait(
              feeder,
              has.get().sequence(),
              has.get().store(),
              progress.get().sequence(),
              now + patience());
      wait = current;
    }
    if (!Neighbour.hasConfirmed(progress.get(), target, current.sequence)) {
      alone = now - current.end > 0;
      return alone ? Neighbour.NOTHING : Neighbour.NOT_YET;
    }
    // After the feeder, so that it is not another store that has it.
    Optional<Push.Progress> joiner = progress(target.partition(), target.assignment());
    return joiner.isPresent() && !joiner.get().filling() && joiner.get().store().equals(targetStore)
        ? new Neighbour.Finding.Has(current.upTo, joiner.get().metadata())
        : Neighbour.NOTHING;
  }

  private long patience() {
    return TimeUnit.SECONDS.toNanos(
        LEAST_SECONDS + replica.store().bytes() / SLOW_BYTES_PER_SECOND);
  }

  private Optional<Push.Progress> progress(String partition, Assignment assignment) {
    return replica
        .partners()
        .peer(assignment.server())
        .flatMap(peer -> Neighbour.find(peer, replica.name().table(), partition, assignment));
  }
}
