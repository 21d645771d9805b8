package io.stele.it.etcd;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** etcdctl as it is installed, for some endpoints. */
final class Etcdctl {
  private static final long DEADLINE_SECONDS = 60;

  private final String endpoints;
  private final List<String> options;

  Etcdctl(String endpoints, String... options) {
    this(endpoints, List.of(options));
  }

  private Etcdctl(String endpoints, List<String> options) {
    this.endpoints = endpoints;
    this.options = List.copyOf(options);
  }

  /** The same on somebody's behalf. */
  Etcdctl as(String user) {
    List<String> more = new ArrayList<>(options);
    more.addAll(List.of("--user", user));
    return new Etcdctl(endpoints, more);
  }

  private ProcessBuilder program(String... arguments) {
    List<String> command =
        new ArrayList<>(List.of("etcdctl", "--command-timeout=40s", "--endpoints", endpoints));
    command.addAll(options);
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(name -> name.startsWith("ETCDCTL_"));
    builder.environment().put("ETCDCTL_API", "3");
    return builder;
  }

  /** What it prints, without its log. */
  String run(String... arguments) throws Exception {
    return runWith("", arguments);
  }

  String runWith(String input, String... arguments) throws Exception {
    Process process = program(arguments).redirectErrorStream(true).start();
    try (OutputStream in = process.getOutputStream()) {
      in.write(input.getBytes(StandardCharsets.UTF_8));
    }
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(List.of(arguments) + " does not end");
    }
    return said.lines()
        .filter(line -> !line.startsWith("{\"level\""))
        .reduce((one, other) -> one + "\n" + other)
        .orElse("");
  }

  /** Starts one that goes on; what it prints goes to a file. */
  Process begin(Path output, String... arguments) throws IOException {
    Process process =
        program(arguments)
            .redirectOutput(output.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    process.getOutputStream().close();
    return process;
  }
}
