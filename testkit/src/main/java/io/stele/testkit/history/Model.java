package io.stele.testkit.history;

import java.util.Optional;

/**
 * What a correct object does, one call after the other: the specification that a concurrent history
 * is held against. The object is partitioned: each partition has a state of its own.
 *
 * <p>The last six methods only make the search short; they may say less than they could, never
 * more.
 *
 * @param <S> the state of one partition; compared with {@code equals}
 * @param <C> a call
 * @param <R> the answer to a call
 */
public interface Model<S, C, R> {

  /** The state of a partition that nobody has touched. */
  S initial();

  /** The name of the one partition that the call reads and writes. */
  String partition(C call);

  /** The state after the call has answered so; empty if it cannot answer so in this state. */
  Optional<S> after(S state, C call, R result);

  /** The state after the call, whatever it answered. */
  S after(S state, C call);

  /** True if the call, answered so, changes no state whatever: a read, a failed comparison. */
  boolean changesNothing(C call, R result);

  /** True if the call changes nothing whatever its answer. */
  boolean changesNothing(C call);

  /** The one state in which the call can answer so; empty if there is more than one. */
  Optional<S> requires(C call, R result);

  /** The one state that the call leaves behind if it changes anything; empty if it depends. */
  Optional<S> produces(C call);

  /** The one state in which the call changes anything; empty if there is more than one. */
  Optional<S> changesOnlyIn(C call);

  /** True if the call leaves behind what it {@link #produces} in every state. */
  boolean overwrites(C call);

  /** True if moreover it can be answered so in every state. */
  boolean overwrites(C call, R result);
}
