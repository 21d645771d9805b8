package io.stele.bench.engine;

import java.util.ArrayList;
import java.util.List;

/** The open stores of a {@link Dataset}, one of each side. */
final class OpenSides implements AutoCloseable {
  record OpenSide(EngineSide side, Engine engine) {}

  private final List<OpenSide> sides = new ArrayList<>();

  void add(EngineSide side, Engine engine) {
    sides.add(new OpenSide(side, engine));
  }

  List<OpenSide> list() {
    return List.copyOf(sides);
  }

  /** Reads everything once, so that it is in the cache as far as that has room. */
  void warm() throws Exception {
    for (OpenSide open : sides) {
      try (Engine.Access scan = open.engine().scans().getFirst().source().open()) {
        scan.to(0);
      }
    }
  }

  @Override
  public void close() throws Exception {
    Exception failure = null;
    for (OpenSide open : sides) {
      try {
        open.engine().close();
      } catch (Exception e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
