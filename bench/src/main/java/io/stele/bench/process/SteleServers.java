package io.stele.bench.process;

import io.stele.base.error.ConflictException;
import io.stele.base.process.ServerProcess;
import io.stele.base.process.SteleProgram;
import io.stele.client.Stele;
import io.stele.client.metastore.Member;
import io.stele.client.metastore.MetastoreAdmin;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Stele's servers as processes, as users run them: with the class path that ships, and the flags
 * and the archive of class data that the launcher gives to servers.
 */
public final class SteleServers {
  public static final String NAME = "Stele";

  private static final Duration START_PATIENCE = Duration.ofSeconds(60);

  private SteleServers() {}

  public static String version() {
    String version = SteleServers.class.getPackage().getImplementationVersion();
    return version == null ? "as built" : version;
  }

  /** What the launcher says; in a test, all that is there. */
  private static String shipped() {
    return System.getProperty("stele.dist.class.path", System.getProperty("java.class.path"));
  }

  /**
   * The flags of a server's JVM.
   *
   * @param heap those that say how much memory there is, and others of its own
   */
  public static List<String> flags(List<String> heap) {
    List<String> flags = new ArrayList<>(heap);
    flags.addAll(SteleProgram.SERVER_FLAGS);
    Path first = Path.of(shipped().split(File.pathSeparator, 2)[0]).toAbsolutePath();
    String name = System.getProperty("java.home").replace('/', '_') + "-server.jsa";
    Path archive = first.resolve("../../cds").normalize().resolve(name);
    if (Files.exists(archive)) { // once the launcher has started a server
      flags.addAll(List.of("-Xshare:auto", "-XX:SharedArchiveFile=" + archive));
    }
    return flags;
  }

  /**
   * A server that does not run yet, with its data and its log in a directory of its name.
   *
   * @param heap flags of its JVM that say how much memory there is
   * @param arguments {@code server} or {@code up} and their options, but for directory and ports
   */
  public static ServerProcess server(
      Path directory, String name, List<String> heap, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags(heap));
    command.addAll(List.of("-cp", shipped(), "io.stele.cli.Main"));
    Path home = Files.createDirectory(directory.resolve(name));
    return new ServerProcess(
        "Stele's " + name,
        new SteleProgram(command, variables -> {}).isolated(),
        home.resolve("data"),
        home.resolve("server.log"),
        arguments);
  }

  /** Makes servers that wait for it one group of the metastore. */
  public static void bootstrap(Collection<ServerProcess> members) {
    List<String> addresses = members.stream().map(ServerProcess::address).toList();
    try (Stele stele = Stele.builder().endpoints(addresses).timeout(START_PATIENCE).connect()) {
      MetastoreAdmin admin = stele.metastore().admin();
      try {
        var _ = admin.bootstrap(addresses);
      } catch (ConflictException e) {
        // On a busy machine the answer may be lost; the next attempt finds the group begun.
        List<String> begun = admin.members().stream().map(Member::serviceAddress).toList();
        if (!Set.copyOf(begun).equals(Set.copyOf(addresses))) {
          throw e;
        }
      }
    }
  }
}
