package io.stele.datasets.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.time.RandomSource;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class PeerScoresTest {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;
  private static final List<String> HOLDERS = List.of("a", "b");

  private final PeerScores scores = new PeerScores();
  private final RandomGenerator random = RandomSource.seeded(1);

  private void took(String address, long nanos, long now) {
    scores.begun(address);
    scores.answered(address, nanos, now);
  }

  /** How many times of a hundred a node comes first. */
  private long first(String address, List<String> holders, long now) {
    long count = 0;
    for (int i = 0; i < 100; i++) {
      count += scores.order(holders, random, now).getFirst().equals(address) ? 1 : 0;
    }
    return count;
  }

  @Test
  void chanceDecidesBetweenThoseThatNobodyHasAsked() {
    assertThat(first("a", HOLDERS, 0)).isBetween(30L, 70L);
  }

  @Test
  void theFasterOfTwoIsFirst() {
    took("a", 2 * MILLI, 0);
    took("b", MILLI, 0);
    assertThat(first("b", HOLDERS, 0)).isEqualTo(100);
  }

  @Test
  void aFastOneWithManyRequestsUnderWayIsNot() {
    took("a", 2 * MILLI, 0);
    took("b", MILLI, 0);
    scores.begun("b");
    scores.begun("b");
    assertThat(first("a", HOLDERS, 0)).isEqualTo(100);
    scores.answered("b", MILLI, 0);
    scores.ended("b", 0, 0);
    assertThat(first("b", HOLDERS, 0)).isEqualTo(100);
  }

  @Test
  void whatWasSlowFadesUntilItIsTriedAgain() {
    took("a", 64 * MILLI, 0);
    took("b", MILLI, 5 * SECOND);
    assertThat(first("b", HOLDERS, 5 * SECOND)).isEqualTo(100);
    took("b", MILLI, 7 * SECOND);
    assertThat(first("a", HOLDERS, 7 * SECOND)).isEqualTo(100);
  }

  @Test
  void oneThatWasGivenUpIsAsSlowAsItWasWaitedForButNeverFaster() {
    took("a", 10 * MILLI, 0);
    took("b", 20 * MILLI, 0);
    scores.begun("b");
    scores.ended("b", MILLI, 0); // another one was faster
    assertThat(first("a", HOLDERS, 0)).isEqualTo(100);
    scores.begun("a");
    scores.ended("a", SECOND, 0);
    assertThat(first("b", HOLDERS, 0)).isEqualTo(100);
  }

  @Test
  void ofManyTheSlowestIsNeverFirstAndAllOthersAre() {
    List<String> holders = List.of("a", "b", "c", "d");
    for (String holder : holders) {
      took(holder, MILLI + holder.charAt(0), 0);
    }
    assertThat(first("d", holders, 0)).isZero();
    assertThat(List.of("a", "b", "c")).allMatch(holder -> first(holder, holders, 0) > 5);
    assertThat(scores.order(holders, random, 0)).containsExactlyInAnyOrderElementsOf(holders);
  }
}
