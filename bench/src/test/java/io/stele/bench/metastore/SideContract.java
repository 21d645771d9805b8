package io.stele.bench.metastore;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.bench.measure.Sample;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What the cases expect of a side, on its real processes. */
final class SideContract {
  private static final KeySet KEYS = new KeySet("/bench/keys", 300, 100);
  private static final KeySet WATCHED = new KeySet("/bench/watched", 10, 100);
  private static final Duration MOMENT = Duration.ofMillis(150);
  private static final int CLIENTS = 8;
  private static final int WATCHERS = 20;

  private SideContract() {}

  static void oneMember(Side side, Path directory) throws Exception {
    try (Contestant contestant = Contestant.start(side, directory, 1)) {
      everyKindOfRequest(contestant);
      watchersSeeEveryPut(contestant);
      assertThat(contestant.cluster().memory().bytes()).isGreaterThan(1 << 20);

      contestant.disconnect();
      contestant.cluster().stop();
      assertThat(contestant.cluster().diskBytes()).isPositive();
      contestant.cluster().start();
      contestant.cluster().await("the restart", driver -> driver.get(KEYS, 299));
    }
  }

  static void threeMembers(Side side, Path directory) throws Exception {
    try (Contestant contestant = Contestant.start(side, directory, 3)) {
      assertThat(contestant.cluster().processes()).hasSize(3);
      everyKindOfRequest(contestant);
    }
  }

  private static void everyKindOfRequest(Contestant contestant) throws Exception {
    contestant.load(KEYS);
    List<Contestant.Request> requests =
        List.of(
            (connection, chance) ->
                connection.put(KEYS, chance.nextLong(300), contestant.nextEdition()),
            (connection, chance) -> connection.get(KEYS, chance.nextLong(300)),
            (connection, chance) -> connection.range(KEYS, chance.nextLong(201), 100),
            (connection, chance) ->
                connection.transact(
                    KEYS, chance.nextLong(2), 2 + chance.nextLong(2), contestant.nextEdition()),
            (connection, chance) ->
                connection.transactAtOnce(
                    KEYS,
                    chance.nextLong(150),
                    150 + chance.nextLong(150),
                    contestant.nextEdition()));
    for (Contestant.Request request : requests) {
      Sample sample = contestant.loop(CLIENTS, MOMENT, request);
      assertThat(sample.runs()).isGreaterThanOrEqualTo(CLIENTS);
    }
    assertThat(contestant.conflicts()).as("transactions on four keys").isPositive();
  }

  private static void watchersSeeEveryPut(Contestant contestant) throws Exception {
    Fanout fanout =
        new Fanout(
            WATCHERS,
            contestant::nextEdition,
            edition -> contestant.connection(0).put(WATCHED, edition % 10, edition));
    List<Driver.Watches> watches = new ArrayList<>();
    for (int connection = 0; connection < 2; connection++) {
      watches.add(
          contestant
              .connection(connection)
              .watch(WATCHED, connection * WATCHERS / 2, WATCHERS / 2, fanout)
              .get(20, TimeUnit.SECONDS));
    }
    assertThat(contestant.loop(List.of(fanout), MOMENT).runs()).isPositive();
    watches.forEach(Driver.Watches::close);
    contestant.connection(0).put(WATCHED, 0, contestant.nextEdition()).get(20, TimeUnit.SECONDS);
  }
}
