package io.stele.bench;

import io.stele.base.text.JsonReader;
import io.stele.bench.report.JsonRow;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/**
 * What a benchmark's command printed, and the results that it wrote. Its data were in {@code data}
 * of a temporary directory.
 */
public record CommandRun(int exitCode, String out, String err, Path json) {

  /** Runs a command with options for its directory and its results, and more. */
  public static CommandRun of(Benchmark<?> command, Path temp, String... more) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Path json = temp.resolve("results.json");
    List<String> arguments = new ArrayList<>();
    arguments.add("--dir=" + temp.resolve("data"));
    arguments.add("--json=" + json);
    arguments.addAll(List.of(more));
    int exitCode =
        new CommandLine(command)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .setOverwrittenOptionsAllowed(true)
            .execute(arguments.toArray(String[]::new));
    return new CommandRun(exitCode, out.toString(), err.toString(), json);
  }

  public List<JsonRow> results() throws IOException {
    return JsonRow.rows(JsonReader.read(Files.readString(json)));
  }

  public List<String> names() throws IOException {
    return results().stream().map(JsonRow::name).toList();
  }

  /** The lines of progress of a case. */
  public List<String> progress(String name) {
    return err.lines().filter(line -> line.contains(" " + name + " ")).toList();
  }

  /** All that it printed, for the message of a failed test. */
  public String said() {
    return out + err;
  }
}
