package io.stele.bench.table;

import io.stele.bench.measure.Better;
import io.stele.bench.measure.ResidentMemory;
import io.stele.bench.report.Figures;
import io.stele.bench.report.Notes;
import io.stele.bench.report.Result;
import java.util.ArrayList;
import java.util.List;

/** What the servers hold in memory after all that was asked of them. Nothing is timed. */
final class MemoryCase implements TableCase {
  private static final double GOAL = 2;

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public String group() {
    return name();
  }

  @Override
  public String about() {
    return "resident memory of the server after the cases before";
  }

  @Override
  public Result run(Arena arena) throws Exception {
    arena.fill();
    Notes notes = arena.setup().notes();
    List<Double> figures = new ArrayList<>();
    for (Contestant each : arena.contestants()) {
      ResidentMemory memory = each.memory();
      figures.add((double) memory.bytes());
      notes.add(
          "%s: %s of it backed by no file"
              .formatted(each.name(), Figures.text(memory.anonymousBytes())));
    }
    return Result.besidePeer(
        name(),
        "bytes",
        Better.LOWER,
        figures.getFirst(),
        figures.stream().skip(1).findFirst(),
        arena.setup().peerName(),
        GOAL,
        notes.toString());
  }
}
