package io.stele.bench.table;

import io.stele.bench.measure.Member;
import io.stele.bench.table.ycsb.MemoryStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A side whose server is a process that sleeps, and whose tables are in its driver's process. */
final class MemorySide implements Side {
  private final String name;
  private final List<String> arguments;

  MemorySide(String name, String... arguments) {
    this.name = name;
    this.arguments = List.of(arguments);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String version() {
    return "0";
  }

  @Override
  public Map<String, String> facts() {
    return Map.of(name, "a map");
  }

  @Override
  public Contestant start(Path directory) throws Exception {
    Member server = new Member(name, "-", List.of("sleep", "600"), directory.resolve("server.log"));
    server.start();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(MemoryStore.class.getName());
    command.addAll(arguments);
    DriverProcess driver =
        DriverProcess.start(name + "'s client", command, directory.resolve("client.log"));
    return new Contestant(name, server, Member::stop, driver);
  }
}
