package io.stele.it.tables;

import io.stele.it.SteleProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code stele up} as a process of its own. Closing it kills the process if it still runs. */
final class UpProcess implements AutoCloseable {
  private final SteleProcess process;
  private final Path log;

  private UpProcess(SteleProcess process, Path log) {
    this.process = process;
    this.log = log;
  }

  /** Starts one on free ports and waits until it is ready. */
  static UpProcess start(Path data) throws IOException {
    Path log = Files.createTempFile("stele-up", ".log");
    List<String> command =
        List.of(SteleProcess.launcher(), "up", "--data", data.toString(), "--ports", "auto");
    UpProcess up = new UpProcess(new SteleProcess(data, log, "-Xmx384m", command), log);
    try {
      up.process.start();
      return up;
    } catch (AssertionError e) {
      up.close();
      throw e;
    }
  }

  String address() {
    return process.address();
  }

  /** Ends it as {@code kill -9} does. */
  void kill() {
    process.kill9();
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
