package io.stele.server.front;

import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.UnavailableException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Sends what is asked of a table to those who have tables of its kind. Which kind that is, is known
 * from the last look; who is asked in vain is a reason to look again, and to ask the others if it
 * has changed.
 */
final class Kinds {
  private final ReplicatedKind replicated;

  Kinds(ReplicatedKind replicated) {
    this.replicated = replicated;
  }

  /**
   * Asks the ones or the others.
   *
   * @param ofReplicas answers for replicated tables, and is had only if there is need of it
   * @param ofTablets likewise for tablet tables
   */
  <S, R> R ask(
      String table, Supplier<S> ofReplicas, Supplier<S> ofTablets, Function<S, R> question) {
    boolean known = replicated.has(table);
    try {
      return question.apply(known ? ofReplicas.get() : tabletsOr(table, ofReplicas, ofTablets));
    } catch (NotFoundException e) {
      if (!isOther(table, known, e)) {
        throw e;
      }
      return question.apply(known ? ofTablets.get() : ofReplicas.get());
    }
  }

  /** Those of tablet tables; where there are none at the moment, that is no answer for others. */
  private <S> S tabletsOr(String table, Supplier<S> ofReplicas, Supplier<S> ofTablets) {
    try {
      return ofTablets.get();
    } catch (NotServingException e) {
      if (!isReplicated(table)) {
        throw e;
      }
      return ofReplicas.get();
    }
  }

  /**
   * As {@link #ask}, where answers come later; that there is no such table is always told at once.
   */
  <S, R> CompletableFuture<R> askLater(
      String table,
      Supplier<S> ofReplicas,
      Supplier<S> ofTablets,
      Function<S, CompletableFuture<R>> question) {
    return ask(
        table,
        ofReplicas,
        ofTablets,
        asked -> {
          CompletableFuture<R> answer = question.apply(asked);
          if (answer.isCompletedExceptionally()
              && answer.exceptionNow() instanceof NotFoundException none) {
            throw none;
          }
          return answer;
        });
  }

  /** By the metastore, or by the last look where that cannot be asked. */
  boolean isReplicated(String table) {
    try {
      return replicated.look(table);
    } catch (UnavailableException e) {
      return replicated.has(table);
    }
  }

  private boolean isOther(String table, boolean known, NotFoundException problem) {
    try {
      return replicated.look(table) != known;
    } catch (UnavailableException e) {
      if (known) {
        throw problem; // whoever said so may well be right
      }
      throw new UnavailableException(
          problem.getMessage()
              + "; whether there is a replicated one of that name cannot be told: "
              + e.getMessage(),
          e);
    }
  }
}
