package io.stele.bench.cluster;

import io.stele.bench.cluster.RunningCluster.Places;
import io.stele.bench.cluster.probe.MemoryCluster;
import io.stele.bench.measure.Member;
import io.stele.bench.measure.Progress;
import io.stele.bench.measure.SteleProgram;
import io.stele.bench.table.DriverProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Sides whose servers are processes that sleep, and whose tables are in their drivers' processes.
 */
record MemorySides(ClusterSide stele, Rivals found) implements ClusterSides {

  static MemorySides of(Rival recommended, Rival alike) {
    return new MemorySides(new MemorySide("Ours", 0), new Rivals(recommended, alike));
  }

  static Rival present(String name, int lost) {
    return new Rival.Present(new MemorySide(name, lost));
  }

  @Override
  public Rivals rivals(boolean offline, Progress progress) {
    return found;
  }

  private record MemorySide(String name, int lost) implements ClusterSide {
    @Override
    public String title() {
      return name + " 0";
    }

    @Override
    public Map<String, String> facts() {
      return Map.of(name, "a map");
    }

    @Override
    public RunningCluster start(Path directory, Plan plan) throws Exception {
      List<Member> servers = new ArrayList<>();
      for (int i = 0; i < plan.servers(); i++) {
        String address = "server" + i;
        servers.add(
            member(
                directory,
                address,
                "echo $$ >%s/%s.pid; exec sleep 600".formatted(directory, address)));
      }
      List<Member> masters = new ArrayList<>();
      for (int i = 0; i < plan.masters(); i++) {
        masters.add(member(directory, "master" + i, "exec sleep 600"));
      }
      Member member = member(directory, "member", "exec sleep 600");
      member.start();
      DriverProcess driver =
          DriverProcess.start(
              name + "'s client",
              SteleProgram.command(
                  List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                  MemoryCluster.class.getName(),
                  directory.toString(),
                  Integer.toString(lost)),
              directory.resolve("client.log"));
      Places places = new Places(directory.resolve("log"), directory.resolve("files"));
      return new RunningCluster(name, List.of(member), masters, servers, places, driver);
    }

    private static Member member(Path directory, String address, String script) {
      return new Member(
          address, address, List.of("/bin/sh", "-c", script), directory.resolve(address + ".log"));
    }
  }
}
