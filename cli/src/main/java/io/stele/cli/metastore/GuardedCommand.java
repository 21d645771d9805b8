package io.stele.cli.metastore;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A program that runs while something is held on its behalf: a lock, a session. It has this
 * process's standard input and output. If what is held is lost, it is told to end (SIGTERM), and
 * ended (SIGKILL) if it has not within the grace.
 */
final class GuardedCommand implements AutoCloseable {

  static final Duration GRACE = Duration.ofSeconds(5);

  private final String name;
  private final Process process;
  private final Duration grace;

  private GuardedCommand(String name, Process process, Duration grace) {
    this.name = name;
    this.process = process;
    this.grace = grace;
  }

  static GuardedCommand start(
      List<String> command, Map<String, String> environment, Duration grace) {
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    builder.environment().putAll(environment);
    try {
      return new GuardedCommand(command.getFirst(), builder.start(), grace);
    } catch (IOException e) {
      throw new InvalidRequestException(
          "cannot run '" + command.getFirst() + "': " + e.getMessage(), e);
    }
  }

  /**
   * Waits for the program's end.
   *
   * @param lost completes when what is held is lost
   * @return its exit code
   * @throws UnavailableException if it was told to end, since what was held was lost
   */
  int await(CompletableFuture<?> lost) throws InterruptedException {
    CompletableFuture.anyOf(lost.handle((_, _) -> true), process.onExit()).join();
    if (!process.isAlive()) {
      return process.exitValue();
    }
    close();
    throw new UnavailableException(
        "the session was lost while '" + name + "' ran, which was told to end");
  }

  /** Tells the program to end, if it still runs, and sees to it that it does. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(grace.toNanos(), TimeUnit.NANOSECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
