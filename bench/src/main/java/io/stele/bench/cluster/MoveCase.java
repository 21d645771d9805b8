package io.stele.bench.cluster;

import io.stele.bench.measure.Better;
import io.stele.bench.report.Result;
import io.stele.bench.table.ycsb.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What a client that writes without a break sees of a tablet's move. */
final class MoveCase implements ScaleCase {
  private static final String TABLE = "moved";
  private static final int RECORDS = 10_000;
  private static final double MOST_MILLIS = 500;

  @Override
  public String name() {
    return "move";
  }

  @Override
  public String about() {
    return "the longest pause of a client's writes to a tablet that is moved";
  }

  @Override
  public List<Result> run(ScaleArena arena) throws Exception {
    ScaleSetup setup = arena.setup();
    int moves = setup.extent().moves();
    List<Answer> pauses = new ArrayList<>();
    for (RunningCluster cluster : arena.clusters()) {
      var _ = cluster.ask("create " + TABLE);
      var _ = cluster.ask("fill %s 0 %d 1".formatted(TABLE, RECORDS));
      var _ = cluster.ask("moves %s 2".formatted(TABLE)); // not on the clock
      Answer answer = cluster.ask("moves %s %d".formatted(TABLE, moves));
      pauses.add(answer);
      setup
          .progress()
          .line(
              String.format(
                  Locale.ROOT,
                  "%-12s %-10s %d moves: pauses of p50 %.1f ms, p99 %.1f ms",
                  name(),
                  cluster.name(),
                  moves,
                  answer.p50Micros() / 1e3,
                  answer.p99Micros() / 1e3));
      var _ = cluster.ask("drop " + TABLE);
    }
    Optional<Answer> theirs = pauses.stream().skip(1).findFirst();
    String note = setup.note("%s; %d moves, %,d records".formatted(about(), moves, RECORDS));
    return List.of(
        Result.withoutGoal(
            "move-p50",
            "ms",
            Better.LOWER,
            pauses.getFirst().p50Micros() / 1e3,
            theirs.map(answer -> answer.p50Micros() / 1e3),
            setup.peerName(),
            note),
        Result.bounded(
            "move-p99",
            "ms",
            pauses.getFirst().p99Micros() / 1e3,
            theirs.map(answer -> answer.p99Micros() / 1e3),
            setup.peerName(),
            MOST_MILLIS,
            note + "; must be below %.0f ms".formatted(MOST_MILLIS)));
  }
}
