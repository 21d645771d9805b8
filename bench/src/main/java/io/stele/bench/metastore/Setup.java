package io.stele.bench.metastore;

import io.stele.bench.measure.Progress;
import io.stele.bench.measure.Workspace;
import io.stele.bench.report.Notes;
import java.util.List;

/** What the cases of one run share. */
record Setup(Scale scale, Side stele, Peer peer, Workspace workspace, Progress progress) {

  /** Those that are there, Stele first. */
  List<Side> sides() {
    return switch (peer) {
      case Peer.Present(Side side) -> List.of(stele, side);
      case Peer.Absent _ -> List.of(stele);
    };
  }

  List<String> names() {
    return sides().stream().map(Side::name).toList();
  }

  /** Notes on both sides, which say that the peer is absent, if it is, and why. */
  Notes notes() {
    Notes notes = new Notes(names());
    return peer instanceof Peer.Absent(String name, String reason)
        ? notes.add(name + " is absent: " + reason)
        : notes;
  }

  String peerName() {
    return switch (peer) {
      case Peer.Present(Side side) -> side.name() + " " + side.version();
      case Peer.Absent(String name, _) -> name + " (absent)";
    };
  }
}
