package io.stele.metastore.node;

import static io.stele.metastore.node.TestNode.key;
import static io.stele.metastore.node.TestNode.now;
import static io.stele.metastore.node.TestNode.prefix;
import static io.stele.metastore.node.TestNode.putOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.DeniedException;
import io.stele.base.error.SteleException;
import io.stele.metastore.command.AclEntry;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.watch.KeyEvent;
import io.stele.metastore.watch.Watch;
import io.stele.metastore.watch.WatchRequest;
import io.stele.metastore.watch.WatchSink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Watches on a real state. */
class NodeWatchTest {
  private final TestNode test = TestNode.solo();

  @AfterEach
  void close() {
    test.close();
  }

  /** Keeps what it is told as lines. */
  private static final class Lines implements WatchSink {
    private final List<String> lines = new ArrayList<>();

    private synchronized void add(String line) {
      lines.add(line);
    }

    synchronized List<String> lines() {
      return List.copyOf(lines);
    }

    void await(String... expected) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .pollInterval(Duration.ofMillis(2))
          .untilAsserted(() -> assertThat(lines()).containsExactly(expected));
    }

    @Override
    public void started(long revision) {
      add("started " + revision);
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void events(long revision, List<KeyEvent> events) {
      StringBuilder text = new StringBuilder().append(revision);
      for (KeyEvent event : events) {
        text.append(event.deleted() ? " -" : " ").append(event.now().key());
        text.append(event.deleted() ? "" : "=" + event.now().value());
        event.before().ifPresent(before -> text.append(" was ").append(before.value()));
      }
      add(text.toString());
    }

    @Override
    public void progress(long revision) {
      add("progress " + revision);
    }

    @Override
    public void compacted(long oldest) {
      add("compacted " + oldest);
    }

    @Override
    public void failed(SteleException problem) {
      add("failed " + problem.getClass().getSimpleName());
    }
  }

  private Watch watch(WatchRequest request, Lines lines) {
    return test.node().watch("", request, lines);
  }

  @Test
  void tellsPutsAndDeletesLiveAndFromTheHistory() {
    Lines live = new Lines();
    watch(new WatchRequest(prefix("/d/"), 0, true), live);
    test.put("/d/a", "1");
    test.put("/d/a", "2");
    test.put("/other", "x");
    test.delete("/d/a");
    String[] told = {"started 2", "2 /d/a=1", "3 /d/a=2 was 1", "5 -/d/a was 2"};
    live.await(told);
    test.restart(); // nothing is in memory any more
    Lines late = new Lines();
    watch(new WatchRequest(prefix("/d/"), 2, true), late);
    late.await(told);
  }

  @Test
  void aTransactionIsOneRevision() {
    Lines live = new Lines();
    watch(new WatchRequest(prefix("/"), 0, false), live);
    Transaction both =
        new Transaction(
            List.of(), List.of(putOf("/b", "1"), putOf("/a", "1")), List.of(), Optional.empty());
    now(test.node().transact(Origin.NOBODY, both));
    live.await("started 2", "2 /a=1 /b=1");
  }

  @Test
  void anExpiryDeletesAllKeysInOneRevision() {
    long session = test.session();
    test.putEphemeral("/e/1", session);
    test.putEphemeral("/e/2", session);
    Lines live = new Lines();
    watch(new WatchRequest(prefix("/e/"), 0, false), live);
    test.pass(TestNode.TTL.plusSeconds(1));
    live.await("started 4", "4 -/e/1 -/e/2");
  }

  /** The oldest revision that can be read can also be watched. */
  @Test
  void aDeletionIsNotLostAtACompaction() {
    test.put("/a", "1"); // 2
    test.put("/b", "1"); // 3
    test.delete("/a"); // 4
    test.put("/b", "2"); // 5
    now(test.node().compact(Origin.NOBODY, 3));
    test.tick();
    test.restart();
    Lines kept = new Lines();
    watch(new WatchRequest(prefix("/"), 3, false), kept);
    kept.await("started 3", "3 /b=1", "4 -/a", "5 /b=2");
    Lines gone = new Lines();
    watch(new WatchRequest(prefix("/"), 2, false), gone);
    gone.await("started 2", "compacted 3");
  }

  @Test
  void rightsCount() {
    Lines lines = new Lines();
    test.node().watch("bob", new WatchRequest(key("/s/a"), 0, false), lines);
    List<AclEntry> rules = List.of(new AclEntry("ann", true, true));
    now(test.node().setAcl(Origin.NOBODY, Bytes.utf8("/s"), rules));
    lines.await("started 2", "failed DeniedException");
    assertThatThrownBy(
            () -> test.node().watch("bob", new WatchRequest(key("/s/a"), 0, false), new Lines()))
        .isInstanceOf(DeniedException.class);
  }

  /** From the history to live while others write: no gap, no duplicate, no disorder. */
  @Test
  void catchesUpWithWritesUnderWay() {
    int first = 400;
    int all = 2_000;
    for (int i = 0; i < first; i++) {
      test.put("/k", "" + i);
    }
    test.restart();
    List<CompletableFuture<?>> writes = new ArrayList<>();
    List<Lines> sinks = new ArrayList<>();
    for (int i = first; i < all; i++) {
      writes.add(test.node().transact(Origin.NOBODY, Transaction.of(putOf("/k", "" + i))));
      if (i % 100 == 0) {
        sinks.add(new Lines());
        watch(new WatchRequest(i % 200 == 0 ? key("/k") : prefix("/"), 2, false), sinks.getLast());
      }
    }
    writes.forEach(TestNode::now);
    for (Lines sink : sinks) {
      await().atMost(Duration.ofSeconds(20)).until(() -> sink.lines().size() > all);
      for (int i = 0; i < all; i++) {
        assertThat(sink.lines().get(i + 1)).isEqualTo((i + 2) + " /k=" + i);
      }
    }
  }

  @Test
  void manyCallersShareEntries() {
    long before = test.node().status().standing().applied();
    List<CompletableFuture<?>> writes = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      writes.add(test.node().transact(Origin.NOBODY, Transaction.of(putOf("/k" + i, "x"))));
    }
    writes.forEach(TestNode::now);
    assertThat(test.node().status().revision()).isEqualTo(5_001);
    assertThat(test.node().status().standing().applied() - before).isLessThan(2_500);
  }
}
