package io.stele.bench.engine;

import java.util.ArrayDeque;
import java.util.Deque;

/** Objects of a native library, which must be closed in the reverse order of their making. */
final class Natives implements AutoCloseable {
  private final Deque<AutoCloseable> kept = new ArrayDeque<>();

  <T extends AutoCloseable> T keep(T made) {
    kept.push(made);
    return made;
  }

  @Override
  public void close() throws Exception {
    while (!kept.isEmpty()) {
      kept.pop().close();
    }
  }
}
