package io.stele.bench.measure;

import java.util.Arrays;

/** The middle of some figures: one run that was disturbed does not move it. */
public final class Median {
  private Median() {}

  /** Of an even number of figures it is the mean of the two in the middle. */
  public static double of(double... figures) {
    if (figures.length == 0) {
      throw new IllegalArgumentException("the median of no figures: at least one is needed");
    }
    double[] sorted = figures.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
