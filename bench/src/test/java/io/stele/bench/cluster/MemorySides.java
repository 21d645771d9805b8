package io.stele.bench.cluster;

import io.stele.base.process.ChildProcess;
import io.stele.base.process.SteleProgram;
import io.stele.bench.Peer;
import io.stele.bench.cluster.Cluster.Places;
import io.stele.bench.cluster.Cluster.Server;
import io.stele.bench.driver.MemoryCluster;
import io.stele.bench.measure.Progress;
import io.stele.bench.process.DriverProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Sides whose servers are processes that sleep, and whose tables are in their drivers' processes.
 *
 * @param asItComes the peer at its own session time-out
 * @param alike the peer at ours
 */
record MemorySides(Peer<ClusterSide> asItComes, Peer<ClusterSide> alike) implements ClusterSides {

  static Peer<ClusterSide> present(String name, int lost) {
    return new Peer.Present<>(new MemorySide(name, lost));
  }

  @Override
  public ClusterSide stele() {
    return new MemorySide("Ours", 0);
  }

  @Override
  public Peer<ClusterSide> peer(Duration session, boolean offline, Progress progress) {
    return session.equals(HBASE_SESSION) ? asItComes : alike;
  }

  private record MemorySide(String name, int lost) implements ClusterSide {
    @Override
    public String version() {
      return "0";
    }

    @Override
    public Duration session() {
      return Duration.ofSeconds(5);
    }

    @Override
    public Map<String, String> facts() {
      return Map.of(name, "a map");
    }

    @Override
    public Cluster start(Path directory, Plan plan) throws Exception {
      List<Server> servers = new ArrayList<>();
      for (int i = 0; i < plan.servers(); i++) {
        String address = "server" + i;
        servers.add(
            new Server(
                child(
                    directory,
                    address,
                    "echo $$ >%s/%s.pid; exec sleep 600".formatted(directory, address)),
                address));
      }
      List<ChildProcess> masters = new ArrayList<>();
      for (int i = 0; i < plan.masters(); i++) {
        masters.add(child(directory, "master" + i, "exec sleep 600"));
      }
      ChildProcess member = child(directory, "member", "exec sleep 600");
      member.launch();
      DriverProcess driver =
          DriverProcess.start(
              name + "'s client",
              SteleProgram.java(
                  List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                  MemoryCluster.class.getName(),
                  directory.toString(),
                  Integer.toString(lost)),
              directory.resolve("client.log"));
      Places places = new Places(directory.resolve("log"), directory.resolve("files"));
      return new Cluster(name, List.of(member), masters, servers, places, driver);
    }

    private static ChildProcess child(Path directory, String name, String script) {
      return new ChildProcess(
          name, List.of("/bin/sh", "-c", script), directory.resolve(name + ".log"));
    }
  }
}
