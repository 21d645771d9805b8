package io.stele.cli.shell;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal;

/** Reads commands from somebody at a terminal, who edits, recalls and completes them. */
final class TerminalLoop {
  private final ShellSession session;
  private final Terminal terminal;
  private final LineReader reader;

  TerminalLoop(ShellSession session, Terminal terminal, Path history) throws IOException {
    this.session = session;
    this.terminal = terminal;
    Path folder = history.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    this.reader =
        LineReaderBuilder.builder()
            .terminal(terminal)
            .appName("stele")
            .parser(new ShellParser())
            .completer(new ShellCompleter(session))
            .variable(LineReader.HISTORY_FILE, history)
            .variable(LineReader.SECONDARY_PROMPT_PATTERN, "... ")
            .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true) // a ! is a character
            .option(LineReader.Option.HISTORY_IGNORE_DUPS, true)
            .build();
  }

  /** Asks within a command. */
  String ask(String question) {
    return reader.readLine(question);
  }

  /** Until the user ends it; errors of commands do not. */
  void run() {
    Thread self = Thread.currentThread();
    while (!session.ended()) {
      String line;
      try {
        line = reader.readLine(session.prompt());
      } catch (UserInterruptException e) {
        continue; // what was typed is dropped
      } catch (EndOfFileException e) {
        return;
      }
      // An interrupt while a command runs ends the command and not the shell.
      Terminal.SignalHandler before = terminal.handle(Terminal.Signal.INT, _ -> self.interrupt());
      try {
        session.run(ShellWords.of(line).words());
      } finally {
        terminal.handle(Terminal.Signal.INT, before);
        Thread.interrupted();
      }
    }
  }
}
