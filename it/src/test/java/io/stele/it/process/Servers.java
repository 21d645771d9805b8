package io.stele.it.process;

import io.stele.base.process.FileTree;
import io.stele.base.process.ServerProcess;
import io.stele.base.process.SteleProgram;
import io.stele.testkit.process.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How tests run Stele: single servers, and commands. */
public final class Servers {
  /** The lock of tests that use {@link #shared}: one of them kills the server. */
  public static final String SHARED = "shared-server";

  private static final Path ROOT = Path.of(System.getProperty("stele.root", ".")).toAbsolutePath();

  /** A server of a test lives for seconds: better machinery costs it more than it gains. */
  private static final List<String> SHORT_LIFE =
      List.of("-XX:-UseParallelGC", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private static @Nullable ServerProcess shared; // killed with this JVM

  private Servers() {}

  /** The launcher of the source tree, for servers with this much heap. */
  public static SteleProgram launched(String heap) {
    return SteleProgram.ofLauncher(launcher(), options(heap)).isolated();
  }

  public static Path launcher() {
    return ROOT.resolve("stele");
  }

  /** Options of a JVM that is to start soon and do with little memory. */
  public static List<String> options(String heap) {
    return Stream.concat(SHORT_LIFE.stream(), Stream.of("-Xms32m", "-Xmx" + heap)).toList();
  }

  /** Runs commands by a launcher that builds nothing. */
  public static Program commands(Path folder, Map<String, String> variables) {
    return commands(launcher(), folder, variables);
  }

  /** Likewise by another launcher, which may build if a variable says so. */
  public static Program commands(Path launcher, Path folder, Map<String, String> variables) {
    return new Program(
        List.of(launcher.toString()),
        folder,
        environment -> {
          environment.keySet().removeIf(name -> name.startsWith("STELE_"));
          environment.remove("JAVA_TOOL_OPTIONS");
          environment.put("STELE_BUILD", "never");
          environment.putAll(variables);
        });
  }

  /** A directory for logs that stay when the test has ended; what is in it is deleted now. */
  public static Path logs(String name) {
    Path logs = ROOT.resolve("it/target/processes").resolve(name);
    FileTree.delete(logs);
    try {
      return Files.createDirectories(logs);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** {@code stele server} that is not started yet. */
  public static ServerProcess server(Path data, String... arguments) {
    List<String> all = new ArrayList<>(List.of("server"));
    all.addAll(List.of(arguments));
    return process(data, all);
  }

  /** {@code stele up} that is not started yet. */
  public static ServerProcess up(Path data) {
    return process(data, List.of("up"));
  }

  /**
   * A server without any configuration that tests of this JVM share, started when it is first used.
   * Each test has keys and tables of its own; one that kills the server starts it again.
   */
  public static synchronized ServerProcess shared() {
    ServerProcess server = shared;
    if (server == null) {
      Path folder = logs("shared-" + ProcessHandle.current().pid());
      server = server(folder.resolve("data"));
      server.start();
      shared = server;
    }
    return server;
  }

  /** Its log is beside its data. */
  private static ServerProcess process(Path data, List<String> arguments) {
    String name = String.valueOf(data.getFileName());
    Path log = data.resolveSibling(name + ".log");
    return new ServerProcess("server " + name, launched("384m"), data, log, arguments);
  }
}
