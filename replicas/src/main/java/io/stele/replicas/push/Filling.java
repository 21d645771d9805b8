package io.stele.replicas.push;

import io.stele.base.error.UnavailableException;
import io.stele.base.table.Consistency.Acks;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.Partition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Has the other members fill a replica whose directory was lost. A change that a majority had,
 * counting the lost replica, is at one member less now; so that it is there again wherever a
 * majority is asked, as many others must have sent everything that each such majority has one among
 * them:
 *
 * <pre>
 *   members   majority   others that must have filled it
 *   n         m          n - m + 1                           3 members: both others; 5: three of four
 * </pre>
 *
 * A replica that is itself being filled fills no other. If too few members have their cells,
 * nothing is served: what was acknowledged may be lost, and that is for people to decide about.
 */
final class Filling {
  private static final long ASK_SECONDS = 5;

  private final ReplicaParts parts;

  Filling(ReplicaParts parts) {
    this.parts = parts;
  }

  /** Asks the others, if the replica was lost; they send it everything meanwhile. */
  void fillIfLost(LocalReplica replica) throws IOException {
    if (!replica.mark().isFilling()) {
      return;
    }
    Optional<Partition> source = source(replica);
    if (source.isEmpty()) {
      return;
    }
    List<Assignment> members = source.get().members();
    int needed = members.size() - Acks.MAJORITY.of(members.size()) + 1;
    if (filledBy(replica, source.get()) >= needed) {
      replica.mark().filled();
      parts.events().accept(new ReplicaEvent.Filled(replica.name().toString()));
    }
  }

  /** The partition whose members have its cells: its own, or the one of which it is a half. */
  private static Optional<Partition> source(LocalReplica replica) {
    Metadata metadata = replica.metadata();
    String id = replica.name().partition();
    return metadata.partitions().stream()
        .filter(
            each ->
                each.id().equals(id) || each.split().flatMap(split -> split.half(id)).isPresent())
        .findFirst();
  }

  private int filledBy(LocalReplica replica, Partition source) {
    Assignment own = replica.name().assignment();
    List<CompletableFuture<Boolean>> asked = new ArrayList<>();
    for (Assignment member : source.members()) {
      if (!member.equals(own)) {
        parts
            .partners()
            .peer(member.server())
            .ifPresent(
                peer ->
                    asked.add(
                        peer.fill(
                            replica.name().table(), source.id(), own, replica.mark().store())));
      }
    }
    int filled = 0;
    for (CompletableFuture<Boolean> each : asked) {
      try {
        filled += each.get(ASK_SECONDS, TimeUnit.SECONDS) ? 1 : 0;
      } catch (TimeoutException | ExecutionException e) {
        // It does not count, then.
      } catch (InterruptedException e) {
        throw new UnavailableException("interrupted", e);
      }
    }
    return filled;
  }
}
