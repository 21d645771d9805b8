package io.stele.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.WritableFile;
import io.stele.testkit.file.StoredBytes;
import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.impl.MetricsRecordImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** That bytes reach the disks of the data nodes, by the data nodes' own count. */
class HdfsDurabilityTest {
  private static final FilePath PATH = FilePath.of("directory/file");

  @RegisterExtension static final MiniDfs DFS = new MiniDfs();

  @Test
  void everySyncIsASyncOfTheDataNodesDisk() throws IOException {
    try (FileStore store = DFS.open(DFS.newRoot());
        WritableFile file = store.create(PATH)) {
      for (int i = 0; i < 5; i++) {
        long before = syncsOfDataNodes();
        file.write(new byte[100], 0, 100);
        assertThat(syncsOfDataNodes()).isEqualTo(before);
        file.sync();
        assertThat(syncsOfDataNodes()).isGreaterThan(before);
      }
    }
  }

  @Test
  void finishAndReplaceSyncTheDataNodesDisk() throws IOException {
    try (FileStore store = DFS.open(DFS.newRoot())) {
      long before = syncsOfDataNodes();
      StoredBytes.write(store, PATH, new byte[100]);
      long finished = syncsOfDataNodes();
      assertThat(finished).isGreaterThan(before);

      store.replace(PATH, new byte[200]);
      assertThat(syncsOfDataNodes()).isGreaterThan(finished);
    }
  }

  @Test
  void allBlocksOfAFileAreSyncedAndNotOnlyTheLast() throws IOException {
    Configuration smallBlocks = DFS.client();
    Map.of("dfs.blocksize", "1048576", "dfs.replication", "1").forEach(smallBlocks::set);
    try (FileStore store = HadoopFileStore.open(DFS.newRoot(), smallBlocks)) {
      long before = syncsOfDataNodes();
      StoredBytes.write(store, PATH, new byte[8 << 20]);
      // One sync each of eight blocks; a file that is only synced at its end has two or three.
      assertThat(syncsOfDataNodes() - before).isGreaterThanOrEqualTo(8);
    }
  }

  private static long syncsOfDataNodes() {
    long count = 0;
    for (DataNode node : DFS.cluster().getDataNodes()) {
      MetricsCollectorImpl collected = new MetricsCollectorImpl();
      DefaultMetricsSystem.instance()
          .getSource(node.getMetrics().name())
          .getMetrics(collected, true);
      for (MetricsRecordImpl record : collected.getRecords()) {
        for (AbstractMetric metric : record.metrics()) {
          if (metric.name().equals("FsyncCount")) {
            count += metric.value().longValue();
          }
        }
      }
    }
    return count;
  }
}
