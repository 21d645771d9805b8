package io.stele.testkit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A program that is run to its end.
 *
 * @param command to which arguments are appended
 * @param folder in which it starts
 * @param environment changes the variables, which are at first those of this process
 */
public record Program(
    List<String> command, Path folder, Consumer<Map<String, String>> environment) {
  private static final long DEADLINE_SECONDS = 120;

  /** What came of a run; an exit code of -1 if there is no such program. */
  public record Result(int exitCode, String out, String err) {
    public String said() {
      return (out + err).strip();
    }
  }

  public Program {
    command = List.copyOf(command);
  }

  /** In the folder and with the variables of this process. */
  public static Program of(String... command) {
    return new Program(List.of(command), Path.of("").toAbsolutePath(), variables -> {});
  }

  /** Runs a command that must succeed; returns all that it printed. */
  public static String succeed(String... command) {
    Result result = of(command).run();
    if (result.exitCode != 0) {
      throw new AssertionError(
          "%s ended with exit code %d: %s"
              .formatted(String.join(" ", command), result.exitCode, result.said()));
    }
    return result.said();
  }

  public Result run(String... arguments) {
    return runWith("", arguments);
  }

  /** Likewise, with a text as its input. */
  public Result runWith(String input, String... arguments) {
    List<String> all = Stream.concat(command.stream(), Stream.of(arguments)).toList();
    try {
      Path files = Files.createTempDirectory("program");
      Path in = Files.writeString(files.resolve("in"), input);
      Path out = files.resolve("out");
      Path err = files.resolve("err");
      try {
        ProcessBuilder builder =
            new ProcessBuilder(all)
                .directory(folder.toFile())
                .redirectInput(in.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        environment.accept(builder.environment());
        Process process = start(builder);
        if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
          process.destroyForcibly();
          throw new AssertionError(all + " still runs after " + DEADLINE_SECONDS + " s");
        }
        return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
      } catch (NotFound e) {
        return new Result(-1, "", String.valueOf(e.getMessage()));
      } finally {
        for (Path file : List.of(in, out, err, files)) {
          Files.deleteIfExists(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while " + all + " ran", e);
    }
  }

  private static Process start(ProcessBuilder builder) throws NotFound {
    try {
      return builder.start();
    } catch (IOException e) {
      throw new NotFound(e);
    }
  }

  private static final class NotFound extends Exception {
    private static final long serialVersionUID = 1L;

    NotFound(IOException cause) {
      super(cause.getMessage(), cause);
    }
  }
}
