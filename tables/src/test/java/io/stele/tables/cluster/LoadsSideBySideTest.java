package io.stele.tables.cluster;

import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.file.StoreCall;
import io.stele.base.schema.TableSchema;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.tables.meta.TabletKey;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** A server that reads the log of a dead one takes over, moves and splits other tablets. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class LoadsSideBySideTest {
  private static final TableSchema SCHEMA = TableSchema.ofFamilies("f");

  private final SmallCluster cluster = new SmallCluster();
  private final Node meta = cluster.start("m:1");
  private final Node survivor = cluster.start("s:1");
  private final CountDownLatch reading = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);

  @AfterEach
  void end() {
    goOn.countDown();
    cluster.close();
  }

  private List<TabletKey> serve(Node node, String table) {
    cluster.create(table, SCHEMA);
    List<TabletKey> keys = cluster.keys(table);
    cluster.load(node, keys);
    node.table(table).apply(put("a", "f:", 1, table), put("b", "f:", 1, table));
    return keys;
  }

  /** The first file that a replay writes waits, and fails then. */
  private void holdReplay() {
    cluster
        .files()
        .failNth(
            StoreCall.CREATE,
            1,
            () -> {
              reading.countDown();
              try {
                goOn.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              return new IOException("held");
            });
  }

  @Test
  void aReplayKeepsNobodyWaiting() throws Exception {
    cluster.bootstrap(meta);
    Node first = cluster.start("a:1");
    Node second = cluster.start("b:1");
    List<TabletKey> slow = serve(first, "slow");
    List<TabletKey> quick = serve(second, "quick");
    List<TabletKey> moved = serve(meta, "moved");
    meta.server().flush("moved");
    first.kill();
    second.kill();
    holdReplay();
    CompletableFuture<Void> load =
        CompletableFuture.runAsync(() -> cluster.load(survivor, slow), Thread::startVirtualThread);
    assertThat(reading.await(30, TimeUnit.SECONDS)).isTrue();

    // Its log waits for the other one's to be read, but it takes writes.
    CompletableFuture<Void> next =
        CompletableFuture.runAsync(() -> cluster.load(survivor, quick), Thread::startVirtualThread);
    await().until(() -> !survivor.control().tablets("quick").isEmpty());
    survivor.table("quick").apply(put("c", "f:", 1, "written meanwhile"));

    // One that comes without a log is read at once, is split, and moves on.
    cluster.move(meta, survivor, moved);
    assertThat(survivor.table("moved").all()).hasSize(2);
    survivor.control().split(1, moved.getFirst(), Optional.of(bytes("a")));
    assertThat(cluster.keys("moved")).hasSize(2);

    assertThat(load).isNotDone();
    assertThat(next).isNotDone();
    goOn.countDown();
    next.join();
    assertThat(load).failsWithin(30, TimeUnit.SECONDS); // as its file could not be written
    cluster.load(survivor, slow);
    assertThat(cluster.all("slow")).hasSize(2);
    assertThat(cluster.all("quick")).hasSize(3);
    assertThat(cluster.all("moved")).hasSize(2);
  }

  @Test
  void aSecondLoadReadsWhatTheFirstCouldNot() throws Exception {
    cluster.bootstrap(meta);
    Node first = cluster.start("a:1");
    List<TabletKey> slow = serve(first, "slow");
    first.kill();
    holdReplay();
    CompletableFuture<Void> load =
        CompletableFuture.runAsync(() -> cluster.load(survivor, slow), Thread::startVirtualThread);
    assertThat(reading.await(30, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Void> again =
        CompletableFuture.runAsync(() -> cluster.load(survivor, slow), Thread::startVirtualThread);
    goOn.countDown();
    again.join();
    // The first one fails, unless it looks at the tablet after the second one has read it.
    Optional<Throwable> _ = load.handle((_, failure) -> Optional.ofNullable(failure)).join();
    assertThat(cluster.all("slow")).hasSize(2);
    cluster.unload(survivor, slow);
    cluster.load(meta, slow);
    assertThat(cluster.all("slow")).hasSize(2);
  }
}
