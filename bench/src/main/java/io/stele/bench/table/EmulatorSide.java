package io.stele.bench.table;

import io.stele.base.process.ChildProcess;
import io.stele.testkit.FreePorts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Google's emulator of Bigtable, which has all in memory. */
record EmulatorSide(BigtableProgram program, Path emulator) implements TableSide {
  static final String NAME = "Emulator";

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
    return Map.of(
        NAME,
        "Google's emulator of Bigtable %s as a process, all in memory and nothing durable; asked by the same client"
            .formatted(version()));
  }

  @Override
  public TableServer start(Path directory) throws Exception {
    String address = "127.0.0.1:" + FreePorts.next();
    String port = address.substring(address.indexOf(':') + 1);
    ChildProcess server =
        new ChildProcess(
            "the emulator",
            List.of(emulator.toString(), "-host=127.0.0.1", "-port=" + port),
            directory.resolve("server.log"));
    server.launch();
    try {
      return new TableServer(NAME, server, program.drive(address, directory.resolve("client.log")));
    } catch (IOException | RuntimeException e) {
      server.kill();
      throw e;
    }
  }
}
