package io.stele.replicas.push;

import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.push.Duty.Target;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what a target has by way of the replica on its server that it took over from, so that
 * it need not be sent:
 *
 * <pre>
 *   replica ──── has sent up to c, confirmed ────► neighbour of the target
 *      ┊                                              │ has handed over all that it had at a
 *      ┊                                              ▼ moment after that
 *      └┄┄┄┄┄┄┄┄┄┄┄┄ need not send up to c ┄┄┄┄┄┄┄► target
 * </pre>
 *
 * A neighbour that is gone was dropped, which it is only when all that should have what it had do.
 * One thread.
 */
final class Neighbour {
  private static final long ANSWER_SECONDS = 10;

  /** What is known of the target. */
  sealed interface Finding {
    /** It has none on this way that the replica does not know of. */
    record Nothing() implements Finding {}

    /** It has all up to a sequence of the replica, and knows METADATA up to another. */
    record Has(long upTo, long metadata) implements Finding {}

    /** Its neighbour has not handed over everything yet. */
    record NotYet() implements Finding {}
  }

  static final Finding NOT_YET = new Finding.NotYet();
  static final Finding NOTHING = new Finding.Nothing();

  private final LocalReplica replica;
  private final Target target;

  private @Nullable Took took; // what is waited for

  /**
   * The target will have what its neighbour had.
   *
   * @param upTo the neighbour has all of the replica up to this sequence
   * @param sequence of the neighbour, at a moment after that
   */
  private record Took(String neighbour, long upTo, long sequence) {}

  Neighbour(LocalReplica replica, Target target) {
    this.replica = replica;
    this.target = target;
  }

  /**
   * Asks.
   *
   * @param base what the replica knows the target to have
   * @throws SteleException if the target's server does not answer
   */
  Finding ask(long base) {
    ReplicaPeer peer =
        replica
            .partners()
            .peer(target.assignment().server())
            .orElseThrow(() -> new UnavailableException(target.assignment() + " is away"));
    Optional<Push.Progress> found = find(peer, target.partition(), target.assignment());
    if (found.isEmpty()) {
      throw new UnavailableException(target.assignment() + " is not there yet");
    }
    Optional<Push.Source> source = found.get().source();
    if (source.isEmpty()) {
      return NOTHING;
    }
    String id = source.get().assignment();
    long known = replica.confirmedBy(id);
    if (known <= base) {
      return NOTHING;
    }
    Optional<Push.Progress> neighbour =
        find(peer, source.get().partition(), new Assignment(target.assignment().server(), id));
    if (neighbour.isEmpty()) {
      return source.get().done() ? new Finding.Has(known, found.get().metadata()) : NOTHING;
    }
    Took waited = took;
    if (waited == null || !waited.neighbour.equals(id)) {
      waited = new Took(id, known, neighbour.get().sequence());
      took = waited;
    }
    if (!hasConfirmed(neighbour.get(), target, waited.sequence)) {
      return NOT_YET;
    }
    took = null;
    return new Finding.Has(waited.upTo, found.get().metadata());
  }

  /** Whether a target has all that a replica had up to a sequence. */
  static boolean hasConfirmed(Push.Progress replica, Target target, long sequence) {
    return replica.confirmed().stream()
        .anyMatch(
            each ->
                each.assignment().equals(target.assignment().id()) && each.sequence() >= sequence);
  }

  private Optional<Push.Progress> find(ReplicaPeer peer, String partition, Assignment assignment) {
    return find(peer, replica.name().table(), partition, assignment);
  }

  /** Asks a server about a replica of its. */
  static Optional<Push.Progress> find(
      ReplicaPeer peer, String table, String partition, Assignment assignment) {
    CompletableFuture<List<Push.Progress>> answer = peer.progress(table, partition);
    try {
      return answer.get(ANSWER_SECONDS, TimeUnit.SECONDS).stream()
          .filter(each -> each.assignment().id().equals(assignment.id()))
          .findFirst();
    } catch (TimeoutException | InterruptedException e) {
      throw new UnavailableException("no answer from " + assignment, e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SteleException failure) {
        throw failure;
      }
      throw new UnavailableException(String.valueOf(e.getCause()), e);
    }
  }
}
