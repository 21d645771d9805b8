package io.stele.bench.table;

import io.stele.base.error.UnavailableException;
import io.stele.base.text.JsonReader;
import io.stele.bench.measure.Member;
import io.stele.bench.measure.SteleProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Stele's own server, {@code stele up} with this JVM's Java and class path and the flags that the
 * launcher gives it.
 */
final class SteleSide implements Side {
  private static final String NAME = SteleProgram.NAME;
  private static final Duration START_PATIENCE = Duration.ofSeconds(60);
  private static final Duration PAUSE = Duration.ofMillis(5);

  private static final List<String> SERVER_HEAP = List.of("-Xms64m", "-Xmx1g");
  private static final List<String> CLIENT_HEAP = List.of("-Xmx1g");

  private final List<String> moreFlags;

  /** With more flags for the server's JVM, such as those of a profiler. */
  SteleSide(List<String> moreFlags) {
    this.moreFlags = List.copyOf(moreFlags);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String version() {
    return SteleProgram.version();
  }

  @Override
  public Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        NAME,
        version()
            + ", 'stele up' as a process, each commit synced, 4 tablets; asked by its Java client"
            + " in another");
    facts.put(
        NAME + " flags",
        "%s; its client's: %s"
            .formatted(String.join(" ", serverFlags(moreFlags)), String.join(" ", clientFlags())));
    return facts;
  }

  static List<String> serverFlags(List<String> moreFlags) {
    List<String> flags = new ArrayList<>(SERVER_HEAP);
    flags.addAll(SteleProgram.FLAGS);
    flags.addAll(SteleProgram.archiveFlags());
    flags.addAll(moreFlags);
    return flags;
  }

  private static List<String> clientFlags() {
    List<String> flags = new ArrayList<>(CLIENT_HEAP);
    flags.addAll(SteleProgram.FLAGS);
    return flags;
  }

  @Override
  public Contestant start(Path directory) throws Exception {
    Path data = directory.resolve("data");
    Member server = server(data, directory.resolve("server.log"), moreFlags);
    server.start();
    try {
      String address = address(server, data.resolve("addresses.json"), "native");
      DriverProcess driver =
          DriverProcess.start(
              "Stele's client",
              SteleProgram.command(clientFlags(), SteleStore.class.getName(), address),
              directory.resolve("client.log"));
      return new Contestant(NAME, server, Member::stop, driver);
    } catch (Exception e) {
      server.close();
      throw e;
    }
  }

  /** A server that does not run yet. */
  static Member server(Path data, Path log, List<String> moreFlags) {
    return new Member(
        "Stele's server",
        "-",
        SteleProgram.stele(serverFlags(moreFlags), "up", "--data", data.toString(), "--ports=auto"),
        log);
  }

  /** It takes the same ports again when it is started again. */
  static String address(Member server, Path file, String protocol) throws Exception {
    long start = System.nanoTime();
    while (!Files.exists(file)) {
      server.checkAlive();
      if (System.nanoTime() - start > START_PATIENCE.toNanos()) {
        throw new UnavailableException(
            "Stele's server is not ready within %s; it said last:%n%s"
                .formatted(START_PATIENCE, server.lastWords()));
      }
      Thread.sleep(PAUSE);
    }
    return address(Files.readString(file), protocol);
  }

  static String address(String json, String protocol) throws IOException {
    if (JsonReader.read(json) instanceof Map<?, ?> addresses
        && addresses.get(protocol) instanceof String address) {
      return address;
    }
    throw new IOException(
        "addresses.json is '%s': must have an address '%s'".formatted(json, protocol));
  }
}
