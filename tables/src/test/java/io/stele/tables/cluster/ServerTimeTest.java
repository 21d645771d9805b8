package io.stele.tables.cluster;

import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.cell.Cell;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.TableSchema;
import io.stele.base.time.Clock;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.TabletKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * The time that servers give to cells does not go back when a tablet comes to a server with a
 * slower clock: an acknowledged overwrite would stay unseen, and be purged.
 */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class ServerTimeTest {
  private static final TableSchema NEWEST_ONLY =
      TableSchema.of(GroupSchema.of("g", "f").withPurge(new PurgePolicy.MaxHistory(1)));

  private final SmallCluster cluster = new SmallCluster();
  private final Node meta = cluster.start("m:1");
  private final Node fast = cluster.start("a:1", SmallCluster.QUIET, ahead(Duration.ofHours(1)));
  private final Node slow = cluster.start("b:1");
  private List<TabletKey> keys = List.of();

  @AfterEach
  void end() {
    cluster.close();
  }

  private static Clock ahead(Duration by) {
    Clock system = Clock.system();
    return new Clock() {
      @Override
      public long micros() {
        return system.micros() + by.toNanos() / 1_000;
      }

      @Override
      public long nanos() {
        return system.nanos();
      }
    };
  }

  private void writeOn(Node node, String value) {
    node.table("t").apply(put("row", "f:", Cell.SERVER_TIME, value));
  }

  private void start() {
    cluster.bootstrap(meta);
    cluster.create("t", NEWEST_ONLY);
    keys = cluster.keys("t");
    cluster.load(fast, keys);
    writeOn(fast, "old");
  }

  private void checkOverwritten() {
    writeOn(slow, "new");
    assertThat(cluster.all("t")).singleElement().asString().endsWith("=new");
    slow.server().flush("t");
    slow.server().compact("t");
    assertThat(cluster.all("t")).singleElement().asString().endsWith("=new");
    assertThat(slow.events()).anyMatch(TableEvent.ClockBehind.class::isInstance);
  }

  @Test
  void afterAMove() {
    start();
    cluster.move(fast, slow, keys);
    checkOverwritten();
  }

  /** What was written last is in the log only. */
  @Test
  void afterADeath() {
    start();
    fast.kill();
    cluster.load(slow, keys);
    checkOverwritten();
  }

  @Test
  void afterAFlushAndADeath() {
    start();
    fast.server().flush("t");
    fast.kill();
    cluster.load(slow, keys);
    checkOverwritten();
  }

  /** From hand to hand: the one in the middle never wrote. */
  @Test
  void afterTwoMoves() {
    start();
    Node between = cluster.start("c:1");
    cluster.move(fast, between, keys);
    cluster.move(between, slow, keys);
    checkOverwritten();
  }
}
