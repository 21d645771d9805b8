package io.stele.it.metastore;

import static org.awaitility.Awaitility.await;

import io.stele.it.SteleProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code stele server} on a host of a test's network; its disk can be slowed down. */
public final class MemberProcess implements AutoCloseable {
  private static final Duration DEADLINE = Duration.ofSeconds(90);
  private static final String JAVA_OPTIONS = "-Xms96m -Xmx256m";

  private final SteleProcess process;
  private @Nullable Process tracer; // guarded by this

  /** Not started yet. */
  MemberProcess(TestNetwork network, int host, Path data, Path log, List<String> arguments) {
    List<String> command = new ArrayList<>(network.runsOn(host));
    command.addAll(
        List.of(
            SteleProcess.launcher(),
            "server",
            "--data",
            data.toString(),
            "--ports",
            "auto",
            "--listen",
            network.address(host)));
    command.addAll(arguments);
    this.process = new SteleProcess(data, log, JAVA_OPTIONS, command);
  }

  /** The process itself. */
  public SteleProcess process() {
    return process;
  }

  Path data() {
    return process.data();
  }

  /** Starts it without waiting. */
  void launch() {
    process.launch();
  }

  /** Waits until it serves; fails if it ends instead. */
  void awaitReady() {
    process.awaitReady();
  }

  void start() {
    process.start();
  }

  /** The address of its native interface. */
  String address() {
    return process.address();
  }

  boolean isRunning() {
    return process.isRunning();
  }

  boolean isPaused() {
    return process.isPaused();
  }

  /** Ends it as a crash would (SIGKILL). */
  void kill9() {
    speedUpDisk();
    process.kill9();
  }

  /** Tells it to stop (SIGTERM) and waits until it has. */
  void stop() {
    process.stop();
  }

  /** Freezes it (SIGSTOP). */
  void pause() {
    process.pause();
  }

  /** Lets it go on (SIGCONT). */
  void resume() {
    process.resume();
  }

  /** From now on each sync takes this much longer; returns once that is so. */
  void slowDownDisk(Duration delay) {
    trace("delay_enter=" + delay.toNanos() / 1000);
  }

  /** From now on syncs fail; returns once that is so. */
  void failSyncs() {
    trace("error=EIO");
  }

  private synchronized void trace(String injection) {
    if (tracer != null) {
      throw new IllegalStateException("the server of " + data() + " is traced already");
    }
    long pid = process.pid();
    Process tracing;
    Path said = data().resolveSibling(data().getFileName() + ".strace");
    try {
      tracing =
          new ProcessBuilder(
                  "strace",
                  "-f",
                  "-p",
                  Long.toString(pid),
                  "-e",
                  "trace=fsync,fdatasync",
                  "-e",
                  "inject=fsync,fdatasync:" + injection,
                  "-o",
                  "/dev/null")
              .redirectErrorStream(true)
              .redirectOutput(said.toFile())
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    tracer = tracing;
    // It attaches to one thread after the other; the last one is there when all have a tracer.
    await("strace to be attached")
        .atMost(DEADLINE)
        .until(() -> allTraced(pid) || !tracing.isAlive());
    if (!tracing.isAlive()) {
      throw new AssertionError("strace ended at once; see " + said);
    }
  }

  private static boolean allTraced(long pid) throws IOException {
    try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
      for (Path thread : threads.toList()) {
        if (Files.readString(thread.resolve("status")).contains("TracerPid:\t0\n")) {
          return false;
        }
      }
      return true;
    } catch (NoSuchFileException threadEnded) {
      return false;
    }
  }

  synchronized void speedUpDisk() {
    Process tracing = tracer;
    tracer = null;
    if (tracing != null) {
      tracing.destroy();
      tracing.onExit().orTimeout(DEADLINE.toSeconds(), TimeUnit.SECONDS).join();
    }
  }

  /** All that it printed and logged, over all its starts. */
  String log() {
    return process.log();
  }

  @Override
  public void close() {
    kill9();
  }
}
