package io.stele.replicas.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.partition.StoredCells;
import io.stele.replicas.push.ReplicaPeer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/** Asks the replicas of a partition, all at once. */
final class Gathering {
  private final Machinery machinery;

  Gathering(Machinery machinery) {
    this.machinery = machinery;
  }

  /** What became of asking one replica. */
  record Answer<T>(Assignment from, Optional<T> value, String problem) {}

  /** Asks all of some assignments, and waits for those that answer in time. */
  <T> List<Answer<T>> ask(
      List<Assignment> assignments, Function<ReplicaPeer, CompletableFuture<T>> question) {
    return begin(assignments, question).all();
  }

  /** Asks all of some assignments, and waits for nobody. */
  <T> Asked<T> begin(
      List<Assignment> assignments, Function<ReplicaPeer, CompletableFuture<T>> question) {
    List<CompletableFuture<T>> asked = new ArrayList<>();
    for (Assignment assignment : assignments) {
      asked.add(start(assignment, question));
    }
    return new Asked<>(assignments, asked);
  }

  /** Assignments that were asked. */
  final class Asked<T> {
    private final List<Assignment> assignments;
    private final List<CompletableFuture<T>> asked;
    private final long deadline;

    private Asked(List<Assignment> assignments, List<CompletableFuture<T>> asked) {
      this.assignments = assignments;
      this.asked = asked;
      this.deadline = machinery.clock().nanos() + machinery.settings().peerTimeout().toNanos();
    }

    /** Waits for all that answer in time. */
    List<Answer<T>> all() {
      List<Answer<T>> answers = new ArrayList<>();
      for (int i = 0; i < asked.size(); i++) {
        answers.add(await(assignments.get(i), asked.get(i), deadline));
      }
      return answers;
    }

    /**
     * Waits until enough have answered, or no more will; gives what they answered. Those that are
     * slow, or stopped, hold up nobody as long as the others are enough.
     */
    List<Answer<T>> first(Predicate<List<Assignment>> enough) {
      CompletableFuture<Boolean> done = new CompletableFuture<>();
      for (CompletableFuture<T> each : asked) {
        var _ =
            each.whenComplete(
                (_, _) -> {
                  if (enough.test(answered())
                      || asked.stream().allMatch(CompletableFuture::isDone)) {
                    done.complete(true);
                  }
                });
      }
      Answer<Boolean> _ = await(assignments.getFirst(), done, deadline);
      return answers();
    }

    private List<Assignment> answered() {
      return answers().stream().map(Answer::from).toList();
    }

    /** Of those that have answered by now. */
    List<Answer<T>> answers() {
      List<Answer<T>> answers = new ArrayList<>();
      for (int i = 0; i < asked.size(); i++) {
        if (asked.get(i).state() == Future.State.SUCCESS) {
          answers.add(new Answer<>(assignments.get(i), Optional.of(asked.get(i).resultNow()), ""));
        }
      }
      return answers;
    }

    /** Calls with each answer that comes later than those. */
    void whenLate(List<Answer<T>> before, Consumer<Answer<T>> late) {
      for (int i = 0; i < asked.size(); i++) {
        Assignment from = assignments.get(i);
        if (before.stream().noneMatch(each -> each.from().equals(from))) {
          var _ =
              asked
                  .get(i)
                  .thenAccept(value -> late.accept(new Answer<>(from, Optional.of(value), "")));
        }
      }
    }
  }

  private <T> CompletableFuture<T> start(
      Assignment assignment, Function<ReplicaPeer, CompletableFuture<T>> question) {
    Optional<ReplicaPeer> peer = machinery.peer(assignment.server());
    if (peer.isEmpty()) {
      return CompletableFuture.failedFuture(
          new UnavailableException("server " + assignment.server() + " is not running"));
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
  List<Answer<ReplicaPeer.Stored>> stored(
      String table, String partition, List<Assignment> replicas, RowRange rows, int maxBytes) {
    return ask(replicas, peer -> peer.stored(table, partition, ReadPredicate.rows(rows), maxBytes));
  }

  /** The first row that not all of these have answered for; none if all have to the end. */
  static Optional<Bytes> commonEnd(List<StoredCells> cells) {
    return cells.stream().flatMap(each -> each.end().stream()).min(Bytes::compareTo);
  }
}
