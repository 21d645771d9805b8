package io.stele.it;

import io.stele.base.process.ServerProcess;
import io.stele.cli.Main;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * The command line within this process: many commands in the time that one process takes to start.
 *
 * @param endpoints of the servers that are asked
 * @param options of all commands, such as those of TLS
 */
record Commands(String endpoints, List<String> options) {
  Commands(String endpoints) {
    this(endpoints, List.of());
  }

  /** What came of a command. */
  record Result(int exitCode, String out, String err) {

    /** The output of a command that must have succeeded, without the newline at its end. */
    String answer() {
      if (exitCode != 0) {
        throw new AssertionError("exit code " + exitCode + ": " + err);
      }
      return out.strip();
    }
  }

  /** Of one server. */
  static Commands of(ServerProcess server) {
    return new Commands(server.address());
  }

  /** {@code stele …}, for commands that run no other program. */
  Result stele(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--endpoints", endpoints));
    all.addAll(options);
    return run(all.toArray(String[]::new));
  }

  /** {@code stele metastore …} */
  Result metastore(String... arguments) {
    List<String> all = new ArrayList<>(List.of("metastore"));
    all.addAll(List.of(arguments));
    int program = all.indexOf("--"); // what follows it is another program's
    all.addAll(program < 0 ? all.size() : program, List.of("--endpoints", endpoints));
    return run(all.toArray(String[]::new));
  }

  /** Any command, without endpoints. */
  static Result run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode = Main.run(new PrintWriter(out), new PrintWriter(err), arguments);
    return new Result(exitCode, out.toString(), err.toString());
  }
}
