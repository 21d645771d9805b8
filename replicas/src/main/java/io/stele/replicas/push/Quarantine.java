package io.stele.replicas.push;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.replicas.metadata.Partition;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.Function;

/**
 * Sets replicas aside whose reads find corrupt data, so that the other members fill them again, as
 * if they had been lost ({@link Filling}).
 *
 * <p>Most of a corrupt replica can still be read, and may be needed: it is set aside only if as
 * many other members have their cells, and can read them, as must fill it. Two members that are
 * found corrupt at the same time must not count on each other: each says that it is being filled
 * before it asks the others, and stays as it is if too few are left. So does a replica whose
 * partition is being split, whose halves take over from it, and one that leaves, which nobody would
 * fill. Whoever reads corrupt data next tries again.
 */
final class Quarantine {
  private final Filling filling;
  private final ReplicaParts parts;
  private final Function<String, Optional<LocalReplica>> local; // by assignment
  private final BiPredicate<LocalReplica, String> setAside;
  private final Set<String> underWay = ConcurrentHashMap.newKeySet(); // assignments
  private final Set<String> told = ConcurrentHashMap.newKeySet(); // assignments that stay

  /**
   * Sets nothing aside until corrupt data is found.
   *
   * @param setAside sets a replica aside, with the reason, and begins another in its place; false
   *     if it is not here any more
   */
  Quarantine(
      Filling filling,
      ReplicaParts parts,
      Function<String, Optional<LocalReplica>> local,
      BiPredicate<LocalReplica, String> setAside) {
    this.filling = filling;
    this.parts = parts;
    this.local = local;
    this.setAside = setAside;
  }

  /** A read found corrupt data; gives what the reader is told: to ask another, if there is one. */
  SteleException found(String assignment, CorruptDataException problem) {
    Optional<LocalReplica> replica = local.apply(assignment);
    if (replica.isPresent() && underWay.add(assignment)) {
      Thread.ofVirtual()
          .name("stele-replica-quarantine")
          .start(() -> setAsideIfPossible(replica.get(), problem));
    }
    return replica.isEmpty() || isAlone(replica.get())
        ? problem
        : new NotServingException(
            "replica " + replica.get().name() + " cannot be read: " + problem.getMessage());
  }

  private static boolean isAlone(LocalReplica replica) {
    return replica.duty().targets().isEmpty();
  }

  private void setAsideIfPossible(LocalReplica replica, CorruptDataException problem) {
    String assignment = replica.name().assignment().id();
    String why = String.valueOf(problem.getMessage());
    try {
      replica.suspect(true);
      if (mayGo(replica) && filling.canBeFilled(replica)) {
        if (setAside.test(replica, why)) {
          told.remove(assignment);
        }
      } else if (told.add(assignment)) {
        parts.events().accept(new ReplicaEvent.Corrupt(replica.name().toString(), why));
      }
    } catch (RuntimeException e) {
      parts
          .events()
          .accept(
              new ReplicaEvent.BackgroundFailed("setting replica " + replica.name() + " aside", e));
    } finally {
      replica.suspect(false);
      underWay.remove(assignment);
    }
  }

  private static boolean mayGo(LocalReplica replica) {
    Duty.Role role = replica.duty().role();
    boolean splits =
        replica
            .metadata()
            .partition(replica.name().partition())
            .flatMap(Partition::split)
            .isPresent();
    return (role == Duty.Role.SERVING || role == Duty.Role.JOINING) && !splits;
  }
}
