package io.stele.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Cluster.ServerStatus;
import io.stele.base.time.Clock;
import io.stele.client.Stele;
import io.stele.it.SteleProcess;
import io.stele.it.cluster.PinnedCalls.Call;
import io.stele.it.cluster.PinnedCalls.End;
import io.stele.testkit.table.TableFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that sleeps past its session and wakes up when others have its tablets. */
class ZombieOwnerIT {
  private static final String TABLE = "t";

  /** Long enough for calls to lie in the connection of a server that is asleep until it wakes. */
  private static final Duration CALL = Duration.ofSeconds(10);

  private static final int ACKNOWLEDGED = 100;
  private static final int REFUSED = 20;
  private static final int CALLERS = 8;

  @Test
  @Timeout(value = 3, unit = TimeUnit.MINUTES)
  void aServerThatWakesUpAcknowledgesNothingAndStartsAgain() throws Exception {
    try (TabletCluster cluster = TabletCluster.start(Setup.of("zombie", 2));
        Stele stele = cluster.client()) {
      stele.tables().create(TABLE, TableSchema.ofFamilies("f"), List.of());
      TableFixture table = new TableFixture(stele.rows(), TABLE);
      table.apply(TableFixture.put("known", "f:q", 1, "before"));
      var _ = stele.cluster().balance(true); // nothing moves by itself from now on
      int zombie = cluster.awaitOwner(TABLE, "known");
      String address = cluster.serverAddress(zombie);
      String run = server(stele, address).orElseThrow().run();
      try (PinnedTables pinned = new PinnedTables(address, CALL)) {
        PinnedCalls calls = new PinnedCalls(pinned.rows(), TABLE, "first");
        calls.start(CALLERS);
        awaitSuccesses(calls);

        long asleep = pause(cluster.server(zombie));
        calls.start(2 * CALLERS); // what they send is the first that it finds
        table.apply(TableFixture.put("known", "f:q", 2, "after"));
        assertThat(cluster.awaitOwner(TABLE, "known")).isNotEqualTo(zombie);
        keepFromTablets(stele, address);
        cluster.server(zombie).resume();
        awaitRefusals(calls, asleep);
        await("a new life of the server")
            .atMost(TabletCluster.RECOVERY)
            .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
            .until(() -> server(stele, address).filter(s -> !s.run().equals(run)).isPresent());
        calls.stop();

        checkCalls(calls, asleep, rows(stele));
        checkNewLife(cluster, stele, zombie, pinned);
      }
    }
  }

  /** Returns when the process stands still, and since when. */
  private static long pause(SteleProcess process) {
    process.pause();
    Path state = Path.of("/proc", Long.toString(process.pid()), "stat");
    await("a process that is stopped")
        .atMost(Duration.ofSeconds(10))
        .pollInterval(Duration.ofMillis(1))
        .until(() -> Files.readString(state).contains(") T "));
    return Clock.system().nanos();
  }

  private static void awaitSuccesses(PinnedCalls calls) {
    await(ACKNOWLEDGED + " calls that are acknowledged")
        .atMost(TabletCluster.RECOVERY)
        .until(() -> calls.count(End.SUCCESS, Long.MIN_VALUE) >= ACKNOWLEDGED);
  }

  private static void awaitRefusals(PinnedCalls calls, long asleep) {
    await(REFUSED + " calls that are refused")
        .atMost(TabletCluster.RECOVERY)
        .until(
            () -> {
              assertThat(calls.count(End.SUCCESS, asleep))
                  .as("calls that were acknowledged by a server that was asleep when it got them")
                  .isZero();
              return calls.count(End.REFUSED, asleep) >= REFUSED;
            });
  }

  private static Optional<ServerStatus> server(Stele stele, String address) {
    return stele.cluster().status().servers().stream()
        .filter(server -> server.address().equals(address))
        .findFirst();
  }

  /**
   * So that nothing it acknowledges later can be by right. By the key, since the master only drains
   * a server that is there.
   */
  private static void keepFromTablets(Stele stele, String address) {
    stele.metastore().put("/stele/drain/" + address, "");
  }

  private static Set<String> rows(Stele stele) {
    Set<String> rows = new HashSet<>();
    new TableFixture(stele.rows(), TABLE)
        .all()
        .forEach(cell -> rows.add(cell.substring(0, cell.indexOf('/'))));
    return rows;
  }

  private static void checkCalls(PinnedCalls calls, long asleep, Set<String> rows) {
    for (Call call : calls.ended()) {
      if (call.end() == End.SUCCESS) {
        assertThat(call.sent()).as("sent to a server that was asleep: %s", call).isLessThan(asleep);
        assertThat(call.row().isEmpty() || rows.contains(call.row()))
            .as("acknowledged: %s", call)
            .isTrue();
      } else if (call.end() == End.REFUSED) {
        assertThat(rows).as("refused").doesNotContain(call.row());
      }
    }
  }

  /** It serves again what it is given, to the same client, and has all that others wrote. */
  private static void checkNewLife(
      TabletCluster cluster, Stele stele, int zombie, PinnedTables pinned) {
    String address = cluster.serverAddress(zombie);
    assertThat(stele.cluster().drain(address, false)).isZero();
    assertThat(stele.cluster().move(TABLE, Bytes.utf8("known"), address).to()).isEqualTo(address);
    TableFixture there = new TableFixture(pinned.rows(), TABLE);
    assertThat(there.row("known").getFirst()).endsWith("=after");
    PinnedCalls again = new PinnedCalls(pinned.rows(), TABLE, "second");
    for (int i = 0; i < 10; i++) {
      assertThat(again.call(new SplittableRandom(i)).end()).isEqualTo(End.SUCCESS);
    }
    assertThat(stele.tables().verifyMeta("")).isEmpty();
  }
}
