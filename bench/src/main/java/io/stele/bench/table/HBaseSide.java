package io.stele.bench.table;

import io.stele.base.error.UnavailableException;
import io.stele.base.process.ChildProcess;
import io.stele.bench.process.DriverProcess;
import io.stele.bench.process.HBaseProgram;
import io.stele.testkit.FreePorts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * HBase standalone: master, region server and ZooKeeper in one process, on the local file system.
 */
record HBaseSide(HBaseProgram program) implements TableSide {
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);

  /** No least heap: what it touches of it is up to HBase. */
  private static final List<String> SERVER_FLAGS =
      List.of("-Xmx4g", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=100", "-XX:MaxDirectMemorySize=1g");

  private static final List<String> CLIENT_FLAGS = List.of("-Xmx1g", "-XX:+UseParallelGC");

  @Override
  public String name() {
    return HBaseProgram.NAME;
  }

  @Override
  public String version() {
    return program.version();
  }

  @Override
  public Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        name(),
        program.about()
            + " standalone as a process, hbase.wal.hsync on the raw local file system, 4 regions,"
            + " row Bloom filters; asked by its Java client in another");
    facts.put(
        name() + " flags",
        "%s with %s; its client's: %s"
            .formatted(
                program.java(), String.join(" ", SERVER_FLAGS), String.join(" ", CLIENT_FLAGS)));
    return facts;
  }

  @Override
  public TableServer start(Path directory) throws Exception {
    String zooKeeperPort = Integer.toString(FreePorts.next());
    Map<String, String> site = HBaseProgram.settings(directory, zooKeeperPort);
    site.put("hbase.cluster.distributed", "false");
    site.put("hbase.master.port", Integer.toString(FreePorts.next()));
    site.put("hbase.regionserver.port", Integer.toString(FreePorts.next()));
    site.put("hbase.localcluster.assign.random.ports", "false");
    site.put("hbase.localcluster.port.ephemeral", "false");
    Path settings = HBaseProgram.write(site, directory.resolve("settings"));
    ChildProcess server =
        new ChildProcess(
            "HBase's server",
            program.command(SERVER_FLAGS, settings, HBaseProgram.MASTER, "start"),
            directory.resolve("server.log"));
    server.launch();
    try {
      DriverProcess driver =
          DriverProcess.start(
              "HBase's client",
              program.command(CLIENT_FLAGS, settings, "HBaseDriver", zooKeeperPort),
              directory.resolve("client.log"));
      return new TableServer(name(), server, process -> stop(process, directory, settings), driver);
    } catch (Exception e) {
      server.kill();
      throw e;
    }
  }

  /**
   * By its own command: at a signal its ZooKeeper ends first, and the rest of it counts as crashed.
   */
  private void stop(ChildProcess server, Path directory, Path settings) {
    try (ChildProcess stop =
        new ChildProcess(
            "HBase's stop command",
            program.command(List.of("-Xmx256m"), settings, HBaseProgram.MASTER, "stop"),
            directory.resolve("stop.log"))) {
      stop.launch();
      var _ = stop.awaitExit(STOP_PATIENCE);
      var _ = server.awaitExit(STOP_PATIENCE);
    } catch (UnavailableException e) {
      server.stop(STOP_PATIENCE); // it has flushed, and now and then does not end
    }
  }
}
