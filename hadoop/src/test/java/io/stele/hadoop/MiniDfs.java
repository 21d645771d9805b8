package io.stele.hadoop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.impl.MetricsRecordImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A real HDFS in this process, started once for all tests that register this. */
final class MiniDfs implements BeforeAllCallback {
  /**
   * Held by each class that registers this: one of them stops data nodes and counts their bytes.
   */
  static final String LOCK = "hdfs";

  private static final AtomicInteger ROOTS = new AtomicInteger();

  /** Stops the cluster when the last test is done. */
  private record Running(MiniDFSCluster cluster) implements AutoCloseable {
    @Override
    public void close() {
      cluster.shutdown(true);
    }
  }

  private @Nullable Running running;

  @Override
  public void beforeAll(ExtensionContext context) {
    running =
        context
            .getRoot()
            .getStore(ExtensionContext.Namespace.GLOBAL)
            .computeIfAbsent(MiniDfs.class, key -> start(), Running.class);
  }

  MiniDFSCluster cluster() {
    return Objects.requireNonNull(running, "not started").cluster();
  }

  /** A directory that no other test uses. */
  URI newRoot() {
    return cluster().getURI().resolve("/stele/" + ROOTS.incrementAndGet());
  }

  /** What a client of the cluster needs to know. */
  Configuration client() {
    Configuration configuration = new Configuration();
    configuration.setInt("dfs.replication", 1);
    configuration.setInt("dfs.client.retry.interval-ms.get-last-block-length", 100);
    return configuration;
  }

  HadoopFileStore open(URI root) throws IOException {
    return HadoopFileStore.open(root, client());
  }

  /** How often the data nodes synced their disks so far, by their own count. */
  long syncsOfDataNodes() {
    long count = 0;
    for (DataNode node : cluster().getDataNodes()) {
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

  private static Running start() {
    Configuration configuration = new Configuration();
    configuration.set(
        MiniDFSCluster.HDFS_MINIDFS_BASEDIR,
        Path.of("target", "minidfs").toAbsolutePath().toString());
    configuration.setInt("dfs.heartbeat.interval", 1);
    configuration.setInt("dfs.namenode.handler.count", 4);
    configuration.setInt("dfs.datanode.handler.count", 4);
    try {
      MiniDFSCluster cluster =
          new MiniDFSCluster.Builder(configuration).numDataNodes(1).format(true).build();
      cluster.waitActive();
      return new Running(cluster);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
