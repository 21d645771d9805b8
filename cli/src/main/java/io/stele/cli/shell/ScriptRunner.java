package io.stele.cli.shell;

import io.stele.cli.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;

/** Runs the commands of a script, and stops at the first that fails unless told to keep going. */
final class ScriptRunner {
  private final ShellSession session;
  private final PrintWriter err;
  private final boolean keepGoing;

  ScriptRunner(ShellSession session, PrintWriter err, boolean keepGoing) {
    this.session = session;
    this.err = err;
    this.keepGoing = keepGoing;
  }

  /** Answers the exit code of the first command that failed. */
  int run(BufferedReader script) throws IOException {
    int failure = ExitCode.OK;
    int number = 0;
    StringBuilder command = new StringBuilder();
    int start = 1;
    for (String line = script.readLine(); line != null; line = script.readLine()) {
      number++;
      start = command.isEmpty() ? number : start;
      command.append(command.isEmpty() ? "" : "\n").append(line);
      ShellWords words = ShellWords.of(command.toString());
      if (!words.complete()) {
        continue;
      }
      command.setLength(0);
      int code = session.run(words.words());
      if (code != ExitCode.OK) {
        failed(start, code);
        failure = failure == ExitCode.OK ? code : failure;
        if (!keepGoing) {
          return code;
        }
      }
      if (session.ended()) {
        return failure;
      }
    }
    if (!command.isEmpty()) {
      err.println("stele shell: line " + start + ": it ends in the middle of a command");
      err.flush();
      return failure == ExitCode.OK ? ExitCode.USAGE : failure;
    }
    return failure;
  }

  private void failed(int line, int code) {
    err.printf(
        "stele shell: line %d ended with %d%s%n",
        line, code, keepGoing ? "" : "; what follows it was not run");
    err.flush();
  }
}
