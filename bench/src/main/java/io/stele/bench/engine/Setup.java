package io.stele.bench.engine;

import io.stele.bench.measure.Progress;
import io.stele.bench.measure.Workspace;
import io.stele.engine.disk.Codec;
import java.util.List;

/** What the cases of one run share. */
record Setup(
    Scale scale, Codec codec, EngineSide stele, Peer peer, Workspace workspace, Progress progress) {

  /** Those that are there, Stele first. */
  List<EngineSide> sides() {
    return switch (peer) {
      case Peer.Present(EngineSide side, _) -> List.of(stele, side);
      case Peer.Absent _ -> List.of(stele);
    };
  }

  String peerName() {
    return switch (peer) {
      case Peer.Present(EngineSide side, String version) -> side.name() + " " + version;
      case Peer.Absent(String name, _) -> name + " (absent)";
    };
  }

  EngineOptions options(long cacheBytes) {
    return new EngineOptions(codec, cacheBytes);
  }
}
