package io.stele.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code stele server} on free ports, with a directory to keep. Closing it kills the process if it
 * still runs, and forgets what it said.
 */
final class ServerProcess implements AutoCloseable {
  private final SteleProcess process;
  private final Path log;

  private ServerProcess(SteleProcess process, Path log) {
    this.process = process;
    this.log = log;
  }

  /** Starts one on free ports and waits until it is ready; fails if it ends instead. */
  static ServerProcess start(Path data, String... arguments) throws IOException {
    ServerProcess server = of(data, arguments);
    try {
      server.process.start();
      return server;
    } catch (AssertionError e) {
      server.close();
      throw e;
    }
  }

  /** Starts one on free ports, which may be going to fail. */
  static ServerProcess launch(Path data, String... arguments) throws IOException {
    ServerProcess server = of(data, arguments);
    server.process.launch();
    return server;
  }

  private static ServerProcess of(Path data, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                SteleProcess.launcher(), "server", "--data", data.toString(), "--ports", "auto"));
    command.addAll(List.of(arguments));
    Path log = Files.createTempFile("stele-server", ".log");
    return new ServerProcess(new SteleProcess(data, log, "-Xmx256m", command), log);
  }

  /** The address of its native interface. */
  String address() {
    return process.address();
  }

  Path addresses() {
    return process.addresses();
  }

  /** All that it printed and logged. */
  String said() {
    return process.log();
  }

  /** Waits for its end. */
  int exitCode() {
    return process.exitCode();
  }

  /** Tells it to stop (SIGTERM) and waits until it has. */
  int stop() {
    return process.stop();
  }

  /** Ends it as a power loss would (SIGKILL). */
  void kill() {
    process.kill9();
  }

  long pid() {
    return process.pid();
  }

  @Override
  public void close() {
    process.close();
    try {
      Files.deleteIfExists(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
