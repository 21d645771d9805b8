package io.stele.testkit.history;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a checker found.
 *
 * @param checked how many operations, holds or events were looked at: a run that checked nothing
 *     proves nothing
 * @param violations in the order found; empty if all is well
 */
public record Verdict(long checked, List<Violation> violations) {
  private static final int SHOWN = 20;

  public Verdict {
    violations = List.copyOf(violations);
  }

  public boolean valid() {
    return violations.isEmpty();
  }

  /** The kinds of violations found. */
  public Set<Anomaly> anomalies() {
    Set<Anomaly> anomalies = EnumSet.noneOf(Anomaly.class);
    violations.forEach(violation -> anomalies.add(violation.anomaly()));
    return anomalies;
  }

  /** Fails the test with the first violations in words. */
  public void requireValid() {
    if (!valid()) {
      throw new AssertionError(this);
    }
  }

  @Override
  public String toString() {
    if (valid()) {
      return checked + " checked, no violation";
    }
    String shown =
        violations.stream().limit(SHOWN).map(Violation::toString).collect(Collectors.joining("\n"));
    String more =
        violations.size() > SHOWN ? "\n... and " + (violations.size() - SHOWN) + " more" : "";
    return checked + " checked, " + violations.size() + " violations:\n" + shown + more;
  }
}
