package io.stele.bench.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.bench.measure.Memory;
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

  static void oneMember(MetastoreSide side, Path directory) throws Exception {
    try (Group group = side.start(directory, 1)) {
      everyKindOfRequest(group);
      watchersSeeEveryPut(group);
      aKeyThatIsNotThereIsAWrongAnswer(group);
      group.putMany(KEYS, 500, CLIENTS);
      group.connection(0).compact(KEYS).get(20, TimeUnit.SECONDS);
      Memory memory = Memory.of(group.servers());
      assertThat(memory.needed()).isBetween(1L << 20, memory.resident());

      group.stop();
      assertThat(group.diskBytes()).isPositive();
      assertThat(group.restart(connection -> connection.get(KEYS, 299))).isPositive();
    }
  }

  /** Starts its processes once. */
  static void requestsOfOneMember(MetastoreSide side, Path directory) throws Exception {
    try (Group group = side.start(directory, 1)) {
      everyKindOfRequest(group);
      watchersSeeEveryPut(group);
    }
  }

  static void threeMembers(MetastoreSide side, Path directory) throws Exception {
    try (Group group = side.start(directory, 3)) {
      assertThat(group.servers()).hasSize(3);
      everyKindOfRequest(group);
    }
  }

  private static void everyKindOfRequest(Group group) throws Exception {
    group.load(KEYS);
    Group.Request contended =
        (connection, chance) ->
            connection.transact(
                KEYS, chance.nextLong(2), 2 + chance.nextLong(2), group.nextEdition());
    List<Group.Request> requests =
        List.of(
            (connection, chance) -> connection.put(KEYS, chance.nextLong(300), group.nextEdition()),
            (connection, chance) -> connection.get(KEYS, chance.nextLong(300)),
            (connection, chance) -> connection.range(KEYS, chance.nextLong(201), 100),
            contended,
            (connection, chance) ->
                connection.transactAtOnce(
                    KEYS, chance.nextLong(150), 150 + chance.nextLong(150), group.nextEdition()));
    for (Group.Request request : requests) {
      assertThat(group.loop(CLIENTS, MOMENT, request).runs()).isGreaterThanOrEqualTo(CLIENTS);
    }
    await("conflicts of transactions on four keys") // threads decide when there is the first
        .until(() -> group.conflicts() > 0 || conflicts(group, contended));
  }

  private static boolean conflicts(Group group, Group.Request contended) throws Exception {
    var _ = group.loop(CLIENTS, MOMENT, contended);
    return group.conflicts() > 0;
  }

  private static void aKeyThatIsNotThereIsAWrongAnswer(Group group) {
    KeySet absent = new KeySet("/absent", 10, 16);
    assertThatThrownBy(() -> group.connection(0).get(absent, 3).get())
        .hasCauseInstanceOf(WrongAnswerException.class)
        .hasMessageContaining("1 keys from /absent/0000000003 on were asked for and 0 found");
  }

  private static void watchersSeeEveryPut(Group group) throws Exception {
    Fanout fanout =
        new Fanout(
            WATCHERS,
            group::nextEdition,
            edition -> group.connection(0).put(WATCHED, edition % 10, edition));
    List<Connection.Watches> watches = new ArrayList<>();
    for (int connection = 0; connection < 2; connection++) {
      watches.add(
          group
              .connection(connection)
              .watch(WATCHED, connection * WATCHERS / 2, WATCHERS / 2, fanout)
              .get(20, TimeUnit.SECONDS));
    }
    assertThat(group.loop(List.of(fanout), MOMENT).runs()).isPositive();
    watches.forEach(Connection.Watches::close);
    group.connection(0).put(WATCHED, 0, group.nextEdition()).get(20, TimeUnit.SECONDS);
  }
}
