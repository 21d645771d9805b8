package io.stele.bench.engine;

/** Whom Stele is measured against: there, or named as absent with the reason. */
sealed interface Peer {
  String name();

  record Present(EngineSide side, String version) implements Peer {
    @Override
    public String name() {
      return side.name();
    }
  }

  record Absent(String name, String reason) implements Peer {}
}
