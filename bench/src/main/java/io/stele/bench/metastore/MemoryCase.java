package io.stele.bench.metastore;

import io.stele.bench.measure.Better;
import io.stele.bench.measure.ResidentMemory;
import io.stele.bench.report.Figures;
import io.stele.bench.report.Notes;
import io.stele.bench.report.Result;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** What the members of a group hold in memory after the cases that put. Nothing is timed. */
final class MemoryCase implements MetastoreCase.InArena {
  @Override
  public String name() {
    return "memory";
  }

  @Override
  public String about() {
    return "resident memory of all members after the puts";
  }

  @Override
  public List<Result> run(Arena arena) throws IOException {
    Contestant stele = arena.stele();
    Optional<Contestant> peer = arena.peer();
    ResidentMemory ours = stele.cluster().memory();
    Notes notes = arena.setup().notes().add(note(stele, ours));
    Optional<Double> theirs = Optional.empty();
    if (peer.isPresent()) {
      ResidentMemory memory = peer.get().cluster().memory();
      notes.add(note(peer.get(), memory));
      theirs = Optional.of((double) memory.bytes());
    }
    return List.of(
        Result.withoutGoal(
            arena.name(name()),
            "bytes",
            Better.LOWER,
            (double) ours.bytes(),
            theirs,
            arena.setup().peerName(),
            notes.toString()));
  }

  private static String note(Contestant contestant, ResidentMemory memory) {
    return "%s after %s puts, %s of it backed by no file"
        .formatted(
            contestant.name(),
            Figures.text(contestant.editions()),
            Figures.text(memory.anonymousBytes()));
  }
}
