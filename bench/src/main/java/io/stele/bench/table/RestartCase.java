package io.stele.bench.table;

import io.stele.bench.measure.Better;
import io.stele.bench.measure.Median;
import io.stele.bench.report.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How long a server is away: from its start, or from its crash, until what is in it is read. */
record RestartCase(String name, String about, How how) implements TableCase {
  private static final double GOAL = 5;
  private static final String CRASH_TABLE = "crashtable";

  /** Spread over the table: if these are there, all parts of it are served. */
  private static final int PROBES = 64;

  /** One round of one side. */
  interface How {
    /** Returns the seconds. */
    double measure(Arena arena, Contestant contestant, int round) throws Exception;
  }

  static RestartCase start() {
    return new RestartCase(
        "start",
        "from the start of a server that was stopped cleanly to the first read",
        RestartCase::startAndRead);
  }

  static RestartCase recovery() {
    return new RestartCase(
        "recovery",
        "from kill -9 with writes that are in the log alone until all of them are read",
        RestartCase::crashAndRead);
  }

  @Override
  public String group() {
    return name;
  }

  private static double startAndRead(Arena arena, Contestant contestant, int round)
      throws Exception {
    contestant.stopServer();
    long begin = System.nanoTime();
    contestant.startServer();
    var _ = contestant.ask("await %s 0 1 1".formatted(Arena.TABLE));
    return (System.nanoTime() - begin) / 1e9;
  }

  private static double crashAndRead(Arena arena, Contestant contestant, int round)
      throws Exception {
    long count = arena.setup().scale().unflushedRecords();
    long first = count * round; // new ones each time
    if (round == 0) {
      var _ = contestant.ask("create " + CRASH_TABLE);
    }
    var _ = contestant.ask("flush " + Arena.TABLE);
    var _ = contestant.ask("flush " + CRASH_TABLE);
    var _ = contestant.ask("fill %s %d %d %d".formatted(CRASH_TABLE, first, count, round));
    long begin = System.nanoTime();
    contestant.killServer();
    contestant.startServer();
    var _ = contestant.ask("await %s %d %d %d".formatted(CRASH_TABLE, first, count, PROBES));
    double seconds = (System.nanoTime() - begin) / 1e9;
    var _ = contestant.ask("verify %s %d %d".formatted(CRASH_TABLE, first, count));
    return seconds;
  }

  @Override
  public Result run(Arena arena) throws Exception {
    arena.fill();
    List<List<Double>> millis = new ArrayList<>();
    arena.contestants().forEach(_ -> millis.add(new ArrayList<>()));
    int rounds = arena.setup().scale().rounds();
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < arena.contestants().size(); i++) {
        Contestant contestant = arena.contestants().get(i);
        double found = how.measure(arena, contestant, round) * 1e3;
        millis.get(i).add(found);
        arena
            .setup()
            .progress()
            .line(
                String.format(
                    Locale.ROOT,
                    "%-22s %d/%d  %-34s %,14.1f ms",
                    name,
                    round + 1,
                    rounds,
                    contestant.name(),
                    found));
      }
    }
    Optional<Double> theirs = millis.stream().skip(1).map(RestartCase::median).findFirst();
    return Result.besidePeer(
        name,
        "ms",
        Better.LOWER,
        median(millis.getFirst()),
        theirs,
        arena.setup().peerName(),
        GOAL,
        arena.setup().notes().add(about).toString());
  }

  private static double median(List<Double> figures) {
    return Median.of(figures.stream().mapToDouble(Double::doubleValue).toArray());
  }
}
