package io.stele.bench.table;

/** Whom Stele is measured against: there, or named as absent with the reason. */
sealed interface Peer {
  String name();

  record Present(Side side) implements Peer {
    @Override
    public String name() {
      return side.name();
    }
  }

  record Absent(String name, String reason) implements Peer {}
}
