package io.stele.base.process;

import io.stele.base.error.UnavailableException;
import io.stele.base.time.Clock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A program that this process starts, watches, signals and ends. It can be started again after its
 * end. All that it prints is appended to one log file, whose last lines every error quotes.
 *
 * <p>It does not outlive this JVM unless that is killed: a shutdown hook ends all children. May be
 * used by several threads, of which one starts and ends it.
 *
 * <pre>{@code
 * try (var etcd = new ChildProcess("etcd", List.of("etcd", "--name=a"), log)) {
 *   etcd.launch();
 *   etcd.awaitReady(() -> listens(2379), Duration.ofSeconds(30));
 *   etcd.pause();
 * }
 * }</pre>
 */
public class ChildProcess implements AutoCloseable {
  private static final Clock CLOCK = Clock.system();
  private static final Duration POLL = Duration.ofMillis(20);
  private static final Duration SIGNAL_PATIENCE = Duration.ofSeconds(10);
  private static final int QUOTED_LINES = 15;
  private static final int QUOTED_BYTES = 8 << 10;

  /** Those that may run. The hook ends them. */
  private static final Set<ChildProcess> CHILDREN = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(ChildProcess::endAll, "end-child-processes"));
  }

  private final String name;
  private final List<String> command;
  private final Consumer<Map<String, String>> environment;
  private final Path log;
  private final Duration atExit;
  private volatile @Nullable Process process; // the last one that was started
  private volatile boolean paused;

  /** A child with the environment of this process, killed at the end of this JVM. */
  public ChildProcess(String name, List<String> command, Path log) {
    this(name, command, variables -> {}, log, Duration.ZERO);
  }

  /**
   * A child that is not started yet.
   *
   * @param name in messages
   * @param environment changes the variables, which are at first those of this process
   * @param atExit the time to stop that it has at the end of this JVM before it is killed
   */
  public ChildProcess(
      String name,
      List<String> command,
      Consumer<Map<String, String>> environment,
      Path log,
      Duration atExit) {
    this.name = name;
    this.command = List.copyOf(command);
    this.environment = environment;
    this.log = log;
    this.atExit = atExit;
  }

  public final String name() {
    return name;
  }

  public final Path logFile() {
    return log;
  }

  // ---- start

  /** Starts it and returns at once. */
  public void launch() {
    if (isAlive()) {
      throw new IllegalStateException(name + " runs already, as process " + pid());
    }
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    environment.accept(builder.environment());
    try {
      Process started = builder.start();
      process = started;
      paused = false;
      CHILDREN.add(this);
      started.getOutputStream().close();
    } catch (IOException e) {
      throw new UnavailableException("cannot start " + name + ": " + e.getMessage(), e);
    }
  }

  /**
   * Waits until a condition holds.
   *
   * @throws UnavailableException with the last lines of the log if it ends instead, or takes longer
   */
  public final void awaitReady(BooleanSupplier ready, Duration patience) {
    long start = CLOCK.nanos();
    while (!ready.getAsBoolean()) {
      checkAlive();
      if (CLOCK.nanos() - start > patience.toNanos()) {
        throw problem("is not ready after " + patience.toSeconds() + " s");
      }
      var _ = ends(POLL);
    }
    checkAlive(); // what it left behind may be taken for readiness
  }

  // ---- life

  public final boolean isAlive() {
    Process current = process;
    return current != null && current.isAlive();
  }

  /**
   * Checks that it runs.
   *
   * @throws UnavailableException with the last lines of its log if it has ended
   */
  public final void checkAlive() {
    Process current = started();
    if (!current.isAlive()) {
      throw problem("ended with exit code " + current.exitValue());
    }
  }

  public final long pid() {
    return started().pid();
  }

  public final ProcessHandle handle() {
    return started().toHandle();
  }

  /** Completes when the process that was started last has ended. */
  public final CompletableFuture<Integer> exit() {
    return started().onExit().thenApply(Process::exitValue);
  }

  /** Freezes it (SIGSTOP). */
  public final void pause() {
    signal("STOP");
    paused = true;
  }

  /** Lets a paused one go on (SIGCONT). */
  public final void resume() {
    signal("CONT");
    paused = false;
  }

  public final boolean isPaused() {
    return paused;
  }

  /** Sends a signal by its name without SIG. */
  public final void signal(String signal) {
    List<String> kill = List.of("kill", "-" + signal, Long.toString(pid()));
    try {
      Process sender =
          new ProcessBuilder(kill)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!ends(sender, SIGNAL_PATIENCE) || sender.exitValue() != 0) {
        throw problem("took no signal " + signal);
      }
    } catch (IOException e) {
      throw new UnavailableException("cannot run " + String.join(" ", kill) + ": " + e, e);
    }
  }

  // ---- end

  /** Asks it to stop (SIGTERM) and returns at once. A paused one goes on, so that it hears it. */
  public final void terminate() {
    if (isAlive()) {
      started().destroy();
      if (paused) {
        resume();
      }
    }
  }

  /**
   * Waits for its end and returns its exit code.
   *
   * @throws UnavailableException with the last lines of its log if it runs on
   */
  public final int awaitExit(Duration patience) {
    if (!ends(patience)) {
      throw problem("still runs after " + patience.toSeconds() + " s");
    }
    CHILDREN.remove(this);
    return started().exitValue();
  }

  /** Asks it to stop (SIGTERM), waits, and kills it if it takes longer; nothing if it has ended. */
  public final void stop(Duration patience) {
    if (isAlive()) {
      if (!patience.isZero()) {
        terminate();
        var _ = ends(patience);
      }
      kill();
    }
  }

  /** Ends it as a crash would (SIGKILL); nothing if it has ended or was never started. */
  public final void kill() {
    Process current = process;
    if (current != null) {
      var _ = current.destroyForcibly().onExit().join();
      paused = false;
      CHILDREN.remove(this);
    }
  }

  /** Kills it. */
  @Override
  public void close() {
    kill();
  }

  private static void endAll() {
    List<ChildProcess> all = List.copyOf(CHILDREN);
    all.stream().filter(child -> !child.atExit.isZero()).forEach(ChildProcess::terminate);
    all.forEach(child -> child.stop(child.atExit));
  }

  // ---- what it said

  /** All that it printed, over all its starts. */
  public final String log() {
    try {
      return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "(cannot read " + log + ": " + e.getMessage() + ")";
    }
  }

  /** The last lines that it printed. */
  public final String lastLines() {
    try (SeekableByteChannel file = Files.newByteChannel(log)) {
      ByteBuffer end = ByteBuffer.allocate((int) Math.min(file.size(), QUOTED_BYTES));
      file.position(file.size() - end.capacity());
      while (end.hasRemaining() && file.read(end) >= 0) {}
      List<String> lines = StandardCharsets.UTF_8.decode(end.flip()).toString().lines().toList();
      return lines.subList(Math.max(0, lines.size() - QUOTED_LINES), lines.size()).stream()
          .map("  "::concat)
          .collect(Collectors.joining("\n"));
    } catch (IOException e) {
      return "  (cannot read " + log + ": " + e.getMessage() + ")";
    }
  }

  private UnavailableException problem(String what) {
    return new UnavailableException(
        "%s %s; the last lines of its log %s:%n%s".formatted(name, what, log, lastLines()));
  }

  private Process started() {
    Process current = process;
    if (current == null) {
      throw new IllegalStateException(name + " was never started");
    }
    return current;
  }

  private boolean ends(Duration patience) {
    return ends(started(), patience);
  }

  private boolean ends(Process waitedFor, Duration patience) {
    try {
      return waitedFor.waitFor(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted while waiting for " + name, e);
    }
  }
}
