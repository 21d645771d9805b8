package io.stele.testkit.history;

import io.stele.testkit.history.LinearizationSearch.Answer;
import io.stele.testkit.history.Outcome.Returned;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Cuts a history that is not linearizable down to what a reader needs to see that. First the end:
 * the earliest return with which the history so far has no linearization any more; more operations
 * never help, so halving finds it. Then the beginning: the latest moment such that what follows has
 * no linearization from any state whatever.
 */
final class CounterexampleWindow<S, C, R> {
  private static final int SHOWN = 40;

  private static final int LONGEST = 256;

  /** On one search; where that is not enough, the window is larger than it had to be. */
  private static final long LIMIT = 200_000;

  private final Model<S, C, R> model;
  private final List<Operation<C, R>> history;

  /** The operation whose answer cannot be explained any more. */
  private final Operation<C, R> last;

  /** It and those around it; the answers of those that reach beyond the window do not count. */
  private final List<Operation<C, R>> window;

  /** The history of one partition, which is not linearizable. */
  CounterexampleWindow(Model<S, C, R> model, List<Operation<C, R>> history) {
    this.model = model;
    this.history = history.stream().sorted(Comparator.comparingLong(Operation::invoked)).toList();
    List<Operation<C, R>> byReturn =
        this.history.stream()
            .filter(operation -> operation.outcome() instanceof Returned<R>)
            .sorted(Comparator.comparingLong(Operation::returned))
            .toList();
    int end =
        first(
            byReturn.size() - 1, i -> impossible(until(byReturn.get(i)), List.of(model.initial())));
    this.last = byReturn.get(end);
    List<Operation<C, R>> prefix = until(last);
    // Counted from the end, doubling: how many returns the window needs. Few, as a rule, and each
    // try takes a search from every state that may have been, so long ones are not tried.
    IntPredicate enough = count -> impossibleFromAnywhere(since(prefix, byReturn.get(end - count)));
    int most = 1;
    while (most < Math.min(end, LONGEST) && !enough.test(most)) {
      most *= 2;
    }
    int needed = first(Math.min(end, most), enough);
    this.window = since(prefix, byReturn.get(end - needed));
  }

  /** The lowest number up to {@code most} for which it is true; it is for all higher ones. */
  private static int first(int most, IntPredicate isTrue) {
    int low = 0;
    int high = most;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (isTrue.test(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private List<Operation<C, R>> until(Operation<C, R> end) {
    List<Operation<C, R>> prefix = new ArrayList<>();
    for (Operation<C, R> operation : history) {
      if (operation.invoked() <= end.returned()) {
        prefix.add(operation.returned() <= end.returned() ? operation : operation.unanswered());
      }
    }
    return prefix;
  }

  /** What had not returned when the given operation was invoked. */
  private List<Operation<C, R>> since(List<Operation<C, R>> prefix, Operation<C, R> begin) {
    List<Operation<C, R>> suffix = new ArrayList<>();
    for (Operation<C, R> operation : prefix) {
      if (operation.invoked() >= begin.invoked()) {
        suffix.add(operation);
      } else if (operation.returned() >= begin.invoked()) {
        suffix.add(operation.unanswered());
      }
    }
    return suffix;
  }

  private boolean impossibleFromAnywhere(List<Operation<C, R>> operations) {
    Set<S> required = new HashSet<>();
    operations.forEach(operation -> required(operation).ifPresent(required::add));
    Set<S> states = new LinkedHashSet<>(List.of(model.initial()));
    boolean others = false;
    for (Operation<C, R> operation : history) {
      Optional<S> produced = model.produces(operation.call());
      // Of the states that none of them asks for, one stands for all.
      if (produced.isPresent() && (required.contains(produced.get()) || !others)) {
        states.add(produced.get());
        others |= !required.contains(produced.get());
      }
    }
    return impossible(operations, states);
  }

  private boolean impossible(List<Operation<C, R>> operations, Iterable<S> initial) {
    for (S state : initial) {
      Partition<S, C, R> partition = new Partition<>(model, state, operations);
      if (new LinearizationSearch(partition, LIMIT).run() != Answer.IMPOSSIBLE) {
        return false;
      }
    }
    return true;
  }

  private Optional<S> required(Operation<C, R> operation) {
    return operation.outcome() instanceof Returned<R>(R result, _)
        ? model.requires(operation.call(), result)
        : Optional.empty();
  }

  String describe() {
    long origin = history.getFirst().invoked();
    StringBuilder text = new StringBuilder();
    text.append("no linearization explains ")
        .append(last.call())
        .append(" -> ")
        .append(last.outcome())
        .append(" (marked >), in microseconds from the first operation:");
    if (window.size() > SHOWN) {
      text.append("\n    ... ").append(window.size() - SHOWN).append(" operations before");
    }
    for (Operation<C, R> operation :
        window.subList(Math.max(0, window.size() - SHOWN), window.size())) {
      line(text, operation, origin);
    }
    Optional<S> wanted = required(last);
    wanted.ifPresent(state -> origins(text, state, origin));
    return text.toString();
  }

  /** Where the state comes from that the last operation must have seen, if that is not in view. */
  private void origins(StringBuilder text, S state, long origin) {
    List<Operation<C, R>> writers =
        history.stream().filter(o -> model.produces(o.call()).equals(Optional.of(state))).toList();
    if (writers.isEmpty()) {
      text.append("\n    nobody ever wrote ").append(state);
    }
    List<Operation<C, R>> earlier =
        writers.stream()
            .filter(o -> window.stream().noneMatch(w -> w.unanswered().equals(o.unanswered())))
            .filter(o -> o.invoked() <= last.returned())
            .toList();
    if (!earlier.isEmpty()) {
      text.append("\n    before that, ").append(state).append(" was written by");
      earlier
          .subList(Math.max(0, earlier.size() - 3), earlier.size())
          .forEach(operation -> line(text, operation, origin));
    }
  }

  private void line(StringBuilder text, Operation<C, R> operation, long origin) {
    String until =
        operation.outcome() instanceof Returned<R> ? micros(operation.returned() - origin) : "?";
    text.append(
        String.format(
            Locale.ROOT,
            "%n  %s %14s .. %14s  %-12s %s -> %s",
            operation.equals(last) ? ">" : " ",
            micros(operation.invoked() - origin),
            until,
            operation.client(),
            operation.call(),
            operation.outcome()));
  }

  private static String micros(long nanos) {
    return String.format(Locale.ROOT, "%.3f", nanos / 1000.0);
  }
}
