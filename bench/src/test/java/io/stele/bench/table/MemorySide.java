package io.stele.bench.table;

import io.stele.base.process.ChildProcess;
import io.stele.base.process.SteleProgram;
import io.stele.bench.driver.MemoryStore;
import io.stele.bench.process.DriverProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A side whose server is a process that sleeps, and whose tables are in its driver's process.
 *
 * @param argument of the driver
 */
record MemorySide(String name, String argument) implements TableSide {
  MemorySide(String name) {
    this(name, "right");
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
  public TableServer start(Path directory) throws Exception {
    ChildProcess server =
        new ChildProcess(name, List.of("sleep", "600"), directory.resolve("server.log"));
    server.launch();
    return new TableServer(
        name,
        server,
        DriverProcess.start(
            name + "'s client",
            SteleProgram.java(
                List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                MemoryStore.class.getName(),
                argument),
            directory.resolve("client.log")));
  }
}
