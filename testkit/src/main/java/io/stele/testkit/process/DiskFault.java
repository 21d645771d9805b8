package io.stele.testkit.process;

import io.stele.base.process.ChildProcess;
import io.stele.testkit.run.Needs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * A disk that is slow or broken for one process, until this is closed. {@code strace} changes what
 * the process gets when it syncs a file.
 */
public final class DiskFault implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final ChildProcess tracer;

  private DiskFault(ChildProcess victim, String injection) {
    this.tracer =
        new ChildProcess(
            "strace of " + victim.name(),
            List.of(
                "strace",
                "-f",
                "-p",
                Long.toString(victim.pid()),
                "-e",
                "trace=fsync,fdatasync",
                "-e",
                "inject=fsync,fdatasync:" + injection,
                "-o",
                "/dev/null"),
            victim.logFile().resolveSibling(victim.logFile().getFileName() + ".strace"));
    tracer.launch();
    // It attaches to one thread after the other.
    tracer.awaitReady(() -> allTraced(victim.pid()), PATIENCE);
  }

  /** From now on each sync takes this much longer. */
  public static DiskFault slow(ChildProcess victim, Duration delay) {
    return new DiskFault(victim, "delay_enter=" + delay.toNanos() / 1000);
  }

  /** From now on syncs fail. */
  public static DiskFault failing(ChildProcess victim) {
    return new DiskFault(victim, "error=EIO");
  }

  /** For a test that injects one. */
  public static void require() {
    Needs.program("strace", "strace");
    Needs.root("tracing a process");
  }

  private static boolean allTraced(long pid) {
    try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
      for (Path thread : threads.toList()) {
        if (Files.readString(thread.resolve("status")).contains("TracerPid:\t0\n")) {
          return false;
        }
      }
      return true;
    } catch (NoSuchFileException threadEnded) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    tracer.stop(PATIENCE); // it detaches first
  }
}
