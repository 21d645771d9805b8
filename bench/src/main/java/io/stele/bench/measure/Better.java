package io.stele.bench.measure;

/** Which of two figures is the better one: a rate should be high, a time or a size low. */
public enum Better {
  HIGHER,
  LOWER;

  /** How many times better {@code ours} is than {@code theirs}; above 1 means that it is. */
  public double ratio(double ours, double theirs) {
    return this == HIGHER ? ours / theirs : theirs / ours;
  }

  public boolean isBetter(double one, double other) {
    return this == HIGHER ? one > other : one < other;
  }
}
