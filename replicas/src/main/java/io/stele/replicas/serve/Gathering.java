package io.stele.replicas.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.RowRange;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.partition.StoredCells;
import io.stele.replicas.push.Push;
import io.stele.replicas.push.ReplicaPeer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Asks the replicas of a partition, all at once. */
final class Gathering {
  private final Machinery machinery;

  Gathering(Machinery machinery) {
    this.machinery = machinery;
  }

  /** What became of asking one replica. */
  record Answer<T>(Assignment from, Optional<T> value, String problem) {}

  /**
   * What a replica has stored, and which METADATA it knew meanwhile.
   *
   * @param metadata its sequence
   */
  record Stored(StoredCells cells, long metadata) {}

  /** Asks all of some assignments, and waits for those that answer in time. */
  <T> List<Answer<T>> ask(
      List<Assignment> assignments, Function<ReplicaPeer, CompletableFuture<T>> question) {
    List<CompletableFuture<T>> asked = new ArrayList<>();
    for (Assignment assignment : assignments) {
      asked.add(start(assignment, question));
    }
    List<Answer<T>> answers = new ArrayList<>();
    long deadline = machinery.clock().nanos() + machinery.settings().peerTimeout().toNanos();
    for (int i = 0; i < asked.size(); i++) {
      answers.add(await(assignments.get(i), asked.get(i), deadline));
    }
    return answers;
  }

  private <T> CompletableFuture<T> start(
      Assignment assignment, Function<ReplicaPeer, CompletableFuture<T>> question) {
    Optional<ReplicaPeer> peer = machinery.peer(assignment.server());
    if (peer.isEmpty()) {
      return CompletableFuture.failedFuture(
          new UnavailableException("server " + assignment.server() + " does not live"));
    }
    try {
      return question.apply(peer.get());
    } catch (SteleException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private <T> Answer<T> await(Assignment from, CompletableFuture<T> asked, long deadline) {
    try {
      long left = Math.max(deadline - machinery.clock().nanos(), 1);
      return new Answer<>(from, Optional.of(asked.get(left, TimeUnit.NANOSECONDS)), "");
    } catch (ExecutionException | CompletionException e) {
      return new Answer<>(from, Optional.empty(), String.valueOf(cause(e).getMessage()));
    } catch (TimeoutException e) {
      return new Answer<>(
          from, Optional.empty(), "no answer within " + machinery.settings().peerTimeout());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Answer<>(from, Optional.empty(), "interrupted");
    }
  }

  private static Throwable cause(Throwable failure) {
    return failure.getCause() == null ? failure : failure.getCause();
  }

  /** What each of some replicas of a partition has stored of some rows. */
  List<Answer<Stored>> stored(
      String table, String partition, List<Assignment> replicas, RowRange rows, int maxBytes) {
    return ask(
        replicas,
        peer -> {
          CompletableFuture<List<Push.Progress>> progress = peer.progress(table, partition);
          return peer.stored(table, partition, rows, maxBytes)
              .thenCombine(progress, (cells, known) -> new Stored(cells, newest(partition, known)));
        });
  }

  private static long newest(String partition, List<Push.Progress> known) {
    return known.stream()
        .mapToLong(Push.Progress::metadata)
        .max()
        .orElseThrow(() -> new NotServingException("no replica of partition " + partition));
  }

  /** The first row that not all of these have answered for; none if all have to the end. */
  static Optional<Bytes> commonEnd(List<StoredCells> cells) {
    return cells.stream().flatMap(each -> each.end().stream()).min(Bytes::compareTo);
  }
}
