package io.stele.bench.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ZipfianTest {
  private static final int DRAWS = 400_000;

  private static double[] shares(Zipfian zipfian) {
    SplittableRandom chance = new SplittableRandom(7);
    double[] shares = new double[(int) zipfian.ranks()];
    for (int i = 0; i < DRAWS; i++) {
      shares[(int) zipfian.next(chance)] += 1.0 / DRAWS;
    }
    return shares;
  }

  private static double weight(int rank) {
    return 1 / Math.pow(rank + 1, 0.99);
  }

  private static double sumOfWeights(int ranks) {
    double sum = 0;
    for (int rank = 0; rank < ranks; rank++) {
      sum += weight(rank);
    }
    return sum;
  }

  @Test
  void aRankIsDrawnInProportionToItsWeight() {
    int ranks = 1_000;
    double[] shares = shares(Zipfian.of(ranks));
    double sum = sumOfWeights(ranks);
    assertThat(shares[0]).isCloseTo(weight(0) / sum, within(0.004));
    assertThat(shares[1]).isCloseTo(weight(1) / sum, within(0.004));
    // From the third on the method is an approximation: it is the run of ranks that is right.
    assertThat(between(shares, 2, 100)).isCloseTo(expected(2, 100, sum), within(0.02));
    assertThat(between(shares, 100, 1_000)).isCloseTo(expected(100, 1_000, sum), within(0.02));
    assertThat(shares[999]).as("even the last is drawn").isPositive();
  }

  private static double between(double[] shares, int from, int to) {
    double sum = 0;
    for (int rank = from; rank < to; rank++) {
      sum += shares[rank];
    }
    return sum;
  }

  private static double expected(int from, int to, double sum) {
    return (sumOfWeights(to) - sumOfWeights(from)) / sum;
  }

  @Test
  void oneThatHasGrownIsAsOneOfThatSize() {
    Zipfian grown = Zipfian.of(10);
    grown.grow(1_000);
    Zipfian whole = Zipfian.of(1_000);
    SplittableRandom one = new SplittableRandom(3);
    SplittableRandom other = new SplittableRandom(3);
    for (int i = 0; i < 10_000; i++) {
      assertThat(grown.next(one)).isEqualTo(whole.next(other));
    }
    grown.grow(5);
    assertThat(grown.ranks()).as("it does not shrink").isEqualTo(1_000);
  }

  @Test
  void aCopyGrowsByItself() {
    Zipfian one = Zipfian.of(10);
    one.copy().grow(20);
    assertThat(one.ranks()).isEqualTo(10);
  }

  @Test
  void theSmallestHasTwoRanks() {
    double[] shares = shares(Zipfian.of(2));
    assertThat(shares[0]).isCloseTo(weight(0) / sumOfWeights(2), within(0.01));
    assertThatThrownBy(() -> Zipfian.of(1)).hasMessage("1 ranks: must be 2 or more");
  }
}
