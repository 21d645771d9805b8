package io.stele.bench.cluster;

import io.stele.base.process.ChildProcess;
import io.stele.bench.cluster.Cluster.Places;
import io.stele.bench.cluster.Cluster.Server;
import io.stele.bench.process.DriverProcess;
import io.stele.bench.process.HBaseProgram;
import io.stele.testkit.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * HBase with its parts in processes of their own: ZooKeeper, masters and region servers, on one
 * directory that all share.
 */
record HBaseCluster(HBaseProgram program, Duration session) implements ClusterSide {
  private static final String ZOO_KEEPER = "org.apache.hadoop.hbase.zookeeper.HQuorumPeer";
  private static final String REGION_SERVER = "org.apache.hadoop.hbase.regionserver.HRegionServer";

  /** From which ZooKeeper derives the shortest session that it grants, and how often it looks. */
  private static final Duration TICK = Duration.ofSeconds(2);

  private static final List<String> SMALL_HEAP = List.of("-Xmx1g", "-XX:+UseG1GC");
  private static final List<String> SERVER_FLAGS =
      List.of(
          "-Xms256m",
          "-Xmx6g",
          "-XX:+UseG1GC",
          "-XX:MaxGCPauseMillis=100",
          "-XX:MaxDirectMemorySize=1g");
  private static final List<String> CLIENT_FLAGS = List.of("-Xmx1g", "-XX:+UseParallelGC");

  @Override
  public String name() {
    return HBaseProgram.NAME + "-" + session.toSeconds() + "s";
  }

  @Override
  public String version() {
    return program.version();
  }

  @Override
  public String title() {
    return "%s %s, session %d s"
        .formatted(HBaseProgram.NAME, program.version(), session.toSeconds());
  }

  @Override
  public Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        name(),
        "%s: ZooKeeper, master and region servers as processes on one directory, hbase.wal.hsync on"
                .formatted(session.toSeconds() + " s of session, " + program.about())
            + " the raw local file system; balancer off while tablets are placed");
    facts.put(
        name() + " flags",
        "%s with %s, ZooKeeper and master with %s; its client's: %s"
            .formatted(
                program.java(),
                String.join(" ", SERVER_FLAGS),
                String.join(" ", SMALL_HEAP),
                String.join(" ", CLIENT_FLAGS)));
    return facts;
  }

  @Override
  public Cluster start(Path directory, Plan plan) throws Exception {
    String zooKeeperPort = Integer.toString(FreePorts.next());
    Path settings =
        HBaseProgram.write(site(directory, zooKeeperPort), directory.resolve("settings"));
    ChildProcess zooKeeper =
        new ChildProcess(
            "HBase's ZooKeeper",
            program.command(SMALL_HEAP, settings, ZOO_KEEPER),
            directory.resolve("zookeeper.log"));
    List<ChildProcess> masters = new ArrayList<>();
    for (int i = 0; i < plan.masters(); i++) {
      masters.add(
          part(
              directory,
              settings,
              "master" + i,
              SMALL_HEAP,
              HBaseProgram.MASTER,
              "-Dhbase.master.port=" + FreePorts.next()));
    }
    List<Server> servers = new ArrayList<>();
    for (int i = 0; i < plan.servers(); i++) {
      int port = FreePorts.next();
      servers.add(
          new Server(
              part(
                  directory,
                  settings,
                  "server" + i,
                  SERVER_FLAGS,
                  REGION_SERVER,
                  "-Dhbase.regionserver.port=" + port),
              "127.0.0.1:" + port));
    }
    zooKeeper.launch();
    DriverProcess driver =
        DriverProcess.start(
            "HBase's client",
            program.command(CLIENT_FLAGS, settings, "HBaseClusterDriver", zooKeeperPort),
            directory.resolve("client.log"));
    Path root = directory.resolve("root");
    return new Cluster(
        name(),
        List.of(zooKeeper),
        masters,
        servers,
        new Places(root.resolve("WALs"), root.resolve("data")),
        driver);
  }

  private ChildProcess part(
      Path directory, Path settings, String name, List<String> flags, String main, String port)
      throws IOException {
    Path temporary = Files.createDirectory(directory.resolve(name + "-tmp"));
    return new ChildProcess(
        "HBase's " + name,
        program.command(flags, settings, main, port, "-Dhbase.tmp.dir=" + temporary, "start"),
        directory.resolve(name + ".log"));
  }

  /** Nothing is flushed unless it is asked for: neither by size, nor by age, nor for the log. */
  private Map<String, String> site(Path directory, String zooKeeperPort) {
    Map<String, String> site = HBaseProgram.settings(directory, zooKeeperPort);
    site.put("hbase.cluster.distributed", "true");
    site.put("zookeeper.session.timeout", Long.toString(session.toMillis()));
    site.put("hbase.zookeeper.property.tickTime", Long.toString(TICK.toMillis()));
    site.put("hbase.zookeeper.property.minSessionTimeout", Long.toString(TICK.toMillis()));
    site.put(
        "hbase.zookeeper.property.maxSessionTimeout",
        Long.toString(Math.max(session.toMillis(), 20 * TICK.toMillis())));
    site.put("hbase.hregion.memstore.flush.size", Long.toString(4L << 30));
    site.put("hbase.regionserver.global.memstore.size", "0.6");
    site.put("hfile.block.cache.size", "0.2");
    site.put("hbase.regionserver.optionalcacheflushinterval", "0");
    site.put("hbase.regionserver.maxlogs", "1000");
    return site;
  }
}
