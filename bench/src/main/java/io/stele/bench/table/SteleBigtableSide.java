package io.stele.bench.table;

import io.stele.bench.measure.Member;
import io.stele.bench.measure.Progress;
import io.stele.bench.measure.SteleProgram;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Stele's own server, {@code stele up}, asked at its port for Bigtable's clients. */
final class SteleBigtableSide implements Side {
  private final List<String> moreFlags;

  /** With more flags for the server's JVM, such as those of a profiler. */
  SteleBigtableSide(List<String> moreFlags) {
    this.moreFlags = List.copyOf(moreFlags);
  }

  @Override
  public String name() {
    return SteleProgram.NAME;
  }

  @Override
  public String version() {
    return SteleProgram.version();
  }

  @Override
  public Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        name(),
        version()
            + ", 'stele up' as a process, each commit synced, 4 tablets; asked by Google's Java"
            + " client in another");
    facts.put(
        name() + " flags",
        "%s; the client's: %s"
            .formatted(
                String.join(" ", SteleSide.serverFlags(moreFlags)),
                String.join(" ", BigtableProgram.CLIENT_FLAGS)));
    return facts;
  }

  @Override
  public Contestant start(Path directory) throws Exception {
    BigtableProgram program =
        BigtableProgram.find(false, new Progress(new PrintWriter(Writer.nullWriter())));
    Path data = directory.resolve("data");
    Member server = SteleSide.server(data, directory.resolve("server.log"), moreFlags);
    server.start();
    try {
      String address = SteleSide.address(server, data.resolve("addresses.json"), "bigtable");
      DriverProcess driver = program.drive(address, directory.resolve("client.log"));
      return new Contestant(name(), server, Member::stop, driver);
    } catch (Exception e) {
      server.close();
      throw e;
    }
  }
}
