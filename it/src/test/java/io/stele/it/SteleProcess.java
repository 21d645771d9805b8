package io.stele.it;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A server as a process of its own, with a directory that outlives it: it can be killed and started
 * again, and paused. What it prints and logs is appended to one file. Closing it kills the process
 * if it still runs.
 */
public final class SteleProcess implements AutoCloseable {
  private static final Path ROOT = Path.of(System.getProperty("stele.root", ".")).toAbsolutePath();
  private static final Duration DEADLINE = Duration.ofSeconds(90);
  private static final int LAST_WORDS = 15; // lines

  /** A server of a test lives for seconds: better machinery costs it more than it brings. */
  public static final String SHORT_LIFE =
      "-XX:-UseParallelGC -XX:+UseSerialGC -XX:TieredStopAtLevel=1";

  private final Path data;
  private final Path log;
  private final List<String> command;
  private final String javaOptions;
  private @Nullable Process process;
  private boolean paused;

  /**
   * Not started yet.
   *
   * @param data the directory in which it writes its addresses
   * @param javaOptions for the launcher, behind those of every server
   */
  public SteleProcess(Path data, Path log, String javaOptions, List<String> command) {
    this.data = data;
    this.log = log;
    this.javaOptions = javaOptions;
    this.command = List.copyOf(command);
  }

  /** The launcher of the source tree. */
  public static String launcher() {
    return ROOT.resolve("stele").toString();
  }

  /** Where a test may leave what people want to see when it fails. */
  public static Path target() {
    return ROOT.resolve("it/target");
  }

  public Path data() {
    return data;
  }

  public Path addresses() {
    return data.resolve("addresses.json");
  }

  // ---- its start

  /** Starts it without waiting. */
  public synchronized void launch() {
    if (isRunning()) {
      throw new IllegalStateException("the server of " + data + " runs already");
    }
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().keySet().removeIf(name -> name.startsWith("STELE_"));
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    builder.environment().put("STELE_BUILD", "never");
    builder.environment().put("STELE_JAVA_OPTS", SHORT_LIFE + " " + javaOptions);
    if (process != null) {
      forgetAddresses();
    }
    try {
      process = builder.start();
      process.getOutputStream().close();
      paused = false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** They are there still after a process that was killed. */
  private void forgetAddresses() {
    try {
      Files.deleteIfExists(addresses());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until it serves; fails if it ends instead. */
  public void awaitReady() {
    try {
      await("addresses.json of a server that is ready")
          .atMost(DEADLINE)
          .pollInterval(Duration.ofMillis(20))
          .until(() -> Files.exists(addresses()) || !isRunning());
    } catch (ConditionTimeoutException e) {
      throw new AssertionError("the server is not ready; see " + log + ":\n" + lastWords(), e);
    }
    if (!isRunning()) {
      throw new AssertionError("the server ended at once; see " + log + ":\n" + lastWords());
    }
  }

  /** Starts it and waits until it serves. */
  public void start() {
    forgetAddresses();
    launch();
    awaitReady();
  }

  /** The address of its native interface. */
  public String address() {
    return address("native");
  }

  /** The address of one of its interfaces, such as {@code datasets}. */
  public String address(String of) {
    return address(addresses(), of);
  }

  /** Likewise, from the file that a server has written. */
  public static String address(Path addresses, String of) {
    try {
      String text = Files.readString(addresses);
      Matcher matcher = Pattern.compile("\"" + of + "\": \"([^\"]+)\"").matcher(text);
      if (!matcher.find()) {
        throw new AssertionError("no address '" + of + "' in " + text);
      }
      return matcher.group(1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // ---- its life

  public synchronized boolean isRunning() {
    return process != null && process.isAlive();
  }

  public synchronized boolean isPaused() {
    return paused;
  }

  public synchronized long pid() {
    return started().pid();
  }

  private synchronized Process started() {
    if (process == null) {
      throw new IllegalStateException("the server of " + data + " was never started");
    }
    return process;
  }

  /** Freezes it (SIGSTOP). */
  public synchronized void pause() {
    signal("STOP");
    paused = true;
  }

  /** Lets it go on (SIGCONT). */
  public synchronized void resume() {
    signal("CONT");
    paused = false;
  }

  private void signal(String name) {
    Programs.run("kill", "-" + name, Long.toString(pid()));
  }

  /** All that it printed and logged, over all its starts. */
  public String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String lastWords() {
    List<String> lines = log().lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_WORDS), lines.size()));
  }

  // ---- its end

  /** Ends it as a crash would (SIGKILL). */
  public void kill9() {
    synchronized (this) {
      if (process == null) {
        return;
      }
      process.destroyForcibly();
      paused = false;
    }
    var _ = exitCode();
  }

  /** Tells it to stop (SIGTERM) and waits until it has. */
  public int stop() {
    started().destroy();
    return exitCode();
  }

  /** Waits for its end. */
  public int exitCode() {
    Process ending = started();
    try {
      if (!ending.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("the server does not end; see " + log + ":\n" + lastWords());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
    return ending.exitValue();
  }

  @Override
  public void close() {
    kill9();
  }
}
