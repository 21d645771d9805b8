package io.stele.client.table;

import io.stele.base.error.ExhaustedException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.client.call.Endpoint;
import io.stele.protocol.v1.TableAnswer;
import io.stele.protocol.v1.TableOperation;
import io.stele.protocol.wire.ErrorMapping;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;

/**
 * An operation of an exchange and its attempts, one after the other:
 *
 * <pre>
 * how an attempt failed                                  repeatable    not repeatable
 * not sent; NOT_SERVING; UNAVAILABLE; EXHAUSTED          again         again
 * connection lost; too late; OUTCOME_UNKNOWN             again         OutcomeUnknown
 * all else                                               as it is      as it is
 * </pre>
 *
 * <p>When the time is over and a change may have been made by some attempt, it fails with {@code
 * OutcomeUnknown}; otherwise as the last attempt did.
 */
final class PendingOperation extends CompletableFuture<PendingOperation.Answer> {
  private static final int MOST_HINTS = 3;

  /**
   * What a server said.
   *
   * @param incarnation of that server
   */
  record Answer(String address, TableAnswer answer, long incarnation) {}

  private final Exchanges exchanges;
  private final TableOperation.Builder operation;
  private final int bytes;
  private final boolean changes;
  private final BooleanSupplier repeatable;
  private final long deadline;

  // Written by one attempt after the other; each happens after the one before.
  private int attempts;
  private int hintsFollowed;
  private boolean perhapsDone;

  /**
   * An operation to be sent.
   *
   * @param bytes about its size
   * @param changes whether it changes anything
   * @param repeatable whether it may be done twice; only asked when that matters
   * @param deadline by the client's clock
   */
  PendingOperation(
      Exchanges exchanges,
      TableOperation.Builder operation,
      int bytes,
      boolean changes,
      BooleanSupplier repeatable,
      long deadline) {
    this.exchanges = exchanges;
    this.operation = operation;
    this.bytes = bytes;
    this.changes = changes;
    this.repeatable = repeatable;
    this.deadline = deadline;
  }

  String table() {
    return operation.getTable();
  }

  int bytes() {
    return bytes;
  }

  /** True once its time is over. */
  boolean isLate(long now) {
    return now - deadline >= 0;
  }

  /** The message of an attempt. */
  TableOperation message(long id) {
    return operation.setId(id).build();
  }

  void attempt() {
    if (isDone()) {
      return;
    }
    attempts++;
    try {
      exchanges.submit(this);
    } catch (SteleException e) {
      completeExceptionally(e); // the client is closed
    }
  }

  void answered(Endpoint endpoint, TableAnswer answer, long incarnation) {
    if (!answer.hasError()) {
      complete(new Answer(endpoint.address(), answer, incarnation));
      return;
    }
    SteleException problem = ErrorMapping.fromMessage(endpoint.address(), answer.getError());
    failed(endpoint, problem, problem instanceof OutcomeUnknownException, false);
  }

  /**
   * An attempt came to nothing.
   *
   * @param maybe whether it may have been carried out
   * @param unreachable whether there was no connection
   */
  void failed(Endpoint endpoint, SteleException problem, boolean maybe, boolean unreachable) {
    perhapsDone |= maybe && changes;
    boolean passing =
        maybe
            || problem instanceof UnavailableException
            || problem instanceof NotServingException
            || problem instanceof ExhaustedException;
    if (!passing || (maybe && changes && !repeatable.getAsBoolean())) {
      fail(problem);
      return;
    }
    boolean atOnce = false;
    try {
      if (problem instanceof NotServingException elsewhere
          && elsewhere.hint().isPresent()
          && !elsewhere.hint().get().equals(endpoint.address())) {
        exchanges.locations().movedTo(table(), elsewhere.hint().get());
        atOnce = hintsFollowed++ < MOST_HINTS;
      } else if (!(problem instanceof ExhaustedException)) {
        exchanges.locations().leave(table(), endpoint, unreachable);
      }
    } catch (SteleException closed) {
      fail(problem);
      return;
    }
    again(problem, atOnce ? 0 : exchanges.caller().pauseNanos(attempts));
  }

  private void again(SteleException problem, long pause) {
    if (isLate(exchanges.caller().clock().nanos() + pause)) {
      fail(problem);
    } else if (pause == 0) {
      attempt();
    } else {
      try {
        exchanges.later(this::attempt, pause);
      } catch (RejectedExecutionException closed) {
        fail(problem);
      }
    }
  }

  private void fail(SteleException problem) {
    String tried =
        attempts <= 1
            ? ""
            : "table \"" + table() + "\": given up after " + attempts + " attempts; the last one: ";
    String text = tried + problem.getMessage();
    if (perhapsDone) {
      completeExceptionally(
          new OutcomeUnknownException("it may or may not have been done: " + text, problem));
      return;
    }
    completeExceptionally(
        switch (problem) {
          case NotServingException e -> new NotServingException(text, e.hint().orElse(null));
          case ExhaustedException e -> new ExhaustedException(text, e);
          case UnavailableException e -> new UnavailableException(text, e);
          case OutcomeUnknownException e -> new UnavailableException(text, e); // of a read
          default -> problem;
        });
  }
}
