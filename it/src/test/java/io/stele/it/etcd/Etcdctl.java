package io.stele.it.etcd;

import io.stele.base.process.ChildProcess;
import io.stele.testkit.process.Program;
import io.stele.testkit.run.Needs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** etcdctl as it is installed, for some endpoints. */
final class Etcdctl {
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

  /** For a test that runs it. */
  static void require() {
    Needs.program("etcdctl", "etcd-client");
  }

  private List<String> command() {
    List<String> command =
        new ArrayList<>(List.of("etcdctl", "--command-timeout=40s", "--endpoints", endpoints));
    command.addAll(options);
    return command;
  }

  private static void set(Map<String, String> environment) {
    environment.keySet().removeIf(name -> name.startsWith("ETCDCTL_"));
    environment.put("ETCDCTL_API", "3");
  }

  /** What it prints, without its log. */
  String run(String... arguments) {
    return runWith("", arguments);
  }

  String runWith(String input, String... arguments) {
    Program.Result result =
        new Program(command(), Path.of("").toAbsolutePath(), Etcdctl::set)
            .runWith(input, arguments);
    return (result.out() + result.err())
        .lines()
        .filter(line -> !line.startsWith("{\"level\""))
        .reduce((one, other) -> one + "\n" + other)
        .orElse("");
  }

  /** Starts one that goes on; what it prints, but for its log, goes to a file. */
  ChildProcess begin(Path output, String... arguments) {
    List<String> command = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" 2>/dev/null", "sh"));
    command.addAll(command());
    command.addAll(List.of(arguments));
    ChildProcess process =
        new ChildProcess("etcdctl", command, Etcdctl::set, output, Duration.ZERO);
    process.launch();
    return process;
  }
}
