package io.stele.testkit.table;

import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * What its caller knows of a change. Only what passes with the fault that caused it is an outcome:
 * anything else, such as a table that is said not to exist, is thrown on.
 */
enum Attempt {
  DONE,
  NOT_DONE,
  UNKNOWN;

  /** Makes a change and waits for the answer. */
  static Attempt of(Supplier<CompletableFuture<?>> change) {
    try {
      TableFixture.answer(change.get());
      return DONE;
    } catch (SteleException e) {
      return after(e);
    }
  }

  /** What a failure says of the change. */
  static Attempt after(SteleException failure) {
    if (failure instanceof OutcomeUnknownException) {
      return UNKNOWN;
    }
    if (failure.retryable()) {
      return NOT_DONE;
    }
    throw failure;
  }
}
