package io.stele.replicas.push;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.RowRange;
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
import java.util.function.BiFunction;

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
  private static final long PIECE_BYTES = 16L << 20;

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
    if (filledBy(replica, source.get()) >= needed(source.get())) {
      replica.mark().filled();
      parts.events().accept(new ReplicaEvent.Filled(replica.name().toString()));
    }
  }

  /**
   * Whether as many others have their cells, and can read all of them, as would have to fill a
   * replica that is lost. Takes as long as they need to read them.
   */
  boolean canBeFilled(LocalReplica replica) {
    Optional<Partition> source = source(replica);
    if (source.isEmpty() || whole(replica, source.get()) < needed(source.get())) {
      return false;
    }
    RowRange rows = replica.name().rows();
    for (RowRange piece : rows.cutAt(cuts(replica, rows))) {
      if (reading(replica, source.get(), piece) < needed(source.get())) {
        return false;
      }
    }
    return true;
  }

  /** Where to cut so that a piece can be read while somebody waits. */
  private static List<Bytes> cuts(LocalReplica replica, RowRange rows) {
    try {
      return replica.store().cuts(rows, (int) (replica.store().bytes() / PIECE_BYTES) + 1);
    } catch (CorruptDataException | NotServingException e) {
      return List.of(); // where to cut is what cannot be read
    }
  }

  private static int needed(Partition source) {
    return source.members().size() - Acks.MAJORITY.of(source.members().size()) + 1;
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
    return count(
        replica,
        source,
        (_, peer) -> peer.fill(replica.name().table(), source.id(), own, replica.mark().store()));
  }

  /** How many other members have their cells. */
  private int whole(LocalReplica replica, Partition source) {
    return count(
        replica,
        source,
        (member, peer) ->
            peer.progress(replica.name().table(), source.id())
                .thenApply(
                    all ->
                        all.stream()
                            .anyMatch(
                                each -> each.assignment().equals(member) && !each.filling())));
  }

  /** How many other members can read some rows. */
  private int reading(LocalReplica replica, Partition source, RowRange rows) {
    return count(
        replica,
        source,
        (_, peer) ->
            peer.digests(replica.name().table(), source.id(), rows, List.of())
                .thenApply(_ -> true));
  }

  /** How many other members say yes. */
  private int count(
      LocalReplica replica,
      Partition source,
      BiFunction<Assignment, ReplicaPeer, CompletableFuture<Boolean>> question) {
    List<CompletableFuture<Boolean>> asked = new ArrayList<>();
    for (Assignment member : source.members()) {
      if (!member.equals(replica.name().assignment())) {
        parts
            .partners()
            .peer(member.server())
            .ifPresent(peer -> asked.add(question.apply(member, peer)));
      }
    }
    int yes = 0;
    for (CompletableFuture<Boolean> each : asked) {
      try {
        yes += each.get(ASK_SECONDS, TimeUnit.SECONDS) ? 1 : 0;
      } catch (TimeoutException | ExecutionException e) {
        // It does not count, then.
      } catch (InterruptedException e) {
        throw new UnavailableException("interrupted", e);
      }
    }
    return yes;
  }
}
