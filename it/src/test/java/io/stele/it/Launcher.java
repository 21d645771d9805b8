package io.stele.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs the {@code stele} launcher as a process and waits for it. The environment is the test's own
 * except for what the launcher reads.
 *
 * @param script the launcher, or a link to it
 * @param folder where the process starts
 * @param environment variables to set
 */
record Launcher(Path script, Path folder, Map<String, String> environment) {

  private static final long DEADLINE_SECONDS = 120;

  /** What came of it. */
  record Result(int exitCode, String out, String err) {}

  Launcher {
    environment = Map.copyOf(environment);
  }

  Result run(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(script.toString()));
    command.addAll(List.of(arguments));
    Path out = Files.createTempFile("stele", ".out");
    Path err = Files.createTempFile("stele", ".err");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectOutput(out.toFile())
              .redirectError(err.toFile());
      List.of("STELE_BUILD", "STELE_JAVA_OPTS", "JAVA_TOOL_OPTIONS")
          .forEach(builder.environment()::remove);
      builder.environment().putAll(environment);
      Process process = builder.start();
      if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(command + " still runs after " + DEADLINE_SECONDS + " s");
      }
      return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }
}
