package io.stele.testkit.history;

import io.stele.testkit.history.LinearizationSearch.Answer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Says whether a history is linearizable: whether each call can be thought to have taken effect at
 * one moment between its invocation and its return. A history is linearizable if that of each
 * partition is, so they are looked at one by one.
 *
 * <pre>{@code
 * new LinearizabilityChecker<>(new RegisterModel()).check(recorder.history()).requireValid();
 * }</pre>
 */
public final class LinearizabilityChecker<S, C, R> {
  private static final long DEFAULT_LIMIT = 20_000_000;

  private final Model<S, C, R> model;
  private final long limit;

  public LinearizabilityChecker(Model<S, C, R> model) {
    this(model, DEFAULT_LIMIT);
  }

  /**
   * @param limit on the steps of the search in one partition; what is not decided within it is
   *     {@link Anomaly#UNDECIDED}, since the worst histories take time without end
   */
  public LinearizabilityChecker(Model<S, C, R> model, long limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit is " + limit + "; must be at least 1");
    }
    this.model = model;
    this.limit = limit;
  }

  public Verdict check(List<Operation<C, R>> history) {
    Map<String, List<Operation<C, R>>> partitions = new LinkedHashMap<>();
    for (Operation<C, R> operation : history) {
      partitions
          .computeIfAbsent(model.partition(operation.call()), _ -> new ArrayList<>())
          .add(operation);
    }
    List<Violation> violations = new ArrayList<>();
    partitions.forEach((name, operations) -> check(name, operations, violations));
    return new Verdict(history.size(), violations);
  }

  private void check(String name, List<Operation<C, R>> operations, List<Violation> violations) {
    Partition<S, C, R> partition = new Partition<>(model, model.initial(), operations);
    switch (new LinearizationSearch(partition, limit).run()) {
      case Answer.LINEARIZABLE -> {}
      case Answer.GIVEN_UP ->
          violations.add(
              new Violation(
                  Anomaly.UNDECIDED,
                  name
                      + ": "
                      + operations.size()
                      + " operations, no linearization found in "
                      + limit
                      + " steps; raise the limit, or record fewer concurrent writes per key"));
      case Answer.IMPOSSIBLE -> {
        CounterexampleWindow<S, C, R> window = new CounterexampleWindow<>(model, operations);
        violations.add(new Violation(Anomaly.NOT_LINEARIZABLE, name + ": " + window.describe()));
      }
    }
  }
}
