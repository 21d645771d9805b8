package io.stele.bench.metastore;

import io.stele.bench.Case;
import io.stele.bench.Peer;
import io.stele.bench.Run;
import io.stele.bench.Running;
import io.stele.bench.driver.Sample;
import io.stele.bench.measure.Arena.Shown;
import io.stele.bench.measure.Better;
import io.stele.bench.measure.Memory;
import io.stele.bench.report.Figures;
import io.stele.bench.report.Notes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.random.RandomGenerator;

/**
 * The cases of {@code stele bench metastore} that run on groups of equally many members of each
 * side, which are started, loaded and warmed up once.
 */
final class MetastoreCases implements AutoCloseable {
  static final KeySet KEYS = new KeySet("/bench/keys", 10_000, 100);

  private static final KeySet WATCHED_KEYS = new KeySet("/bench/watched", 100, 100);
  private static final int WATCHERS = 1_000;
  private static final Duration WATCH_PATIENCE = Duration.ofSeconds(30);
  private static final int RANGE = 100;
  private static final int CLIENTS = 64;
  private static final int WARM_UP_REQUESTS = 20_000;
  private static final double PUT_GOAL = 1.0;
  private static final double GET_GOAL = 2.0;

  /** What has no goal of its own is to be no worse than the peer. */
  private static final double USUAL_GOAL = 1.0;

  /** What a case does on the groups. */
  interface Work {
    void run(MetastoreCases groups) throws Exception;
  }

  /** What a client of a group asks for. */
  private interface Kind {
    CompletableFuture<?> send(Group group, Connection connection, RandomGenerator chance);
  }

  private final Run run;
  private final int members;
  private final Peer<MetastoreSide> peer;
  private final List<MetastoreSide> sides;
  private final Running<Group> groups;

  /**
   * Starts the groups, loads their keys and lets them warm up.
   *
   * @param warmUpTurns the most phases that a group warms up by each kind of request
   */
  MetastoreCases(
      Run run, MetastoreSide stele, Peer<MetastoreSide> peer, int members, int warmUpTurns)
      throws Exception {
    this.run = run;
    this.peer = peer;
    this.members = members;
    this.sides = peer.sides(stele);
    this.groups =
        Running.start(run, sides, named("%s"), (side, directory) -> side.start(directory, members));
    try {
      for (Group group : groups.list()) {
        warmUp(group, warmUpTurns);
      }
    } catch (Exception e) {
      groups.close();
      throw e;
    }
  }

  private void warmUp(Group group, int turns) throws Exception {
    group.load(KEYS);
    long puts = warmUp(group, CLIENTS, MetastoreCases::put, turns);
    // One by one too: servers that bundle what waits do less for each put the more clients there
    // are.
    long singlePuts = warmUp(group, 1, MetastoreCases::put, turns / 2);
    long gets = warmUp(group, CLIENTS, MetastoreCases::get, turns);
    run.progress()
        .line(
            "%s: warmed up by %d puts, %d of them one by one, and %d gets"
                .formatted(group.name(), puts + singlePuts, singlePuts, gets));
  }

  /**
   * A JVM compiles what it did often, not what it did long: on a busy machine that takes longer.
   */
  private long warmUp(Group group, int clients, Kind kind, int turns) throws Exception {
    long done = 0;
    for (int turn = 0; turn < turns && done < WARM_UP_REQUESTS; turn++) {
      done += loop(group, clients, kind, run.warmUp()).runs();
    }
    return done;
  }

  private static Sample loop(Group group, int clients, Kind kind, Duration length)
      throws Exception {
    return group.loop(
        clients, length, (connection, chance) -> kind.send(group, connection, chance));
  }

  /** The name of something that is about groups of this size. */
  private String named(String base) {
    return "%s-m%d".formatted(base, members);
  }

  // ---- the cases

  static List<Case<Work>> all() {
    List<Case<Work>> all = new ArrayList<>();
    for (int clients : List.of(1, 64, 512)) {
      all.add(
          requests(
              "put-" + clients,
              "puts of %d-byte values by %s".formatted(KEYS.valueBytes(), people(clients)),
              "puts/s",
              clients,
              PUT_GOAL,
              MetastoreCases::put));
    }
    all.add(
        new Case<>(
            "memory",
            "memory that fresh members need after the same number of puts",
            MetastoreCases::memory));
    for (int clients : List.of(1, 64, 512)) {
      all.add(
          requests(
              "get-" + clients,
              "linearizable gets by %s, over %,d keys".formatted(people(clients), KEYS.count()),
              "gets/s",
              clients,
              GET_GOAL,
              MetastoreCases::get));
    }
    all.add(
        requests(
            "range-" + RANGE,
            "linearizable reads of %d keys in a row by %s".formatted(RANGE, people(CLIENTS)),
            "ranges/s",
            CLIENTS,
            USUAL_GOAL,
            (_, connection, chance) ->
                connection.range(KEYS, chance.nextLong(KEYS.count() - RANGE + 1), RANGE)));
    all.add(
        requests(
            "txn",
            "transactions that read 2 keys, then write them, by %s; etcd's as its own library does them"
                .formatted(people(CLIENTS)),
            "txns/s",
            CLIENTS,
            USUAL_GOAL,
            (group, connection, chance) -> {
              long one = any(chance);
              return connection.transact(KEYS, one, other(one, chance), group.nextEdition());
            }));
    all.add(
        requests(
            "txn-at-once",
            "transactions of one request that compare, read and write 2 keys, by "
                + people(CLIENTS),
            "txns/s",
            CLIENTS,
            USUAL_GOAL,
            (group, connection, chance) -> {
              long one = any(chance);
              return connection.transactAtOnce(KEYS, one, other(one, chance), group.nextEdition());
            }));
    all.add(
        new Case<>(
            "watch-" + WATCHERS,
            "events to %,d watchers of one directory, and from a put to the last of them"
                .formatted(WATCHERS),
            MetastoreCases::watch));
    return all;
  }

  private static Case<Work> requests(
      String name, String about, String unit, int clients, double goal, Kind kind) {
    return new Case<>(name, about, groups -> groups.requests(name, unit, clients, goal, kind));
  }

  private static String people(int clients) {
    return Case.count(clients, "client");
  }

  private static CompletableFuture<?> put(
      Group group, Connection connection, RandomGenerator chance) {
    return connection.put(KEYS, any(chance), group.nextEdition());
  }

  private static CompletableFuture<?> get(
      Group group, Connection connection, RandomGenerator chance) {
    return connection.get(KEYS, any(chance));
  }

  private static long any(RandomGenerator chance) {
    return chance.nextLong(KEYS.count());
  }

  private static long other(long one, RandomGenerator chance) {
    return (one + 1 + chance.nextLong(KEYS.count() - 1)) % KEYS.count();
  }

  /** How long a turn of a round takes. */
  private Duration length(int round) {
    return round == Running.WARM_UP ? run.warmUp() : run.phase();
  }

  /** Some clients that ask for one kind of thing, each again as soon as it is answered. */
  private void requests(String name, String unit, int clients, double goal, Kind kind)
      throws Exception {
    List<Group> all = groups.list();
    List<Long> before = all.stream().map(Group::conflicts).toList();
    List<Shown<Sample>> shown =
        groups.contestWarm(
            named(name),
            unit,
            Sample::perSecond,
            (group, round) -> loop(group, clients, kind, length(round)));
    List<String> conflicts = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      long more = all.get(i).conflicts() - before.get(i);
      if (more > 0) {
        conflicts.add(all.get(i).name() + " " + more);
      }
    }
    Notes notes = new Notes();
    if (!conflicts.isEmpty()) {
      notes.add("begun again after a conflict: " + String.join(", ", conflicts));
    }
    run.tellRates(named(name), unit, "request", shown, peer, goal, notes);
  }

  // ---- watches

  /** One client puts, a thousand watchers see it: how long until the last one has. */
  private void watch() throws Exception {
    String name = "watch-" + WATCHERS;
    List<Shown<Sample>> shown =
        groups.contestWarm(
            named(name),
            "events/s",
            sample -> sample.perSecond() * WATCHERS,
            (group, round) -> watch(group, length(round)));
    run.tell(
        named(name),
        "events/s",
        Better.HIGHER,
        shown,
        peer,
        USUAL_GOAL,
        new Notes()
            .add("one put at a time, the next when all watchers have seen it")
            .cpu(shown, "put"));
    tellLatency(named(name + "-p50"), shown, Sample::p50Micros);
    tellLatency(named(name + "-p99"), shown, Sample::p99Micros);
  }

  private void tellLatency(
      String name, List<Shown<Sample>> shown, ToDoubleFunction<Sample> latency) {
    run.tellFigures(
        name,
        "µs",
        Better.LOWER,
        shown.stream().map(side -> side.median(latency)).toList(),
        peer,
        USUAL_GOAL,
        new Notes().add("from a put to the event of the last watcher").noise(shown));
  }

  /** The watchers are spread evenly over the connections, and new in every turn. */
  private static Sample watch(Group group, Duration length) throws Exception {
    RandomGenerator chance = new SplittableRandom(WATCHERS);
    Fanout fanout =
        new Fanout(
            WATCHERS,
            group::nextEdition,
            edition ->
                group
                    .connection(0)
                    .put(WATCHED_KEYS, chance.nextLong(WATCHED_KEYS.count()), edition));
    List<Connection.Watches> all = new ArrayList<>();
    try {
      int connections = group.connections();
      for (int i = 0; i < connections; i++) {
        int first = WATCHERS * i / connections;
        int count = WATCHERS * (i + 1) / connections - first;
        all.add(
            group
                .connection(i)
                .watch(WATCHED_KEYS, first, count, fanout)
                .get(WATCH_PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
      }
      return group.loop(List.of(fanout), length);
    } finally {
      all.forEach(Connection.Watches::close);
    }
  }

  // ---- memory

  /** On groups of its own: those of the other cases have done as much as there was time for. */
  private void memory() throws Exception {
    long puts = run.phase().compareTo(Duration.ofSeconds(1)) < 0 ? 2_000 : WARM_UP_REQUESTS;
    List<Memory> found = new ArrayList<>();
    for (MetastoreSide side : sides) {
      found.add(
          run.within(
              named("memory-" + side.name()),
              directory -> {
                try (Group group = side.start(directory, members)) {
                  group.load(KEYS);
                  group.putMany(KEYS, puts, CLIENTS);
                  return Memory.of(group.servers());
                }
              }));
    }
    run.tellFigures(
        named("memory"),
        "bytes",
        Better.LOWER,
        found.stream().map(memory -> (double) memory.needed()).toList(),
        peer,
        null,
        new Notes()
            .add(Memory.METHOD)
            .add("after %s puts; resident: %s".formatted(Figures.text(puts), resident(found))));
  }

  private String resident(List<Memory> found) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      texts.add(sides.get(i).name() + " " + Figures.text(found.get(i).resident()));
    }
    return String.join(", ", texts);
  }

  @Override
  public void close() throws Exception {
    groups.close();
  }
}
