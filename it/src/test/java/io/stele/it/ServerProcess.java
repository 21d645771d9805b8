package io.stele.it;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code stele server} as a process of its own, with a directory to keep. Closing it kills the
 * process if it still runs.
 */
final class ServerProcess implements AutoCloseable {

  private static final Path ROOT = Path.of(System.getProperty("stele.root")).toAbsolutePath();
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final Pattern NATIVE = Pattern.compile("\"native\": \"([^\"]+)\"");

  private final Path data;
  private final Process process;
  private final Path log;

  private ServerProcess(Path data, Process process, Path log) {
    this.data = data;
    this.process = process;
    this.log = log;
  }

  /** Starts one on free ports and waits until it is ready; fails if it ends instead. */
  static ServerProcess start(Path data, String... arguments) throws IOException {
    ServerProcess server = launch(data, arguments);
    try {
      await("addresses.json of a server that is ready")
          .atMost(DEADLINE)
          .pollInterval(Duration.ofMillis(20))
          .until(() -> Files.exists(server.addresses()) || !server.process.isAlive());
    } catch (RuntimeException e) {
      server.close();
      throw new AssertionError("the server is not ready; it said: " + server.said(), e);
    }
    if (!server.process.isAlive()) {
      throw new AssertionError("the server ended at once; it said: " + server.said());
    }
    return server;
  }

  /** Starts one on free ports, which may be going to fail. */
  static ServerProcess launch(Path data, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                ROOT.resolve("stele").toString(),
                "server",
                "--data",
                data.toString(),
                "--ports",
                "auto"));
    command.addAll(List.of(arguments));
    Path log = Files.createTempFile("stele-server", ".log");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("STELE_"));
    builder.environment().put("STELE_BUILD", "never");
    builder.environment().put("STELE_JAVA_OPTS", "-Xmx256m");
    return new ServerProcess(data, builder.start(), log);
  }

  /** The address of its native interface. */
  String address() throws IOException {
    String text = Files.readString(addresses());
    Matcher matcher = NATIVE.matcher(text);
    if (!matcher.find()) {
      throw new AssertionError("no native address in " + text);
    }
    return matcher.group(1);
  }

  Path addresses() {
    return data.resolve("addresses.json");
  }

  /** All that it printed and logged. */
  String said() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for its end. */
  int exitCode() throws InterruptedException {
    if (!process.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("the server still runs; it said: " + said());
    }
    return process.exitValue();
  }

  /** Tells it to stop (SIGTERM) and waits until it has. */
  int stop() throws InterruptedException {
    process.destroy();
    return exitCode();
  }

  /** Ends it as a power loss would (SIGKILL). */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    exitCode();
  }

  long pid() {
    return process.pid();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
    try {
      Files.deleteIfExists(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
