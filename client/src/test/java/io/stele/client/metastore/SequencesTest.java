package io.stele.client.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.ExhaustedException;
import io.stele.base.time.RandomSource;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class SequencesTest {
  private final Sequences sequences = new Sequences();
  private final List<Long> taken = new ArrayList<>();

  @Test
  void numbersCountFromOne() {
    sequences.take(taken::add);
    sequences.take(taken::add);
    assertThat(taken).containsExactly(1L, 2L);
    assertThat(sequences.answeredBelow()).isEqualTo(1);
  }

  @Test
  void answersOutOfOrderMoveTheBoundOnlyOverWhatIsAnswered() {
    for (int i = 0; i < 4; i++) {
      sequences.take(taken::add);
    }
    sequences.answered(2);
    sequences.answered(4);
    assertThat(sequences.answeredBelow()).isEqualTo(1);
    sequences.answered(1);
    assertThat(sequences.answeredBelow()).isEqualTo(3);
    sequences.answered(3);
    assertThat(sequences.answeredBelow()).isEqualTo(5);
  }

  @Test
  void noNumberIsGivenOutAWindowAboveTheFirstWithoutAnAnswer() {
    for (int i = 0; i < Sequences.WINDOW + 5; i++) {
      sequences.take(taken::add);
    }
    assertThat(taken).hasSize(Sequences.WINDOW);
    sequences.answered(2);
    assertThat(taken).hasSize(Sequences.WINDOW);
    sequences.answered(1);
    assertThat(taken).hasSize(Sequences.WINDOW + 2).endsWith(1025L, 1026L);
  }

  @Test
  void thoseThatWaitAreBounded() {
    for (int i = 0; i < Sequences.WINDOW + Sequences.MOST_WAITING; i++) {
      sequences.take(number -> {});
    }
    assertThatThrownBy(() -> sequences.take(taken::add)).isInstanceOf(ExhaustedException.class);
  }

  @Test
  void anyOrderOfAnswersKeepsTheBounds() {
    for (long seed = 0; seed < 20; seed++) {
      Sequences random = new Sequences();
      RandomGenerator chance = RandomSource.seeded(seed);
      TreeSet<Long> open = new TreeSet<>();
      List<Long> all = new ArrayList<>();
      for (int i = 0; i < 5_000; i++) {
        if (open.isEmpty() || chance.nextInt(100) < 55) {
          random.take(
              number -> {
                open.add(number);
                all.add(number);
              });
        } else {
          Long number = open.ceiling(chance.nextLong(open.last() + 1));
          open.remove(number);
          random.answered(number);
        }
        assertThat(random.answeredBelow())
            .as("seed %s", seed)
            .isEqualTo(open.isEmpty() ? all.size() + 1L : open.first());
        if (!open.isEmpty()) {
          assertThat(open.last() - open.first()).as("seed %s", seed).isLessThan(Sequences.WINDOW);
        }
      }
      for (int i = 0; i < all.size(); i++) {
        assertThat(all.get(i)).isEqualTo(i + 1L);
      }
    }
  }
}
