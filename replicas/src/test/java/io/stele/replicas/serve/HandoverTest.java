package io.stele.replicas.serve;

import static io.stele.replicas.serve.ReplicaCluster.address;
import static io.stele.replicas.serve.ReplicaCluster.get;
import static io.stele.replicas.serve.ReplicaCluster.put;
import static io.stele.replicas.serve.ReplicaCluster.result;
import static io.stele.replicas.serve.ReplicaCluster.scan;
import static io.stele.replicas.serve.ReplicaCluster.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Acks;
import io.stele.base.table.Tables;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Halves of a split begin with what the replica on their server has, and are sent the rest. */
@Execution(ExecutionMode.CONCURRENT)
class HandoverTest {
  private static final Consistency ONE = Consistency.DEFAULT.withAcks(Acks.ONE);
  private static final Consistency ALL = Consistency.DEFAULT.withAcks(Acks.ALL);
  private static final Pattern SENT = Pattern.compile("sent (\\d+) cells");
  private static final Pattern TAKEN = Pattern.compile("took over (\\d+) cells");
  private static final int ROWS = 200;

  private final ReplicaCluster cluster = new ReplicaCluster();

  @AfterEach
  void stop() {
    cluster.close();
  }

  private ReplicaServer a() {
    return cluster.server("a");
  }

  private void fill(Tables tables, String prefix, int rows) {
    List<CompletableFuture<Long>> writes = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      String row = "%s%03d".formatted(prefix, i);
      writes.add(tables.apply("t", put(row, "v" + i), Tables.ANY_TXN, true));
    }
    writes.forEach(ReplicaCluster::result);
  }

  private long total(Pattern pattern) {
    return cluster.events.stream()
        .map(pattern::matcher)
        .filter(Matcher::find)
        .mapToLong(found -> Long.parseLong(found.group(1)))
        .sum();
  }

  /** All are equal, and on every disk there are the replicas of these partitions alone. */
  private void awaitSettled(int partitions) {
    await().until(() -> cluster.metadata("t").partitions().size() == partitions);
    cluster.awaitReplicas("t");
    cluster.awaitEqual("t");
    await()
        .untilAsserted(
            () ->
                cluster.servers.forEach(
                    (name, _) -> assertThat(cluster.replicaDirectories(name)).hasSize(partitions)));
  }

  @Test
  void whatAllHaveIsNotSentToTheHalves() {
    cluster.start("a", "b", "c").create("t", 3);
    fill(a().at(ALL), "row", ROWS);
    await().until(this::isConfirmed);
    a().split("t", Bytes.EMPTY, Bytes.utf8("row099"));
    awaitSettled(2);
    assertThat(total(TAKEN)).as("each server's halves have all of it").isEqualTo(3 * ROWS);
    assertThat(total(SENT)).as("it did not cross the network").isZero();
    cluster.servers.values().forEach(each -> assertThat(scan(each, "t")).hasSize(ROWS));
  }

  private boolean isConfirmed() {
    return cluster.servers.keySet().stream()
        .map(name -> cluster.replica(name, "t").progress())
        .allMatch(
            progress ->
                progress.confirmed().stream()
                    .allMatch(each -> each.sequence() == progress.sequence()));
  }

  @Test
  void whatOneLacksIsSentToItsHalves() {
    cluster.start("a", "b", "c").create("t", 3);
    fill(a().at(ALL), "row", ROWS);
    await().until(this::isConfirmed);
    cluster.network.isolate(address("c"));
    fill(a(), "other", 30); // a majority has them
    a().split("t", Bytes.EMPTY, Bytes.utf8("row099"));
    write(cluster.server("c").at(ONE), "t", "row500", "only at c");
    cluster.network.heal();
    awaitSettled(2);
    cluster.servers.values().forEach(each -> assertThat(scan(each, "t")).hasSize(ROWS + 31));
    assertThat(total(SENT)).as("the rest did not cross the network").isLessThan(ROWS);
  }

  @Test
  void aServerThatWasAwayDuringTheSplitTakesOverWhatItHas() {
    cluster.start("a", "b", "c").create("t", 3);
    fill(a().at(ALL), "row", ROWS);
    await().until(this::isConfirmed);
    cluster.stop("c"); // it knows what others have, and says so to its halves
    a().split("t", Bytes.EMPTY, Bytes.utf8("row099"));
    await().until(() -> cluster.metadata("t").partitions().size() == 2);
    write(a(), "t", "row150x", "meanwhile");
    cluster.start("c");
    awaitSettled(2);
    assertThat(get(cluster.server("c"), "t", "row150x")).contains("meanwhile");
    assertThat(total(TAKEN)).isEqualTo(3 * ROWS);
    assertThat(total(SENT)).as("the rest did not cross the network").isLessThan(ROWS);
  }

  @Test
  void aSplitOfAHalfThatHasJustBegun() {
    cluster.start("a", "b", "c").create("t", 3);
    Map<String, String> written = new TreeMap<>();
    for (int round = 0; round < 4; round++) {
      for (int i = 0; i < 40; i++) {
        String row = "row%03d".formatted(i * 4 + round);
        write(cluster.server(List.of("a", "b", "c").get(i % 3)), "t", row, "v" + i);
        written.put(row, "v" + i);
      }
      Bytes last = cluster.metadata("t").partitions().getLast().first();
      splitWhenPossible(last, Bytes.utf8("row%03d".formatted(20 + round * 30)));
      int partitions = round + 2;
      await()
          .pollInterval(Duration.ofMillis(5))
          .until(() -> cluster.metadata("t").partitions().size() == partitions);
    }
    awaitSettled(5);
    cluster
        .servers
        .values()
        .forEach(each -> assertThat(scan(each, "t")).containsExactlyEntriesOf(written));
  }

  private void splitWhenPossible(Bytes partition, Bytes row) {
    await()
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> {
              try {
                a().split("t", partition, row);
                return true;
              } catch (SteleException e) {
                return false; // who is to do it does not serve it yet
              }
            });
  }

  @Test
  void serversThatCrashWhileTheyTakeOverBeginAgain() {
    cluster.start("a", "b", "c").create("t", 3);
    fill(a().at(ALL), "row", ROWS);
    a().split("t", Bytes.EMPTY, Bytes.utf8("row099"));
    for (String name : List.of("b", "c", "b", "c")) {
      cluster.crash(name);
      cluster.start(name);
      write(a().at(ONE), "t", "row050" + name, "during");
    }
    awaitSettled(2);
    cluster.servers.values().forEach(each -> assertThat(scan(each, "t")).hasSize(ROWS + 2));
  }

  @Test
  void changesAreAcknowledgedWhileNothingCanBeTakenOver() {
    cluster.start("a", "b", "c").create("t", 3);
    fill(a().at(ALL), "row", ROWS);
    // Without word of how far others are, no half is known to be complete.
    cluster.network.on(call -> call.is("progress")).refuse(100_000);
    a().split("t", Bytes.EMPTY, Bytes.utf8("row099"));
    for (int i = 0; i < 20; i++) {
      result(a().apply("t", put("row%03dx".formatted(i * 9), "new"), Tables.ANY_TXN, true));
    }
    assertThat(cluster.metadata("t").partitions()).hasSize(1);
    cluster.network.heal();
    awaitSettled(2);
    cluster.servers.values().forEach(each -> assertThat(scan(each, "t")).hasSize(ROWS + 20));
  }
}
