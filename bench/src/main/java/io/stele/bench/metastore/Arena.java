package io.stele.bench.metastore;

import io.stele.bench.measure.Contest;
import io.stele.bench.measure.Contest.Attempt;
import io.stele.bench.measure.Contest.Entrant;
import io.stele.bench.measure.Contest.Summary;
import io.stele.bench.measure.CpuCost;
import io.stele.bench.measure.Sample;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToDoubleFunction;
import java.util.random.RandomGenerator;

/**
 * Groups of equally many members of each side, which run side by side and are measured in turns:
 * the idle one costs the other a few heartbeats.
 */
final class Arena implements AutoCloseable {
  private static final int WARM_UP_CLIENTS = 64;
  private static final int WARM_UP_REQUESTS = 20_000;

  private final Setup setup;
  private final int members;
  private final KeySet keys = new KeySet("/bench/keys", Scale.KEYS, Scale.VALUE_BYTES);
  private final List<Contestant> contestants = new ArrayList<>();
  private final List<Path> directories = new ArrayList<>();

  private Arena(Setup setup, int members) {
    this.setup = setup;
    this.members = members;
  }

  /** Starts the groups, loads their keys and lets them warm up. */
  static Arena open(Setup setup, int members) throws Exception {
    Arena arena = new Arena(setup, members);
    try {
      for (Side side : setup.sides()) {
        arena.add(side);
      }
      return arena;
    } catch (Exception e) {
      arena.close();
      throw e;
    }
  }

  private void add(Side side) throws Exception {
    Path directory = setup.workspace().directory("%s-m%d".formatted(side.name(), members));
    directories.add(directory);
    Contestant contestant = Contestant.start(side, directory, members);
    contestants.add(contestant);
    setup.progress().line("%s: group of %d started".formatted(side.name(), members));
    contestant.load(keys);
    setup.progress().line("%s: %d keys loaded".formatted(side.name(), keys.count()));
    int turns = setup.scale().warmUpTurns();
    Contestant.Request put = (connection, chance) -> put(contestant, connection, chance);
    Contestant.Request get = (connection, chance) -> connection.get(keys, any(chance));
    long puts = warmUp(contestant, WARM_UP_CLIENTS, put, turns);
    // One by one too: servers that bundle what waits do less for each put the more clients there
    // are.
    long singlePuts = warmUp(contestant, 1, put, turns / 2);
    long gets = warmUp(contestant, WARM_UP_CLIENTS, get, turns);
    setup
        .progress()
        .line(
            "%s: warmed up by %d puts, %d of them one by one, and %d gets"
                .formatted(side.name(), puts + singlePuts, singlePuts, gets));
  }

  /**
   * A JVM compiles what it did often, not what it did long: on a busy machine that takes longer.
   */
  private long warmUp(Contestant contestant, int clients, Contestant.Request request, int turns)
      throws Exception {
    long done = 0;
    for (int turn = 0; turn < turns && done < WARM_UP_REQUESTS; turn++) {
      done += contestant.loop(clients, setup.scale().warmUp(), request).runs();
    }
    return done;
  }

  Setup setup() {
    return setup;
  }

  KeySet keys() {
    return keys;
  }

  long any(RandomGenerator chance) {
    return chance.nextLong(keys.count());
  }

  CompletableFuture<?> put(Contestant contestant, Driver connection, RandomGenerator chance) {
    return connection.put(keys, any(chance), contestant.nextEdition());
  }

  /** The name of a result of a case that runs here. */
  String name(String base) {
    return "%s-m%d".formatted(base, members);
  }

  /** How one side does one run of what is measured. */
  interface Turn {
    Sample run(Contestant contestant, Duration length) throws Exception;
  }

  /** What the sides showed, in the order of {@link Setup#sides}. */
  record Outcome(List<Summary> summaries, List<CpuCost> costs) {}

  /** Lets the sides take turns. */
  Outcome contest(String name, String unit, ToDoubleFunction<Sample> figure, Turn turn)
      throws Exception {
    List<Entrant> entrants = new ArrayList<>();
    List<CpuCost> costs = new ArrayList<>();
    for (Contestant contestant : contestants) {
      Attempt warmUp = () -> turn.run(contestant, setup.scale().warmUp());
      CpuCost cost = new CpuCost();
      costs.add(cost);
      Attempt attempt =
          () ->
              cost.count(
                  contestant.cluster().processes(),
                  () -> turn.run(contestant, setup.scale().phase()));
      entrants.add(new Entrant(contestant.name(), warmUp, attempt));
    }
    return new Outcome(
        new Contest(name, unit, figure, setup.progress()).run(setup.scale().rounds(), entrants),
        costs);
  }

  Contestant stele() {
    return contestants.getFirst();
  }

  Optional<Contestant> peer() {
    return contestants.stream().skip(1).findFirst();
  }

  @Override
  public void close() throws Exception {
    for (Contestant contestant : contestants) {
      contestant.close();
    }
    for (Path directory : directories) {
      setup.workspace().delete(directory);
    }
  }
}
