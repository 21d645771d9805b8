package io.stele.bench.cluster;

/** Whom Stele is measured against: there, or named as absent with the reason. */
sealed interface Rival {
  /** With its version, if that is known, and what else sets it apart. */
  String title();

  record Present(ClusterSide side) implements Rival {
    @Override
    public String title() {
      return side.title();
    }
  }

  record Absent(String title, String reason) implements Rival {}
}
