package io.stele.tables.cluster;

import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.error.SteleException;
import io.stele.base.schema.TableSchema;
import io.stele.tables.cluster.SmallCluster.Node;
import io.stele.tables.meta.TabletKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** A tablet leaves its server while that writes what is in memory to disk. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class FlushOfLeavingTabletsTest {
  private static final int MOVES = 150;

  private final SmallCluster cluster = new SmallCluster();

  @AfterEach
  void end() {
    cluster.close();
  }

  @Test
  void whateverIsFlushedMeanwhileLeavesWithIt() throws Exception {
    Node from = cluster.start("a:1");
    cluster.bootstrap(from);
    Node to = cluster.start("b:1");
    cluster.create("t", TableSchema.ofFamilies("f"));
    List<TabletKey> keys = cluster.keys("t");
    cluster.load(from, keys);
    List<String> written = new ArrayList<>();
    for (int i = 0; i < MOVES; i++) {
      String row = "%05d".formatted(i);
      from.table("t").apply(put(row, "f:", 1, "x"));
      written.add(row + "/f:@1=x");
      Node leaving = from;
      Thread flushes = Thread.ofPlatform().start(() -> flush(leaving));
      cluster.move(from, to, keys);
      flushes.join();
      assertThat(cluster.all("t")).as("after %d moves", i + 1).isEqualTo(written);
      from = to;
      to = leaving;
    }
  }

  private static void flush(Node node) {
    try {
      node.server().flush("t");
      node.server().flush("t");
    } catch (SteleException e) {
      // The table has left: there is nothing to flush.
    }
  }
}
