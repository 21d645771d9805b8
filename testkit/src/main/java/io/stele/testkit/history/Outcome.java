package io.stele.testkit.history;

/** What the client learnt of its call. A call that failed for certain is in no history. */
public sealed interface Outcome<R> {

  /** The answer, and when the client had it (nanoseconds of the recorder's clock). */
  record Returned<R>(R result, long at) implements Outcome<R> {
    @Override
    public String toString() {
      return String.valueOf(result);
    }
  }

  /** No answer: the call took effect once, will take effect at any time from now on, or never. */
  record Unknown<R>() implements Outcome<R> {
    @Override
    public String toString() {
      return "unknown";
    }
  }
}
