package io.stele.bench.table;

import io.stele.bench.measure.FreePorts;
import io.stele.bench.measure.Member;
import io.stele.bench.measure.Progress;
import io.stele.bench.table.PeerKit.MissingException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Google's emulator of Bigtable, which has all in memory. */
final class EmulatorSide implements Side {
  private static final String NAME = "Emulator";

  private final BigtableProgram program;
  private final Path emulator;

  private EmulatorSide(BigtableProgram program, Path emulator) {
    this.program = program;
    this.emulator = emulator;
  }

  static Peer find(boolean offline, Progress progress) {
    try {
      BigtableProgram program = BigtableProgram.find(offline, progress);
      return new Peer.Present(new EmulatorSide(program, program.emulator()));
    } catch (MissingException | IOException e) {
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
        "Google's emulator of Bigtable "
            + version()
            + " as a process, all in memory and nothing durable; asked by the same client");
    return facts;
  }

  @Override
  public Contestant start(Path directory) throws Exception {
    int port = FreePorts.find(1).getFirst();
    Member server =
        new Member(
            "the emulator",
            "127.0.0.1:" + port,
            List.of(emulator.toString(), "-host=127.0.0.1", "-port=" + port),
            directory.resolve("server.log"));
    server.start();
    try {
      DriverProcess driver = program.drive(server.address(), directory.resolve("client.log"));
      return new Contestant(NAME, server, Member::stop, driver);
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }
}
