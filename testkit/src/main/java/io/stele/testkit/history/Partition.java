package io.stele.testkit.history;

import io.stele.testkit.history.Outcome.Returned;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The operations of one partition in order of invocation, with all that the search asks for again
 * and again reduced to numbers: an operation is its place in that order, a state is its place in
 * order of first sight. Immutable but for the table of states.
 */
final class Partition<S, C, R> {
  /** No state. */
  static final int NONE = -1;

  private final Model<S, C, R> model;
  private final List<Operation<C, R>> operations;
  private final List<S> states = new ArrayList<>();
  private final Map<S, Integer> stateIds = new HashMap<>();
  private final int initial;
  private final int answered;

  private final boolean[] known;
  private final boolean[] changesNothing;
  private final int[] requires;
  private final int[] produces;
  private final int[] rank;
  private final int[] twin;
  private final boolean[] overwrites;
  private final boolean[] unnoticed;

  Partition(Model<S, C, R> model, S initial, List<Operation<C, R>> history) {
    this.model = model;
    this.operations =
        history.stream()
            // A read that nobody got an answer to says nothing.
            .filter(o -> o.outcome() instanceof Returned<R> || !model.changesNothing(o.call()))
            .sorted(Comparator.comparingLong(Operation::invoked))
            .toList();
    this.initial = id(initial);
    int count = operations.size();
    known = new boolean[count];
    changesNothing = new boolean[count];
    requires = new int[count];
    produces = new int[count];
    rank = new int[count];
    twin = new int[count];
    overwrites = new boolean[count];
    unnoticed = new boolean[count];
    Arrays.fill(twin, NONE);
    this.answered = fill();
    markUnnoticed();
  }

  private int fill() {
    Map<C, Integer> lastUnknown = new HashMap<>();
    int knownSoFar = 0;
    int unknownSoFar = 0;
    for (int i = 0; i < operations.size(); i++) {
      C call = operations.get(i).call();
      Optional<S> required = Optional.empty();
      if (operations.get(i).outcome() instanceof Returned<R>(R result, _)) {
        known[i] = true;
        rank[i] = knownSoFar++;
        changesNothing[i] = model.changesNothing(call, result);
        required = model.requires(call, result);
        overwrites[i] = model.overwrites(call, result);
      } else {
        rank[i] = unknownSoFar++;
        Integer earlier = lastUnknown.put(call, i);
        twin[i] = earlier == null ? NONE : earlier;
      }
      requires[i] = required.map(this::id).orElse(NONE);
      produces[i] = changesNothing[i] ? NONE : model.produces(call).map(this::id).orElse(NONE);
    }
    return knownSoFar;
  }

  private void markUnnoticed() {
    BitSet noticed = new BitSet();
    for (int i = 0; i < operations.size(); i++) {
      C call = operations.get(i).call();
      if (overwrites[i] || (!known[i] && model.overwrites(call))) {
        continue;
      }
      int depends = known[i] ? requires[i] : model.changesOnlyIn(call).map(this::id).orElse(NONE);
      if (depends == NONE) {
        return; // on some states, nobody knows which
      }
      noticed.set(depends);
    }
    for (int i = 0; i < operations.size(); i++) {
      unnoticed[i] = overwrites[i] && produces[i] != NONE && !noticed.get(produces[i]);
    }
  }

  private int id(S state) {
    Integer known = stateIds.get(state);
    if (known != null) {
      return known;
    }
    stateIds.put(state, states.size());
    states.add(state);
    return states.size() - 1;
  }

  int size() {
    return operations.size();
  }

  /** How many of the operations have an answer. */
  int answered() {
    return answered;
  }

  int initial() {
    return initial;
  }

  /** How many states have been seen so far; {@link #after} may add to them. */
  int states() {
    return states.size();
  }

  long invoked(int operation) {
    return operations.get(operation).invoked();
  }

  long returned(int operation) {
    return operations.get(operation).returned();
  }

  /** True if the operation has an answer. */
  boolean known(int operation) {
    return known[operation];
  }

  boolean changesNothing(int operation) {
    return changesNothing[operation];
  }

  int requires(int operation) {
    return requires[operation];
  }

  int produces(int operation) {
    return produces[operation];
  }

  /** The place among the operations with an answer, or among those without. */
  int rank(int operation) {
    return rank[operation];
  }

  /**
   * The last earlier operation of unknown outcome with the same call: of two such it makes no
   * difference which takes effect, so the search uses them in their order.
   */
  int twin(int operation) {
    return twin[operation];
  }

  /** True if the operation has an answer that fits every state, and one state to leave behind. */
  boolean overwrites(int operation) {
    return overwrites[operation];
  }

  /**
   * True if the operation overwrites, and no other's answer or effect depends on what it leaves
   * behind: the history goes on in the same way from before it and from after it, except for those
   * that must see what it overwrote.
   */
  boolean unnoticed(int operation) {
    return unnoticed[operation];
  }

  /** The state after the operation, {@link #NONE} if its answer does not come from this state. */
  int after(int state, int operation) {
    if (requires[operation] != NONE && requires[operation] != state) {
      return NONE;
    }
    Operation<C, R> it = operations.get(operation);
    S before = states.get(state);
    return switch (it.outcome()) {
      case Returned<R>(R result, _) ->
          model.after(before, it.call(), result).map(this::id).orElse(NONE);
      case Outcome.Unknown<R>() -> id(model.after(before, it.call()));
    };
  }
}
