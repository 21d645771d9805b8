package io.stele.bench.cluster;

import io.stele.bench.measure.Progress;
import io.stele.bench.measure.Workspace;
import java.util.List;

/** What the cases of one run of {@code stele bench scale} share. */
record ScaleSetup(
    ScaleExtent extent, ClusterSide stele, Rival rival, Workspace workspace, Progress progress) {

  /** Those that are there, Stele first. */
  List<ClusterSide> sides() {
    return switch (rival) {
      case Rival.Present(ClusterSide side) -> List.of(stele, side);
      case Rival.Absent _ -> List.of(stele);
    };
  }

  String peerName() {
    return switch (rival) {
      case Rival.Present(ClusterSide side) -> side.title();
      case Rival.Absent(String title, _) -> title + " (absent)";
    };
  }

  /** Says that the peer is absent, if it is, and why, behind what is to be said otherwise. */
  String note(String text) {
    return switch (rival) {
      case Rival.Present _ -> text;
      case Rival.Absent(String title, String reason) ->
          "%s; %s is absent: %s".formatted(text, title, reason);
    };
  }
}
