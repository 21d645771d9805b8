package io.stele.bench.measure;

import io.stele.base.error.ConflictException;
import io.stele.base.error.UnavailableException;
import io.stele.client.Stele;
import io.stele.client.metastore.MetastoreAdmin;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Stele's own programs as processes: this JVM's Java and class path, and the flags that the
 * launcher gives to servers.
 */
public final class SteleProgram {
  public static final String NAME = "Stele";

  /** Without those that say how much memory there is. */
  public static final List<String> FLAGS =
      List.of(
          "-XX:+UseParallelGC",
          "-XX:+UseCompactObjectHeaders",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow");

  private static final Duration START_PATIENCE = Duration.ofSeconds(60);
  private static final Duration PAUSE = Duration.ofMillis(5);

  private SteleProgram() {}

  public static String version() {
    String version = SteleProgram.class.getPackage().getImplementationVersion();
    return version == null ? "as built" : version;
  }

  /** A command that runs a class of the benchmarks. */
  public static List<String> command(List<String> flags, String... program) {
    return java(flags, System.getProperty("java.class.path"), program);
  }

  /** A command of Stele's own, with the class path that ships. */
  public static List<String> stele(List<String> flags, String... arguments) {
    List<String> command = java(flags, shipped(), "io.stele.cli.Main");
    command.addAll(List.of(arguments));
    return command;
  }

  private static List<String> java(List<String> flags, String classPath, String... program) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(List.of("-cp", classPath));
    command.addAll(List.of(program));
    return command;
  }

  /** What the launcher says; in a test, all that is there. */
  private static String shipped() {
    return System.getProperty("stele.dist.class.path", System.getProperty("java.class.path"));
  }

  /**
   * Flags for the class data that the launcher keeps beside its jars, once a server was started.
   */
  public static List<String> archiveFlags() {
    Path first = Path.of(shipped().split(System.getProperty("path.separator"), 2)[0]);
    Path dist = first.toAbsolutePath().resolve("../..").normalize();
    String name = System.getProperty("java.home").replace('/', '_') + "-server.jsa";
    return Optional.of(dist.resolve("cds").resolve(name))
        .filter(Files::exists)
        .map(file -> List.of("-Xshare:auto", "-XX:SharedArchiveFile=" + file))
        .orElse(List.of());
  }

  /** Whether somebody listens at a port of this machine. */
  public static boolean listens(String address) {
    int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Waits until servers that were started listen at their addresses. */
  public static void awaitListening(List<Member> servers) throws InterruptedException {
    long start = System.nanoTime();
    for (Member server : servers) {
      while (!listens(server.address())) {
        server.checkAlive();
        if (System.nanoTime() - start > START_PATIENCE.toNanos()) {
          throw new UnavailableException(
              "the server at %s does not listen within %s; it said last:%n%s"
                  .formatted(server.address(), START_PATIENCE, server.lastWords()));
        }
        Thread.sleep(PAUSE);
      }
    }
  }

  /** Makes servers that wait for it one group of the metastore. */
  public static void bootstrap(List<Member> members) throws InterruptedException {
    awaitListening(members);
    List<String> addresses = members.stream().map(Member::address).toList();
    try (Stele stele = Stele.builder().endpoints(addresses).timeout(START_PATIENCE).connect()) {
      begin(stele.metastore().admin(), addresses);
    }
  }

  /**
   * On a busy machine the answer may be lost, and the client's next attempt finds the group begun.
   */
  private static void begin(MetastoreAdmin admin, List<String> addresses) {
    try {
      var _ = admin.bootstrap(addresses);
    } catch (ConflictException e) {
      List<String> begun =
          admin.members().stream().map(io.stele.client.metastore.Member::serviceAddress).toList();
      if (!Set.copyOf(begun).equals(Set.copyOf(addresses))) {
        throw e;
      }
    }
  }
}
