package io.stele.bench.engine;

import io.stele.bench.measure.Better;
import io.stele.bench.report.Figures;
import io.stele.bench.report.Result;
import java.util.List;
import java.util.Optional;

/** The size of all files after a full compaction. Nothing is timed. */
final class DiskBytesCase implements EngineCase.PerValueSize {
  @Override
  public String name() {
    return "disk-bytes";
  }

  @Override
  public String about() {
    return "bytes of all files after a full compaction";
  }

  @Override
  public List<Result> run(Setup setup, Dataset data) throws Exception {
    double stele = (double) data.diskBytes(setup.stele());
    Optional<Double> peer =
        setup.peer() instanceof Peer.Present(EngineSide side, _)
            ? Optional.of((double) data.diskBytes(side))
            : Optional.empty();
    String note = Figures.text(data.records().bytes()) + " bytes of keys and values";
    return List.of(
        Result.besidePeer(
            name(data),
            "bytes",
            Better.LOWER,
            stele,
            peer,
            setup.peerName(),
            1.0,
            Comparison.note(setup, List.of(note), List.of())));
  }
}
