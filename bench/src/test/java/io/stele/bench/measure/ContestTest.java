package io.stele.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.bench.measure.Contest.Entrant;
import io.stele.bench.measure.Contest.Summary;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class ContestTest {

  private final List<String> calls = new ArrayList<>();
  private final StringWriter progress = new StringWriter();

  /** An entrant that does so many runs in a second, round by round. */
  private Entrant entrant(String name, double others, Integer... runs) {
    Iterator<Integer> rounds = List.of(runs).iterator();
    return new Entrant(
        name,
        () -> {
          calls.add(name + " warm-up");
          return sample(1_000_000, others);
        },
        () -> {
          calls.add(name);
          return sample(rounds.next(), others);
        });
  }

  private static Sample sample(int runs, double others) {
    return new Sample(runs, 1, 5, 9, OptionalDouble.of(others));
  }

  private List<Summary> run(int rounds, Entrant... entrants) throws Exception {
    Contest contest =
        new Contest(
            "digging", "holes/s", Sample::perSecond, new Progress(new PrintWriter(progress)));
    return contest.run(rounds, List.of(entrants));
  }

  @Test
  void entrantsTakeTurns() throws Exception {
    run(3, entrant("A", 0, 1, 1, 1), entrant("B", 0, 1, 1, 1));

    assertThat(calls).containsExactly("A warm-up", "B warm-up", "A", "B", "A", "B", "A", "B");
  }

  @Test
  void theMedianCountsAndTheWarmUpDoesNot() throws Exception {
    List<Summary> summaries = run(3, entrant("A", 0.1, 50, 90, 70), entrant("B", 0.6, 5, 4, 6));

    assertThat(summaries).extracting(Summary::figure).containsExactly(70.0, 5.0);
    assertThat(summaries)
        .extracting(Summary::othersShare)
        .containsExactly(OptionalDouble.of(0.1), OptionalDouble.of(0.6));
  }

  @Test
  void everyRunIsALineOfProgress() throws Exception {
    run(2, entrant("A", 0, 50, 90));

    assertThat(progress.toString().lines()).hasSize(2);
    assertThat(progress.toString()).containsPattern("digging +1/2 +A +50\\.0 holes/s");
  }
}
