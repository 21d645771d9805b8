package io.stele.tables.master;

import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.cell.CellBatch;
import io.stele.base.error.SteleException;
import io.stele.base.schema.TableSchema;
import io.stele.base.time.Clock;
import io.stele.tables.cluster.SmallCluster;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.tables.compact.CompactSettings;
import io.stele.tables.files.MetaFiles;
import io.stele.tables.meta.MetaAccess;
import io.stele.tables.meta.MetaRows;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletKey;
import io.stele.testkit.sim.HoldPoints;
import io.stele.testkit.sim.HoldPoints.Hold;
import io.stele.testkit.sim.Intercepted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server splits or joins tablets whose two rows are on two servers of META, and loses its session
 * on the way. One of its two writes arrives when others have begun to take its tablets over. META
 * must be whole again in the end without anybody's help, with every row that was acknowledged.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LateMetaWritesTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final TabletKey LOWER = FakeCluster.key("t", "m");
  private static final TabletKey UPPER = FakeCluster.key("t", "");

  private final HoldPoints points = new HoldPoints();
  private final SmallCluster cluster =
      new SmallCluster(
          new SmallCluster.Surroundings() {
            @Override
            public MetaAccess elsewhere(LiveServer server, MetaAccess meta) {
              return Intercepted.of(
                  MetaAccess.class,
                  meta,
                  (method, arguments, rest) -> {
                    if (method.getName().equals("apply")) {
                      points.pass(server.run(), firstRow((CellBatch) arguments[1]));
                    }
                    return rest.proceed();
                  });
            }
          });
  private final List<MasterEvent> events = new CopyOnWriteArrayList<>();
  private final List<Master> masters = new ArrayList<>();
  private Node dying;
  private Node heir;

  private static String firstRow(CellBatch cells) {
    CellBatch.Reader reader = cells.read();
    assertThat(reader.next()).isTrue();
    return MetaRows.describe(reader.cell().row());
  }

  private Hold holdWrite(TabletKey tablet) {
    return points.arm(dying.self().run(), MetaRows.describe(tablet.metaRow()));
  }

  /** A table on one server, with the rows of META on two others, cut behind the lower tablet's. */
  private void start() {
    Node meta = cluster.start("meta:1");
    cluster.bootstrap(meta);
    cluster.create("t", TableSchema.ofFamilies("f"), "m");
    meta.server().flush(TableNames.META1);
    meta.control().split(1, FakeCluster.key(TableNames.META1, ""), Optional.of(LOWER.metaRow()));
    Node upper = cluster.start("meta:2");
    cluster.move(meta, upper, cluster.keys(TableNames.META1).subList(1, 2));
    dying = cluster.start("dying:1");
    heir = cluster.start("heir:1");
    cluster.load(dying, cluster.keys("t"));
    dying.table("t").apply(put("a", "f:", 1, "flushed"), put("z", "f:", 1, "flushed"));
    dying.server().flush("t");
    await()
        .atMost(SOON)
        .until(
            () ->
                cluster.meta().tablets("t").stream().noneMatch(each -> each.fragments().isEmpty()));
  }

  /** The same, joined: META1 is cut at a row that is no more. */
  private void startJoined() {
    start();
    dying.control().join(1, LOWER);
    assertThat(cluster.keys("t")).containsExactly(UPPER);
  }

  @AfterEach
  void end() {
    points.releaseAll();
    masters.forEach(Master::close);
    cluster.close();
  }

  private CompletableFuture<Void> begin(Runnable change) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            change.run();
          } catch (SteleException e) {
            // It may well fail.
          }
        },
        Thread::startVirtualThread);
  }

  private CompletableFuture<Void> beginJoin() {
    return begin(() -> dying.control().join(1, LOWER));
  }

  private CompletableFuture<Void> beginSplit() {
    return begin(() -> dying.control().split(1, UPPER, LOWER.last()));
  }

  /** The change stops at its write of a row; what is written meanwhile is acknowledged. */
  private void awaitHolding(Hold hold) {
    assertThat(hold.awaitHolding(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    dying.table("t").apply(put("b", "f:", 1, "in the log"), put("y", "f:", 1, "in the log"));
    dying.loseSession();
  }

  private static void arrive(Hold hold, CompletableFuture<Void> change) {
    hold.release();
    change.orTimeout(SOON.toSeconds(), TimeUnit.SECONDS).join();
  }

  private void settle() {
    Master master =
        new Master(
            new MasterParts(
                "m:1",
                2,
                () -> true,
                cluster.membership(),
                cluster::control,
                cluster.meta(),
                cluster.root(),
                cluster.files(),
                cluster.files(),
                Clock.system(),
                CompactSettings.DEFAULT,
                FakeCluster.TRASH,
                events::add),
            FakeCluster.SETTINGS);
    masters.add(master);
    assertThat(
            master.settle(
                picture -> picture.whole() && picture.unowned().isEmpty() && master.isIdle(), SOON))
        .as(() -> "unserved: " + master.status().unserved() + ", " + events)
        .isTrue();
    assertThat(master.tables().verifyMeta("")).isEmpty();
  }

  private void checkRows(String... more) {
    List<String> expected =
        new ArrayList<>(
            List.of("a/f:@1=flushed", "b/f:@1=in the log", "y/f:@1=in the log", "z/f:@1=flushed"));
    expected.addAll(List.of(more));
    assertThat(cluster.all("t")).containsExactlyInAnyOrderElementsOf(expected);
  }

  /** The lower tablet has a new server when META learns that the upper one has its rows, too. */
  @Test
  void aJoinedTabletIsWrittenWhenTheLowerOneWasTakenOver() {
    start();
    Hold write = holdWrite(UPPER);
    CompletableFuture<Void> join = beginJoin();
    awaitHolding(write);
    cluster.load(heir, List.of(LOWER));
    heir.table("t").apply(put("c", "f:", 1, "of the heir"));
    arrive(write, join);
    settle();
    assertThat(cluster.keys("t")).containsExactly(LOWER, UPPER);
    checkRows("c/f:@1=of the heir");
  }

  @Test
  void theErasureOfAJoinedTabletComesWhenTheWholeOneIsServed() {
    start();
    Hold write = holdWrite(LOWER);
    CompletableFuture<Void> join = beginJoin();
    awaitHolding(write);
    settle();
    arrive(write, join);
    settle();
    assertThat(cluster.keys("t")).containsExactly(UPPER);
    checkRows();
  }

  /** The lower half of a split is written when the whole tablet has a new server. */
  @Test
  void aLowerHalfIsWrittenWhenTheWholeTabletWasTakenOver() {
    startJoined();
    Hold write = holdWrite(LOWER);
    CompletableFuture<Void> split = beginSplit();
    awaitHolding(write);
    cluster.load(heir, List.of(UPPER));
    heir.table("t").apply(put("c", "f:", 1, "of the heir"));
    arrive(write, split);
    settle();
    assertThat(cluster.keys("t")).containsExactly(UPPER);
    checkRows("c/f:@1=of the heir");
  }

  /** The lower half of a split was erased because the upper one had not come; then it comes. */
  @Test
  void anUpperHalfIsWrittenWhenTheLowerOneWasErased() {
    startJoined();
    Hold write = holdWrite(UPPER);
    CompletableFuture<Void> split = beginSplit();
    awaitHolding(write);
    assertThat(
            cluster
                .meta()
                .repairHalves("t", new MetaFiles(cluster.files()).verifier(_ -> true), _ -> true))
        .hasSize(1);
    arrive(write, split);
    settle();
    assertThat(cluster.keys("t")).containsExactly(UPPER);
    checkRows();
  }
}
