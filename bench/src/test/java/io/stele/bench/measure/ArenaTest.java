package io.stele.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.bench.measure.Arena.Entrant;
import io.stele.bench.measure.Arena.Shown;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArenaTest {

  private final List<String> calls = new ArrayList<>();
  private final StringWriter progress = new StringWriter();

  /** An entrant with a figure for each round. */
  private Entrant<Integer> entrant(String name, int... figures) {
    return new Entrant<>(
        name,
        () -> calls.add(name + " warm-up"),
        round -> {
          calls.add(name + round);
          return figures[round];
        });
  }

  private List<Shown<Integer>> contest(int rounds, List<Entrant<Integer>> entrants)
      throws Exception {
    return new Arena(rounds, new Progress(new PrintWriter(progress)))
        .contest("digging", "holes/s", Integer::doubleValue, entrants);
  }

  @Test
  void theSideThatIsFirstAlternates() throws Exception {
    contest(3, List.of(entrant("A", 1, 1, 1), entrant("B", 1, 1, 1)));

    assertThat(calls).containsExactly("A warm-up", "B warm-up", "A0", "B0", "B1", "A1", "A2", "B2");
  }

  @Test
  void theMedianCounts() throws Exception {
    List<Shown<Integer>> shown =
        contest(3, List.of(entrant("A", 50, 90, 70), entrant("B", 5, 4, 6)));

    assertThat(shown).extracting(Shown::figure).containsExactly(70.0, 5.0);
    assertThat(shown.getFirst().samples()).containsExactly(50, 90, 70);
    assertThat(shown.getLast().median(figure -> -figure)).isEqualTo(-5);
  }

  @Test
  void everyTurnIsALineOfProgress() throws Exception {
    contest(2, List.of(entrant("A", 50, 90)));

    assertThat(progress.toString().lines()).hasSize(2);
    assertThat(progress.toString()).containsPattern("digging +1/2 +A +50\\.0 holes/s");
  }
}
