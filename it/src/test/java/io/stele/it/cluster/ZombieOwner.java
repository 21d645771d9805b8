package io.stele.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.base.process.ServerProcess;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Cluster.ServerStatus;
import io.stele.base.time.Clock;
import io.stele.client.Stele;
import io.stele.it.cluster.PinnedCalls.Call;
import io.stele.it.cluster.PinnedCalls.End;
import io.stele.it.process.SteleCluster;
import io.stele.testkit.table.TableFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A server that sleeps past its session and wakes up when others have its tablets: it acknowledges
 * nothing, and starts again.
 */
final class ZombieOwner {
  private static final String TABLE = "zombie";

  /** Long enough for calls to lie in the connection of a server that is asleep until it wakes. */
  private static final Duration CALL = Duration.ofSeconds(10);

  private static final int ACKNOWLEDGED = 100;
  private static final int REFUSED = 20;
  private static final int CALLERS = 8;

  private final Tablets tablets;
  private final Stele stele;

  ZombieOwner(Tablets tablets, Stele stele) {
    this.tablets = tablets;
    this.stele = stele;
  }

  void run() throws Exception {
    stele.tables().create(TABLE, TableSchema.ofFamilies("f"), List.of());
    TableFixture table = new TableFixture(stele.rows(), TABLE);
    table.apply(TableFixture.put("known", "f:q", 1, "before"));
    var _ = stele.cluster().balance(true); // nothing moves by itself from now on
    int zombie = tablets.awaitOwner(TABLE, "known");
    ServerProcess process = tablets.cluster().server(zombie);
    String address = tablets.address(zombie);
    String run = server(address).orElseThrow().run();
    try (PinnedTables pinned = new PinnedTables(address, CALL)) {
      PinnedCalls calls = new PinnedCalls(pinned.rows(), TABLE, "first");
      calls.start(CALLERS);
      awaitSuccesses(calls);

      long asleep = pause(process);
      calls.start(2 * CALLERS); // what they send is the first that it finds
      table.apply(TableFixture.put("known", "f:q", 2, "after"));
      assertThat(tablets.awaitOwner(TABLE, "known")).isNotEqualTo(zombie);
      keepFromTablets(address);
      process.resume();
      awaitRefusals(calls, asleep);
      await("a new life of the server")
          .atMost(SteleCluster.RECOVERY)
          .ignoreExceptionsMatching(problem -> problem instanceof SteleException)
          .until(() -> server(address).filter(s -> !s.run().equals(run)).isPresent());
      calls.stop();

      checkCalls(calls, asleep, rows());
      checkNewLife(address, pinned);
    }
    stele.tables().drop(TABLE);
  }

  /** Returns when the process stands still, and since when. */
  private static long pause(ServerProcess process) {
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
        .atMost(SteleCluster.RECOVERY)
        .until(() -> calls.count(End.SUCCESS, Long.MIN_VALUE) >= ACKNOWLEDGED);
  }

  private static void awaitRefusals(PinnedCalls calls, long asleep) {
    await(REFUSED + " calls that are refused")
        .atMost(SteleCluster.RECOVERY)
        .until(
            () -> {
              assertThat(calls.count(End.SUCCESS, asleep))
                  .as("calls that were acknowledged by a server that was asleep when it got them")
                  .isZero();
              return calls.count(End.REFUSED, asleep) >= REFUSED;
            });
  }

  private Optional<ServerStatus> server(String address) {
    return stele.cluster().status().servers().stream()
        .filter(server -> server.address().equals(address))
        .findFirst();
  }

  /**
   * So that nothing it acknowledges later can be by right. By the key, since the master only drains
   * a server that is there.
   */
  private void keepFromTablets(String address) {
    stele.metastore().put("/stele/drain/" + address, "");
  }

  private Set<String> rows() {
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
  private void checkNewLife(String address, PinnedTables pinned) {
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
