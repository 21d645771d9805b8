package io.stele.it;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Short programs of the operating system. */
public final class Programs {
  private static final long DEADLINE_SECONDS = 30;

  private Programs() {}

  /** Whether there is a program of this name. */
  public static boolean exists(String name) {
    for (String folder : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
      if (!folder.isEmpty() && Files.isExecutable(Path.of(folder, name))) {
        return true;
      }
    }
    return Files.isExecutable(Path.of("/usr/sbin", name));
  }

  public static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  /** Runs it to its end, which must be a success. */
  public static void run(String... command) {
    Result result = attempt(command);
    if (result.exitCode != 0) {
      throw new AssertionError(
          String.join(" ", command)
              + " ended with exit code "
              + result.exitCode
              + ": "
              + result.said);
    }
  }

  /** What came of a program. */
  public record Result(int exitCode, String said) {}

  public static Result attempt(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(List.of(command) + " still runs after " + DEADLINE_SECONDS + " s");
      }
      return new Result(process.exitValue(), said.strip());
    } catch (IOException e) {
      return new Result(-1, e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(List.of(command) + " was not waited for", e);
    }
  }
}
