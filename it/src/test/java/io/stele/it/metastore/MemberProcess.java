package io.stele.it.metastore;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * {@code stele server} as a process on a host of a test's network, with a directory that outlives
 * it: it can be killed and started again, paused, and have its disk slowed down. What it logs is
 * appended to one file.
 */
final class MemberProcess implements AutoCloseable {
  private static final Path ROOT = Path.of(System.getProperty("stele.root", ".")).toAbsolutePath();
  private static final Duration DEADLINE = Duration.ofSeconds(90);
  private static final Pattern NATIVE = Pattern.compile("\"native\": \"([^\"]+)\"");

  private final TestNetwork network;
  private final int host;
  private final Path data;
  private final Path log;
  private final List<String> arguments;
  private @Nullable Process process;
  private @Nullable Process tracer;
  private boolean paused;

  /** Not started yet. */
  MemberProcess(TestNetwork network, int host, Path data, Path log, List<String> arguments) {
    this.network = network;
    this.host = host;
    this.data = data;
    this.log = log;
    this.arguments = List.copyOf(arguments);
  }

  Path data() {
    return data;
  }

  /** Starts it without waiting. */
  synchronized void launch() {
    if (isRunning()) {
      throw new IllegalStateException("the server of " + data + " runs already");
    }
    List<String> command = new ArrayList<>(network.runsOn(host));
    command.addAll(
        List.of(
            ROOT.resolve("stele").toString(),
            "server",
            "--data",
            data.toString(),
            "--ports",
            "auto",
            "--listen",
            network.address(host)));
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().keySet().removeIf(name -> name.startsWith("STELE_"));
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    builder.environment().put("STELE_BUILD", "never");
    builder.environment().put("STELE_JAVA_OPTS", "-Xms96m -Xmx256m -XX:TieredStopAtLevel=1");
    try {
      Files.deleteIfExists(addresses()); // that of a process that was killed
      process = builder.start();
      process.getOutputStream().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path addresses() {
    return data.resolve("addresses.json");
  }

  /** Waits until it serves; fails if it ends instead. */
  void awaitReady() {
    try {
      await("addresses.json of a server that is ready")
          .atMost(DEADLINE)
          .pollInterval(Duration.ofMillis(20))
          .until(() -> Files.exists(addresses()) || !isRunning());
    } catch (ConditionTimeoutException e) {
      throw new AssertionError("the server is not ready; see " + log, e);
    }
    if (!isRunning()) {
      throw new AssertionError("the server ended at once; see " + log + ":\n" + lastWords());
    }
  }

  void start() {
    launch();
    awaitReady();
  }

  /** The address of its native interface. */
  String address() {
    try {
      String text = Files.readString(addresses());
      Matcher matcher = NATIVE.matcher(text);
      if (!matcher.find()) {
        throw new AssertionError("no native address in " + text);
      }
      return matcher.group(1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  synchronized boolean isRunning() {
    return process != null && process.isAlive();
  }

  synchronized boolean isPaused() {
    return paused;
  }

  /** Ends it as a crash would (SIGKILL). */
  synchronized void kill9() {
    speedUpDisk();
    paused = false;
    if (process != null) {
      process.destroyForcibly();
      awaitEnd(process);
    }
  }

  /** Tells it to stop (SIGTERM) and waits until it has. */
  synchronized void stop() {
    if (process != null) {
      process.destroy();
      awaitEnd(process);
    }
  }

  private void awaitEnd(Process ending) {
    try {
      if (!ending.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("the server does not end; see " + log);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** Freezes it (SIGSTOP). */
  synchronized void pause() {
    signal("STOP");
    paused = true;
  }

  /** Lets it go on (SIGCONT). */
  synchronized void resume() {
    signal("CONT");
    paused = false;
  }

  private void signal(String name) {
    if (process == null) {
      throw new IllegalStateException("the server of " + data + " was never started");
    }
    Programs.run("kill", "-" + name, Long.toString(process.pid()));
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
    Process traced = process;
    if (traced == null || tracer != null) {
      throw new IllegalStateException("the server of " + data + " does not run, or is traced");
    }
    Process tracing;
    Path said = data.resolveSibling(data.getFileName() + ".strace");
    try {
      tracing =
          new ProcessBuilder(
                  "strace",
                  "-f",
                  "-p",
                  Long.toString(traced.pid()),
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
        .until(() -> allTraced(traced.pid()) || !tracing.isAlive());
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
      awaitEnd(tracing);
    }
  }

  /** All that it printed and logged, over all its starts. */
  String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String lastWords() {
    List<String> lines = log().lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
  }

  @Override
  public void close() {
    kill9();
  }
}
