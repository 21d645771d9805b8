package io.stele.testkit.history;

/** One thing found in a history, and the evidence in words. */
public record Violation(Anomaly anomaly, String message) {
  @Override
  public String toString() {
    return anomaly + ": " + message;
  }
}
