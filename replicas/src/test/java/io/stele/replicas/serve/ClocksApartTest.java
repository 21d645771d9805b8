package io.stele.replicas.serve;

import static io.stele.replicas.serve.ReplicaCluster.address;
import static io.stele.replicas.serve.ReplicaCluster.get;
import static io.stele.replicas.serve.ReplicaCluster.result;
import static io.stele.replicas.serve.ReplicaCluster.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Acks;
import io.stele.base.table.Consistency.Reads;
import io.stele.base.table.Tables;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Servers whose clocks are minutes apart. */
@Execution(ExecutionMode.CONCURRENT)
class ClocksApartTest {
  private static final Consistency MAJORITY = Consistency.DEFAULT.withReads(Reads.MAJORITY);
  private static final Consistency ALL = Consistency.DEFAULT.withAcks(Acks.ALL);

  private final ReplicaCluster cluster = new ReplicaCluster();

  @AfterEach
  void stop() {
    cluster.close();
  }

  private void start(long minutesAhead) {
    cluster.aheadMillis.put("a", TimeUnit.MINUTES.toMillis(minutesAhead));
    cluster.start("a", "b", "c").create("t", 3);
  }

  private void erase(Tables tables) {
    result(
        tables.apply(
            "t",
            new CellBatchBuilder().add(Cell.eraseRow(Bytes.utf8("r"))).build(),
            Tables.ANY_TXN,
            true));
  }

  @Test
  void aDeletionHidesWhatAServerWroteWhoseClockIsAhead() {
    start(5);
    write(cluster.server("a").at(ALL), "t", "r", "v");
    erase(cluster.server("b"));
    assertThat(get(cluster.server("c").at(MAJORITY), "t", "r")).isEmpty();
    write(cluster.server("c"), "t", "r", "again");
    assertThat(get(cluster.server("a").at(MAJORITY), "t", "r")).contains("again");
  }

  @Test
  void whoReadsAtAMajorityWritesLaterThanWhatItRead() {
    start(5);
    cluster.network.on(call -> call.is("push") && call.to().equals(address("b"))).refuse(100_000);
    write(cluster.server("a"), "t", "r", "v"); // a and c have it
    assertThat(cluster.server("b").deleteRows("t", RowRange.ALL)).isEqualTo(1);
    assertThat(get(cluster.server("c").at(MAJORITY), "t", "r")).isEmpty();
  }

  @Test
  void aClockThatIsSetBackWhileItsServerIsDownDoesNotGoBack() {
    start(5);
    cluster.network.isolate(address("a")); // nobody else could tell it
    Tables one = cluster.server("a").at(Consistency.DEFAULT.withAcks(Acks.ONE));
    write(one, "t", "r", "first");
    cluster.crash("a");
    cluster.aheadMillis.put("a", 0L);
    cluster.start("a");
    cluster.awaitReplicas("t");
    Tables again = cluster.server("a").at(Consistency.DEFAULT.withAcks(Acks.ONE));
    write(again, "t", "r", "second");
    assertThat(get(again, "t", "r")).contains("second");
  }

  @Test
  void aClockThatIsHoursAheadIsNotFollowed() {
    start(120);
    write(cluster.server("a").at(ALL), "t", "r", "v");
    long ahead =
        cluster.server("b").machinery().time().now()
            - cluster.server("b").machinery().clock().micros();
    assertThat(ahead).isLessThan(TimeUnit.MINUTES.toMicros(1));
    assertThat(cluster.events).anyMatch(each -> each.contains("s ahead of this one's"));
  }

  @Test
  void aWriteThatNeedNotBeSyncedDoesNotHideItsFailure() {
    cluster.settings = cluster.settings.withTimeouts(Duration.ofMillis(200), Duration.ofSeconds(2));
    start(0);
    cluster.network.isolate(address("a"));
    assertThatThrownBy(
            () ->
                result(
                    cluster
                        .server("a")
                        .apply("t", ReplicaCluster.put("r", "v"), Tables.ANY_TXN, false)))
        .isInstanceOf(OutcomeUnknownException.class);
  }
}
