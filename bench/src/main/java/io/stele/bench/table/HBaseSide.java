package io.stele.bench.table;

import io.stele.bench.measure.FreePorts;
import io.stele.bench.measure.Member;
import io.stele.bench.measure.Progress;
import io.stele.bench.table.PeerKit.MissingException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * HBase standalone: master, region server and ZooKeeper in one process, on the local file system.
 */
final class HBaseSide implements Side {
  private static final String NAME = HBaseProgram.NAME;
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);

  private static final List<String> SERVER_FLAGS =
      List.of(
          "-Xms4g",
          "-Xmx4g",
          "-XX:+UseG1GC",
          "-XX:MaxGCPauseMillis=100",
          "-XX:MaxDirectMemorySize=1g");
  private static final List<String> CLIENT_FLAGS = List.of("-Xmx1g", "-XX:+UseParallelGC");

  private final HBaseProgram program;

  private HBaseSide(HBaseProgram program) {
    this.program = program;
  }

  static Peer find(boolean offline, Progress progress) {
    return find(() -> HBaseProgram.find(offline, progress));
  }

  static Peer find(Path checkout, String maven, boolean offline, Progress progress) {
    return find(() -> HBaseProgram.find(checkout, maven, offline, progress));
  }

  private interface Search {
    HBaseProgram find() throws MissingException, InterruptedException;
  }

  private static Peer find(Search search) {
    try {
      return new Peer.Present(new HBaseSide(search.find()));
    } catch (MissingException e) {
      return new Peer.Absent(NAME, String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Peer.Absent(NAME, "the search for it was interrupted");
    }
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String version() {
    return program.version();
  }

  @Override
  public Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        NAME,
        version()
            + " standalone as a process, hbase.wal.hsync on the raw local file system, 4 regions,"
            + " row Bloom filters; asked by its Java client in another");
    facts.put(
        NAME + " flags",
        "%s with %s; its client's: %s"
            .formatted(
                program.java(), String.join(" ", SERVER_FLAGS), String.join(" ", CLIENT_FLAGS)));
    return facts;
  }

  @Override
  public Contestant start(Path directory) throws Exception {
    List<Integer> ports = FreePorts.find(3);
    Path settings = HBaseProgram.write(site(directory, ports), directory.resolve("settings"));
    Member server =
        new Member(
            "HBase's server",
            "127.0.0.1:" + ports.get(2),
            program.command(SERVER_FLAGS, settings, HBaseProgram.MASTER, "start"),
            directory.resolve("server.log"));
    server.start();
    try {
      DriverProcess driver =
          DriverProcess.start(
              "HBase's client",
              program.command(CLIENT_FLAGS, settings, "HBaseDriver", ports.getFirst().toString()),
              directory.resolve("client.log"));
      return new Contestant(NAME, server, member -> stop(member, directory, settings), driver);
    } catch (Exception e) {
      server.close();
      throw e;
    }
  }

  /**
   * By its own command: at a signal its ZooKeeper ends first, and the rest of it counts as crashed.
   */
  private void stop(Member server, Path directory, Path settings) throws Exception {
    Process stop =
        new ProcessBuilder(
                program.command(List.of("-Xmx256m"), settings, HBaseProgram.MASTER, "stop"))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("stop.log").toFile())
            .start();
    if (!stop.waitFor(STOP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      stop.destroyForcibly().waitFor();
    }
    if (!server.awaitEnd(STOP_PATIENCE)) {
      server.stop(); // it has flushed, and now and then does not end
    }
  }

  private static Map<String, String> site(Path directory, List<Integer> ports) {
    Map<String, String> site = HBaseProgram.settings(directory, ports.get(0));
    site.put("hbase.cluster.distributed", "false");
    site.put("hbase.master.port", ports.get(1).toString());
    site.put("hbase.regionserver.port", ports.get(2).toString());
    site.put("hbase.localcluster.assign.random.ports", "false");
    site.put("hbase.localcluster.port.ephemeral", "false");
    return site;
  }
}
