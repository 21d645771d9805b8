package io.stele.cli.cluster;

import io.stele.base.error.UnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One node of a cluster on this machine: a process with a directory of its own, in which its log
 * is. It takes free ports at its first start, and the same ones again later.
 */
final class NodeProcess {
  private static final Duration START_PATIENCE = Duration.ofMinutes(2);
  private static final Duration PAUSE = Duration.ofMillis(50);

  /** Set by the launcher: how to start another process as this one was started. */
  private static final String LAUNCHER = "stele.launcher";

  private static final List<String> SERVER_FLAGS =
      List.of(
          "-XX:+UseParallelGC",
          "-XX:+UseCompactObjectHeaders",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow");

  private final String name;
  private final Path data;
  private final List<String> arguments;
  private final String heap;
  private volatile @Nullable Process process;

  /**
   * A node that is not started yet.
   *
   * @param arguments of {@code stele server}, but for its directory and ports
   */
  NodeProcess(String name, Path data, List<String> arguments, String heap) {
    this.name = name;
    this.data = data;
    this.arguments = List.copyOf(arguments);
    this.heap = heap;
  }

  String name() {
    return name;
  }

  Path data() {
    return data;
  }

  Path log() {
    return data.resolve("log.txt");
  }

  Process start() throws IOException {
    Files.createDirectories(data);
    Files.deleteIfExists(addressFile());
    ProcessBuilder builder = new ProcessBuilder(command());
    builder
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
    if (System.getProperty(LAUNCHER) != null) {
      builder.environment().put("STELE_BUILD", "never"); // this process was just built
      String options = builder.environment().getOrDefault("STELE_JAVA_OPTS", "");
      builder.environment().put("STELE_JAVA_OPTS", (options + " -Xmx" + heap).strip());
    }
    Process started = builder.start();
    process = started;
    return started;
  }

  private List<String> command() {
    List<String> command = new ArrayList<>();
    String launcher = System.getProperty(LAUNCHER);
    if (launcher != null) {
      command.add(launcher);
    } else {
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(SERVER_FLAGS);
      command.add("-Xmx" + heap);
      command.add("-cp");
      command.add(System.getProperty("java.class.path"));
      command.add("io.stele.cli.Main");
    }
    command.add("server");
    command.add("--data");
    command.add(data.toString());
    command.add("--ports");
    command.add("auto");
    command.addAll(arguments);
    return command;
  }

  private Path addressFile() {
    return data.resolve("addresses.json");
  }

  /** Waits until it is ready, and answers where it is reached. */
  NodeAddresses awaitAddresses() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + START_PATIENCE.toNanos();
    while (!Files.exists(addressFile())) {
      if (!isAlive()) {
        throw new UnavailableException(
            "node %s ended with %d while it started; its log is %s"
                .formatted(name, exitCode(), log()));
      }
      if (System.nanoTime() - deadline > 0) {
        throw new UnavailableException(
            "node %s is not ready after %d s; its log is %s"
                .formatted(name, START_PATIENCE.toSeconds(), log()));
      }
      Thread.sleep(PAUSE);
    }
    return NodeAddresses.read(addressFile());
  }

  long pid() {
    Process current = process;
    return current == null ? 0 : current.pid();
  }

  boolean isAlive() {
    Process current = process;
    return current != null && current.isAlive();
  }

  /** Of a process that has ended. */
  int exitCode() {
    Process current = process;
    return current == null ? 0 : current.exitValue();
  }

  /** Calls back when the process that runs now ends. */
  void onEnd(Runnable listener) {
    Process current = process;
    if (current != null) {
      var _ = current.onExit().thenRun(listener);
    }
  }

  /** Tells it to stop. */
  void stop() {
    Process current = process;
    if (current != null) {
      current.destroy();
    }
  }

  /** Waits for its end, and ends it the hard way if that takes too long. */
  void awaitEnd(Duration patience) throws InterruptedException {
    Process current = process;
    if (current != null && !current.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
      current.destroyForcibly().waitFor();
    }
  }
}
