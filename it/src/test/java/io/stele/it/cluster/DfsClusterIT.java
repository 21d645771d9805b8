package io.stele.it.cluster;

import io.stele.base.process.SteleProgram;
import io.stele.it.process.Fault;
import io.stele.it.process.Fault.Kind;
import io.stele.it.process.Fault.Victim;
import io.stele.it.process.FaultRun;
import io.stele.it.process.Servers;
import io.stele.it.process.SteleCluster;
import io.stele.testkit.run.LongRun;
import io.stele.testkit.run.Seed;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The workloads with files and logs on HDFS: a server whose log is open there is killed, and then a
 * node with data is lost. The servers run with the class path of this test, which has Hadoop.
 */
@Order(6)
class DfsClusterIT {
  private static final int DATA_NODES = 2;
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
  @Tag(LongRun.TAG)
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void nothingIsLostWhenANodeWithDataIs() throws Exception {
    try (MiniDFSCluster dfs = startDfs()) {
      run(dfs);
    }
  }

  private void run(MiniDFSCluster dfs) throws Exception {
    long seed = Seed.of(DfsClusterIT.class, 1);
    try (SteleCluster cluster =
        SteleCluster.named("dfs")
            .with(1, "metastore,master,tables")
            .with(1, "tables")
            .set(
                "tables.shared=true",
                "tables.files=" + dfs.getURI().resolve("/stele"),
                "tables.session=" + Tablets.SESSION.toMillis() + "ms")
            .by(program())
            .start()) {
      Tablets tablets = new Tablets(cluster);
      tablets.await();
      FaultRun faults = new FaultRun(cluster, seed, FaultRun.Lengths.of(Tablets.SESSION), tablets);
      try (Workloads workloads = new Workloads(tablets, seed, Duration.ofMillis(160))) {
        workloads.create();
        workloads.start(SteleCluster.RECOVERY.multipliedBy(2));
        faults.inject(Fault.of(Kind.KILL, Victim.SERVER));
        faults.note("a data node is lost");
        dfs.stopDataNode((int) Math.floorMod(seed, (long) DATA_NODES));
        workloads.requireWorking();
        workloads.stopAndCheck(faults, faults.toString(), outcome -> {});
      }
    }
  }

  /** A JVM with the class path of this one, and the settings of Hadoop's client before it. */
  private SteleProgram program() throws IOException {
    Path settings = Files.createDirectories(folder.resolve("conf"));
    Files.writeString(
        settings.resolve("hdfs-site.xml"),
        "<configuration><property><name>dfs.replication</name><value>%s</value></property></configuration>"
            .formatted(REPLICATION));
    List<String> command =
        new ArrayList<>(SteleProgram.ofClassPath(Servers.options("256m")).command());
    command.replaceAll(
        part ->
            part.equals(System.getProperty("java.class.path"))
                ? settings + File.pathSeparator + part
                : part);
    return new SteleProgram(command, variables -> {}).isolated();
  }
}
