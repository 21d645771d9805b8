package io.stele.client.table;

import io.stele.base.cell.CellBatch;
import io.stele.base.cell.RequestMark;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.FencedException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.client.call.Endpoint;
import io.stele.protocol.v1.TableAnswer;
import io.stele.protocol.v1.TableOperation;
import io.stele.protocol.wire.ErrorMapping;
import io.stele.protocol.wire.WireCells;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An operation of an exchange and its attempts, one after the other. Each begins with the question
 * to which server it goes.
 *
 * <pre>
 * how an attempt failed                                  repeatable    not repeatable
 * not sent; NOT_SERVING; UNAVAILABLE; EXHAUSTED          again         again
 * connection lost; too late; OUTCOME_UNKNOWN; FENCED     again         OutcomeUnknown
 * all else                                               as it is      as it is
 * </pre>
 *
 * <p>A server that is fenced has lost its tablets, perhaps after it made the change. But what can
 * be done at one server alone fails with {@code Fenced} as it is.
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
  record Answer(Endpoint endpoint, TableAnswer answer, long incarnation) {}

  private final Exchanges exchanges;
  private final TableOperation.Builder operation;
  private final Target target;
  private final boolean once;
  private final int bytes;
  private final boolean changes;
  private final BooleanSupplier repeatable;
  private final long deadline;

  // Written by one attempt after the other; each happens after the one before.
  private int attempts;
  private int hintsFollowed;
  private boolean perhapsDone;
  private @Nullable SteleException refused; // why the attempt before came to nothing

  /**
   * An operation to be sent.
   *
   * @param once if it fails in passing, that is the end of it: its caller decides what comes next
   * @param bytes about its size
   * @param changes whether it changes anything
   * @param repeatable whether it may be done twice; only asked when that matters
   * @param deadline by the client's clock
   */
  PendingOperation(
      Exchanges exchanges,
      TableOperation.Builder operation,
      Target target,
      boolean once,
      int bytes,
      boolean changes,
      BooleanSupplier repeatable,
      long deadline) {
    this.exchanges = exchanges;
    this.operation = operation;
    this.target = target;
    this.once = once;
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

  boolean changes() {
    return changes;
  }

  /** True once its time is over. */
  boolean isLate(long now) {
    return now - deadline >= 0;
  }

  /** The message of an attempt. */
  TableOperation message(long id) {
    return operation.setId(id).build();
  }

  /** From now on its mark says that it was sent before. */
  private void sendAgain() {
    if (perhapsDone && operation.hasApply()) {
      CellBatch cells = WireCells.cells(operation.getApply().getCells());
      operation.getApplyBuilder().setCells(WireCells.toWire(RequestMark.again(cells)));
    }
  }

  /** Whether it may go elsewhere after it was sent, without an answer. */
  boolean mayMove() {
    return target.movable() && (!changes || repeatable.getAsBoolean());
  }

  /** Where it belongs at present. */
  CompletableFuture<Endpoint> whereNow() {
    return target.find();
  }

  /** Whether some attempt may have made the change without an answer; asked when it has failed. */
  boolean perhapsDone() {
    return perhapsDone;
  }

  void attempt() {
    if (isDone()) {
      return;
    }
    attempts++;
    try {
      Endpoint known = target.known();
      if (known != null) {
        exchanges.submit(this, known);
      } else {
        locate();
      }
    } catch (SteleException e) {
      completeExceptionally(e); // the client is closed
    }
  }

  private void locate() {
    exchanges.locating(this, true);
    var _ =
        target
            .find()
            .whenComplete(
                (found, problem) -> {
                  exchanges.locating(this, false);
                  if (isDone()) {
                    return; // its time was over
                  }
                  if (problem == null) {
                    submit(found);
                  } else {
                    notLocated(Table.failure(problem));
                  }
                });
  }

  private void submit(Endpoint endpoint) {
    try {
      exchanges.submit(this, endpoint);
    } catch (SteleException e) {
      completeExceptionally(e); // the client is closed
    }
  }

  /** Nobody could tell where it goes. */
  void notLocated(SteleException problem) {
    if (passes(problem) || problem instanceof OutcomeUnknownException) {
      again(problem, exchanges.caller().pauseNanos(attempts));
    } else {
      fail(problem);
    }
  }

  /** Its time was over before somebody told where it goes; what was said before tells more. */
  void notLocatedInTime() {
    SteleException before = refused;
    fail(
        before != null
            ? before
            : new UnavailableException(
                "no server told in time where table \"" + table() + "\" is"));
  }

  /** What is thrown when the time is over: to callers, a server that is fenced serves nothing. */
  static SteleException last(SteleException problem) {
    return problem instanceof FencedException
        ? new NotServingException(String.valueOf(problem.getMessage()))
        : problem;
  }

  /** True of failures after which another attempt, perhaps elsewhere, may do better. */
  static boolean passes(SteleException problem) {
    return problem instanceof UnavailableException
        || problem instanceof NotServingException
        || problem instanceof FencedException
        || problem instanceof ExhaustedException;
  }

  void answered(Endpoint endpoint, TableAnswer answer, long incarnation) {
    if (!answer.hasError()) {
      complete(new Answer(endpoint, answer, incarnation));
      return;
    }
    SteleException problem = ErrorMapping.fromMessage(endpoint.address(), answer.getError());
    failed(endpoint, problem, leavesDoubt(problem), false);
  }

  /** True of answers after which nobody knows whether a change was made. */
  static boolean leavesDoubt(SteleException problem) {
    return problem instanceof OutcomeUnknownException || problem instanceof FencedException;
  }

  /**
   * An attempt came to nothing.
   *
   * @param maybe whether it may have been carried out
   * @param unreachable whether there was no connection, or nothing came over it
   */
  void failed(Endpoint endpoint, SteleException problem, boolean maybe, boolean unreachable) {
    if (problem instanceof FencedException && !target.movable()) {
      completeExceptionally(problem);
      return;
    }
    perhapsDone |= maybe && changes;
    if (!(maybe || passes(problem)) || (maybe && changes && !repeatable.getAsBoolean())) {
      fail(problem);
      return;
    }
    boolean atOnce = false;
    try {
      if (problem instanceof NotServingException elsewhere
          && elsewhere.hint().isPresent()
          && !elsewhere.hint().get().equals(endpoint.address())
          && hintsFollowed++ < MOST_HINTS) {
        target.movedTo(elsewhere.hint().get());
        atOnce = true;
      } else if (!(problem instanceof ExhaustedException)) {
        target.leave(endpoint, unreachable);
      }
    } catch (SteleException closed) {
      fail(problem);
      return;
    }
    again(problem, atOnce ? 0 : exchanges.caller().pauseNanos(attempts));
  }

  private void again(SteleException problem, long pause) {
    if (once || isLate(exchanges.caller().clock().nanos() + pause)) {
      fail(problem);
      return;
    }
    refused = problem;
    sendAgain();
    if (pause == 0) {
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
          case FencedException e -> new NotServingException(text);
          case ExhaustedException e -> new ExhaustedException(text, e);
          case UnavailableException e -> new UnavailableException(text, e);
          case OutcomeUnknownException e -> new UnavailableException(text, e); // of a read
          default -> problem;
        });
  }
}
