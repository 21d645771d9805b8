package io.stele.bench.cluster;

import io.stele.bench.cluster.RunningCluster.Places;
import io.stele.bench.measure.FreePorts;
import io.stele.bench.measure.Member;
import io.stele.bench.table.DriverProcess;
import io.stele.bench.table.HBaseProgram;
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
final class HBaseCluster implements ClusterSide {
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

  private final HBaseProgram program;
  private final Duration session;

  HBaseCluster(HBaseProgram program, Duration session) {
    this.program = program;
    this.session = session;
  }

  @Override
  public String name() {
    return HBaseProgram.NAME + "-" + session.toSeconds() + "s";
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
                .formatted(title())
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
  public RunningCluster start(Path directory, Plan plan) throws Exception {
    List<Integer> ports = FreePorts.find(1 + plan.masters() + plan.servers());
    int zooKeeperPort = ports.getFirst();
    Path settings =
        HBaseProgram.write(site(directory, zooKeeperPort), directory.resolve("settings"));
    Member zooKeeper =
        new Member(
            "HBase's ZooKeeper",
            "127.0.0.1:" + zooKeeperPort,
            program.command(SMALL_HEAP, settings, ZOO_KEEPER),
            directory.resolve("zookeeper.log"));
    List<Member> masters = new ArrayList<>();
    for (int i = 0; i < plan.masters(); i++) {
      masters.add(
          part(
              directory,
              settings,
              "master" + i,
              HBaseProgram.MASTER,
              SMALL_HEAP,
              ports.get(1 + i)));
    }
    List<Member> servers = new ArrayList<>();
    for (int i = 0; i < plan.servers(); i++) {
      int port = ports.get(1 + plan.masters() + i);
      servers.add(part(directory, settings, "server" + i, REGION_SERVER, SERVER_FLAGS, port));
    }
    DriverProcess driver =
        DriverProcess.start(
            "HBase's client",
            program.command(
                CLIENT_FLAGS, settings, "HBaseClusterDriver", Integer.toString(zooKeeperPort)),
            directory.resolve("client.log"));
    Path root = directory.resolve("root");
    Places places = new Places(root.resolve("WALs"), root.resolve("data"));
    RunningCluster cluster =
        new RunningCluster(name(), List.of(zooKeeper), masters, servers, places, driver);
    try {
      zooKeeper.start();
      return cluster;
    } catch (IOException e) {
      cluster.close();
      throw e;
    }
  }

  private Member part(
      Path directory, Path settings, String name, String main, List<String> flags, int port)
      throws IOException {
    String which = main.equals(REGION_SERVER) ? "regionserver" : "master";
    Path temporary = Files.createDirectory(directory.resolve(name + "-tmp"));
    return new Member(
        "HBase's " + name,
        "127.0.0.1:" + port,
        program.command(
            flags,
            settings,
            main,
            "-Dhbase.%s.port=%d".formatted(which, port),
            "-Dhbase.tmp.dir=" + temporary,
            "start"),
        directory.resolve(name + ".log"));
  }

  /** Nothing is flushed unless it is asked for: neither by size, nor by age, nor for the log. */
  private Map<String, String> site(Path directory, int zooKeeperPort) {
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
