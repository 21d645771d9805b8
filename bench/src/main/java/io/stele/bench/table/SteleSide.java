package io.stele.bench.table;

import io.stele.base.process.ServerProcess;
import io.stele.base.process.SteleProgram;
import io.stele.bench.measure.Progress;
import io.stele.bench.process.DriverProcess;
import io.stele.bench.process.SteleServers;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Stele's own server, {@code stele up}.
 *
 * @param moreFlags for the server's JVM, such as those of a profiler
 * @param asBigtable whether it is asked by Bigtable's Java client instead of its own
 */
record SteleSide(List<String> moreFlags, boolean asBigtable) implements TableSide {
  private static final List<String> CLIENT_HEAP = List.of("-Xmx1g");

  SteleSide {
    moreFlags = List.copyOf(moreFlags);
  }

  @Override
  public String name() {
    return SteleServers.NAME;
  }

  @Override
  public String version() {
    return SteleServers.version();
  }

  @Override
  public Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        name(),
        "%s, 'stele up' as a process, each commit synced, 4 tablets; asked by %s Java client in another"
            .formatted(version(), asBigtable ? "Google's" : "its"));
    facts.put(
        name() + " flags",
        "%s; the client's: %s"
            .formatted(
                String.join(" ", SteleServers.flags(heap())),
                String.join(" ", asBigtable ? BigtableProgram.CLIENT_FLAGS : clientFlags())));
    return facts;
  }

  private List<String> heap() {
    List<String> heap = new ArrayList<>(List.of("-Xms64m", "-Xmx1g"));
    heap.addAll(moreFlags);
    return heap;
  }

  private static List<String> clientFlags() {
    List<String> flags = new ArrayList<>(CLIENT_HEAP);
    flags.addAll(SteleProgram.SERVER_FLAGS);
    return flags;
  }

  @Override
  public TableServer start(Path directory) throws Exception {
    ServerProcess server = SteleServers.server(directory, "server", heap(), List.of("up"));
    try {
      Path log = directory.resolve("client.log");
      DriverProcess driver = drive(server.start().of(asBigtable ? "bigtable" : "native"), log);
      return new TableServer(name(), server, driver);
    } catch (Exception e) {
      server.kill();
      throw e;
    }
  }

  private DriverProcess drive(String address, Path log) throws Exception {
    if (asBigtable) {
      Progress silent = new Progress(new PrintWriter(Writer.nullWriter()));
      return BigtableProgram.find(false, silent).drive(address, log);
    }
    return DriverProcess.start(
        "Stele's client",
        SteleProgram.java(clientFlags(), SteleStore.class.getName(), address),
        log);
  }
}
