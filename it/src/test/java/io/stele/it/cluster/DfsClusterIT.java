package io.stele.it.cluster;

import io.stele.base.time.Clock;
import io.stele.it.cluster.Harm.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The workloads with files and logs on HDFS: a node with data is lost, and servers whose logs are
 * open there are killed and paused. The servers run with the class path of this test, which has
 * Hadoop.
 */
class DfsClusterIT {
  private static final int DATA_NODES = 3;
  private static final int SERVERS = 3;
  private static final String REPLICATION = "2"; // one copy is left when a node is lost

  @TempDir Path folder;

  private MiniDFSCluster startDfs() throws IOException {
    Configuration configuration = new Configuration();
    configuration.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.resolve("dfs").toString());
    configuration.set("dfs.replication", REPLICATION);
    configuration.setInt("dfs.heartbeat.interval", 1);
    configuration.setInt("dfs.namenode.heartbeat.recheck-interval", 1_000);
    configuration.setInt("dfs.namenode.handler.count", 4);
    configuration.setInt("dfs.datanode.handler.count", 4);
    MiniDFSCluster dfs = new MiniDFSCluster.Builder(configuration).numDataNodes(DATA_NODES).build();
    dfs.waitActive();
    return dfs;
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void nothingIsLostWhenANodeWithDataIs() throws Exception {
    try (MiniDFSCluster dfs = startDfs()) {
      run(dfs);
    }
  }

  private void run(MiniDFSCluster dfs) throws Exception {
    long seed = Long.getLong("stele.seed", Clock.system().nanos());
    System.out.println("seed " + seed);
    Setup setup =
        Setup.of("dfs", SERVERS)
            .withProgram(program())
            .withFiles(dfs.getURI().resolve("/stele").toString());
    try (TabletCluster cluster = TabletCluster.start(setup);
        Workloads workloads = new Workloads(cluster, seed)) {
      workloads.create();
      workloads.start(TabletCluster.RECOVERY.multipliedBy(2));
      Harm harm = new Harm(cluster, seed + 1);
      harm.inflict(Fault.KILL_SERVER);
      harm.note("a data node is lost");
      dfs.stopDataNode((int) Math.floorMod(seed, (long) DATA_NODES));
      workloads.requireWorking();
      workloads.stopAndCheck(harm.toString());
    }
  }

  /** A JVM with the class path of this one, and the settings of Hadoop's client before it. */
  private List<String> program() throws IOException {
    Path settings = Files.createDirectories(folder.resolve("conf"));
    Files.writeString(
        settings.resolve("hdfs-site.xml"),
        "<configuration><property><name>dfs.replication</name><value>%s</value></property></configuration>"
            .formatted(REPLICATION));
    List<String> program = new ArrayList<>(TabletCluster.java("-Xmx256m", settings));
    program.add("io.stele.cli.Main");
    return program;
  }
}
