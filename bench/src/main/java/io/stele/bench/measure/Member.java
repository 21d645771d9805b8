package io.stele.bench.measure;

import io.stele.base.error.UnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A server as a process of its own, which can be stopped and started again with the same data.
 *
 * <p>What it prints goes into a file beside its data, of which an error quotes the end. It never
 * outlives this process, unless that is killed the hard way.
 */
public final class Member implements AutoCloseable {
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(20);
  private static final int QUOTED_LINES = 8;

  private final String name;
  private final String address;
  private final List<String> command;
  private final Path log;
  private @Nullable Process process;
  private @Nullable Thread hook;

  /**
   * A member that does not run yet.
   *
   * @param address host and port at which it will serve clients
   */
  public Member(String name, String address, List<String> command, Path log) {
    this.name = name;
    this.address = address;
    this.command = List.copyOf(command);
    this.log = log;
  }

  public String address() {
    return address;
  }

  public void start() throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    Process started = builder.start();
    Thread kill = new Thread(started::destroyForcibly, "bench-member-" + name);
    Runtime.getRuntime().addShutdownHook(kill);
    process = started;
    hook = kill;
  }

  public ProcessHandle handle() {
    return running().toHandle();
  }

  /**
   * Checks that it runs.
   *
   * @throws UnavailableException that quotes its last words if it has ended by itself
   */
  public void checkAlive() {
    Process current = running();
    if (!current.isAlive()) {
      throw new UnavailableException(
          "%s ended with exit code %d; the end of what it said:%n%s"
              .formatted(name, current.exitValue(), lastWords()));
    }
  }

  /** The end of what it printed. */
  public String lastWords() {
    try {
      List<String> lines = Files.readAllLines(log);
      return lines.subList(Math.max(0, lines.size() - QUOTED_LINES), lines.size()).stream()
          .map("  "::concat)
          .collect(Collectors.joining(System.lineSeparator()));
    } catch (IOException e) {
      return "  (its log cannot be read: " + e.getMessage() + ")";
    }
  }

  /** Asks it to end, and waits; one that does not is killed. */
  public void stop() throws InterruptedException {
    Process current = process;
    if (current == null) {
      return;
    }
    current.destroy();
    if (!current.waitFor(STOP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      current.destroyForcibly().waitFor();
    }
    forget();
  }

  /** Ends it at once, as a crash would. */
  public void kill() throws InterruptedException {
    running().destroyForcibly().waitFor();
    forget();
  }

  /** Likewise, if it runs: for one whose data is not needed any more. */
  public void killIfRunning() throws InterruptedException {
    if (process != null) {
      kill();
    }
  }

  /** Waits until it has ended by itself; returns false if it has not within a time. */
  public boolean awaitEnd(Duration patience) throws InterruptedException {
    if (!running().waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
      return false;
    }
    forget();
    return true;
  }

  private void forget() {
    process = null;
    try {
      if (hook != null) {
        Runtime.getRuntime().removeShutdownHook(hook);
      }
    } catch (IllegalStateException e) {
      // This process is ending, and the hook has run or finds nothing to do.
    }
  }

  @Override
  public void close() throws InterruptedException {
    stop();
  }

  private Process running() {
    Process current = process;
    if (current == null) {
      throw new IllegalStateException(name + " was not started");
    }
    return current;
  }
}
