package io.stele.bench.metastore;

import io.stele.bench.measure.Better;
import io.stele.bench.measure.Contest.Summary;
import io.stele.bench.measure.Sample;
import io.stele.bench.report.Notes;
import io.stele.bench.report.Result;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/**
 * Some clients that ask for one kind of thing, each again as soon as it is answered.
 *
 * @param goal the least ratio that is wanted
 */
record RequestCase(
    String name, String about, String unit, int clients, double goal, Kind kind, boolean conflicts)
    implements MetastoreCase.InArena {

  /** What is asked for. */
  interface Kind {
    CompletableFuture<?> send(
        Arena arena, Contestant contestant, Driver connection, RandomGenerator chance);
  }

  private static final int RANGE = 100;
  private static final double PUT_GOAL = 1.0;
  private static final double GET_GOAL = 2.0;

  /** What has no goal of its own is to be no worse than the peer. */
  private static final double USUAL_GOAL = 1.0;

  static RequestCase put(int clients) {
    return new RequestCase(
        "put-" + clients,
        "puts of %d-byte values by %s".formatted(Scale.VALUE_BYTES, people(clients)),
        "puts/s",
        clients,
        PUT_GOAL,
        Arena::put,
        false);
  }

  static RequestCase get(int clients) {
    return new RequestCase(
        "get-" + clients,
        "linearizable gets by %s, over %,d keys".formatted(people(clients), Scale.KEYS),
        "gets/s",
        clients,
        GET_GOAL,
        (arena, _, connection, chance) -> connection.get(arena.keys(), arena.any(chance)),
        false);
  }

  static RequestCase range(int clients) {
    return new RequestCase(
        "range-" + RANGE,
        "linearizable reads of %d keys in a row by %s".formatted(RANGE, people(clients)),
        "ranges/s",
        clients,
        USUAL_GOAL,
        (arena, _, connection, chance) ->
            connection.range(
                arena.keys(), chance.nextLong(arena.keys().count() - RANGE + 1), RANGE),
        false);
  }

  static RequestCase transaction(int clients) {
    return new RequestCase(
        "txn",
        "transactions that read 2 keys, then write them, by %s; etcd's as its own library does"
                .formatted(people(clients))
            + " them",
        "txns/s",
        clients,
        USUAL_GOAL,
        (arena, contestant, connection, chance) -> {
          long one = arena.any(chance);
          return connection.transact(
              arena.keys(), one, other(arena, one, chance), contestant.nextEdition());
        },
        true);
  }

  static RequestCase transactionAtOnce(int clients) {
    return new RequestCase(
        "txn-at-once",
        "transactions of one request that compare, read and write 2 keys, by " + people(clients),
        "txns/s",
        clients,
        USUAL_GOAL,
        (arena, contestant, connection, chance) -> {
          long one = arena.any(chance);
          return connection.transactAtOnce(
              arena.keys(), one, other(arena, one, chance), contestant.nextEdition());
        },
        false);
  }

  private static long other(Arena arena, long one, RandomGenerator chance) {
    long distance = 1 + chance.nextLong(arena.keys().count() - 1);
    return (one + distance) % arena.keys().count();
  }

  private static String people(int clients) {
    return clients == 1 ? "1 client" : clients + " clients";
  }

  @Override
  public List<Result> run(Arena arena) throws Exception {
    String title = arena.name(name);
    long steleConflicts = arena.stele().conflicts();
    long peerConflicts = arena.peer().map(Contestant::conflicts).orElse(0L);
    Arena.Outcome outcome =
        arena.contest(
            title,
            unit,
            Sample::perSecond,
            (contestant, length) ->
                contestant.loop(
                    clients,
                    length,
                    (connection, chance) -> kind.send(arena, contestant, connection, chance)));
    List<Summary> summaries = outcome.summaries();
    Notes notes =
        arena
            .setup()
            .notes()
            .latency(summaries)
            .cpu(outcome.costs(), "request")
            .add(conflicts ? conflicts(arena, steleConflicts, peerConflicts) : "")
            .noise(summaries);
    return List.of(
        Result.besidePeer(
            title,
            unit,
            Better.HIGHER,
            summaries.getFirst().figure(),
            summaries.stream().skip(1).map(Summary::figure).findFirst(),
            arena.setup().peerName(),
            goal,
            notes.toString()));
  }

  private static String conflicts(Arena arena, long steleBefore, long peerBefore) {
    Optional<Contestant> peer = arena.peer();
    return "begun anew after a conflict: %s %d%s"
        .formatted(
            arena.stele().name(),
            arena.stele().conflicts() - steleBefore,
            peer.map(side -> ", %s %d".formatted(side.name(), side.conflicts() - peerBefore))
                .orElse(""));
  }
}
