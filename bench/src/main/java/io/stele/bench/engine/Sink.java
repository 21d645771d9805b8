package io.stele.bench.engine;

/** Where results go that nobody needs, so that the compiler cannot leave out the work for them. */
final class Sink {
  private static volatile long last;

  private Sink() {}

  static void take(long result) {
    last = result;
  }

  static long last() {
    return last;
  }
}
