package io.stele.it.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What each kind of fault cost in a run: one line per fault, for the record of a long run. */
final class FaultTimes {
  /** One fault of a run. */
  private record Cost(Duration recovery, Duration gap) {}

  private final Map<Fault, List<Cost>> costs = new LinkedHashMap<>();

  /**
   * A fault is over.
   *
   * @param recovery from its repair until everything was served again
   * @param gap the longest time without a write since it was injected
   */
  void add(Fault fault, Duration recovery, Duration gap) {
    costs.computeIfAbsent(fault, _ -> new ArrayList<>()).add(new Cost(recovery, gap));
  }

  private static String times(List<Duration> times) {
    List<Duration> sorted = new ArrayList<>(times);
    Collections.sort(sorted);
    return String.format(
        Locale.ROOT,
        "%10d %11d",
        sorted.get(sorted.size() / 2).toMillis(),
        sorted.getLast().toMillis());
  }

  @Override
  public String toString() {
    StringBuilder table = new StringBuilder();
    table.append(
        "                              recovery, ms            without a write, ms\n"
            + "fault                   count     median     longest     median     longest\n");
    costs.forEach(
        (fault, all) ->
            table.append(
                String.format(
                    Locale.ROOT,
                    "%-22s %6d %s %s%n",
                    fault,
                    all.size(),
                    times(all.stream().map(Cost::recovery).toList()),
                    times(all.stream().map(Cost::gap).toList()))));
    return table.toString();
  }
}
