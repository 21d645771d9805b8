package io.stele.replicas.serve;

import static io.stele.replicas.serve.ReplicaCluster.address;
import static io.stele.replicas.serve.ReplicaCluster.get;
import static io.stele.replicas.serve.ReplicaCluster.put;
import static io.stele.replicas.serve.ReplicaCluster.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.file.FilePath;
import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Acks;
import io.stele.base.table.Replicas.PartitionStatus;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Replicas that are compared and repaired without anybody asking for it. */
@Execution(ExecutionMode.CONCURRENT)
class ScrubTest {
  private static final Consistency ALL = Consistency.DEFAULT.withAcks(Acks.ALL);
  private static final long FAST = 1L << 30;

  private final ReplicaCluster cluster = new ReplicaCluster();

  @AfterEach
  void stop() {
    cluster.close();
  }

  private void scrubEvery(Duration every, long bytesPerSecond) {
    cluster.settings = cluster.settings.withScrub(new ScrubSettings(every, bytesPerSecond));
  }

  private Optional<Instant> scrubbed() {
    return cluster.server("a").status("t").partitions().stream()
        .map(PartitionStatus::scrubbed)
        .findFirst()
        .orElseThrow();
  }

  private boolean hasEvent(String text) {
    return cluster.events.stream().anyMatch(each -> each.contains(text));
  }

  @Test
  void whatDiffersIsRepairedAndTold() {
    scrubEvery(Duration.ofMillis(200), FAST);
    cluster.start("a", "b", "c").create("t", 3);
    write(cluster.server("a").at(ALL), "t", "r1", "v1");
    cluster.replica("b", "t").store().apply(put("r2", 7, "v2")).join(); // the others lack it
    await().until(() -> hasEvent("differed; 2 cells were sent to those without"));
    cluster.awaitEqual("t");
    assertThat(get(cluster.server("a"), "t", "r2")).contains("v2");
    await().until(() -> scrubbed().isPresent());
    Instant first = scrubbed().orElseThrow();
    await().until(() -> scrubbed().orElseThrow().isAfter(first)); // again and again
  }

  @Test
  void aReplicaThatNobodyReadsIsFoundCorrupt() throws IOException {
    cluster.start("a", "b", "c").create("t", 3);
    write(cluster.server("a").at(ALL), "t", "r", "v");
    cluster.server("a").flush("t");
    FilePath tables = FilePath.of("tables").resolve(cluster.coordination.config("t").id());
    FilePath fragments = cluster.disk("c").list(tables).getFirst().path().resolve("fragments");
    cluster.disk("c").corrupt(cluster.disk("c").list(fragments).getFirst().path(), 8 * 20);
    List.of("a", "b", "c").forEach(cluster::stop);
    scrubEvery(Duration.ofMillis(200), FAST);
    cluster.start("a", "b", "c");
    await().until(() -> hasEvent("it was set aside"));
    await().until(() -> hasEvent("has been filled by the others"));
    cluster.awaitEqual("t");
  }

  @Test
  void aMemberThatIsAwayIsComparedWhenItIsBack() {
    scrubEvery(Duration.ofMillis(200), FAST);
    cluster.start("a", "b", "c").create("t", 3);
    String last = cluster.metadata("t").partitions().getFirst().members().getLast().server();
    cluster.network.isolate(address(cluster.nameOf(last)));
    cluster.network.forgetCalls();
    await().until(() -> cluster.network.count("digests") > 2); // of the one that is left
    Instant now = Instant.now();
    cluster.network.heal();
    await().until(() -> scrubbed().filter(each -> each.isAfter(now)).isPresent());
  }

  @Test
  void aPartitionThatIsNewIsComparedWithinThePeriodAndNotAtOnce() {
    scrubEvery(Duration.ofDays(7), FAST);
    cluster.start("a", "b", "c").create("t", 3);
    await()
        .until(
            () ->
                List.of("a", "b", "c").stream()
                    .anyMatch(each -> cluster.replica(each, "t").scrubMark().due().isPresent()));
    assertThat(cluster.network.count("digests")).isZero();
    assertThat(scrubbed()).isEmpty();
  }
}
