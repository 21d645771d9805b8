package io.stele.cli.shell;

import io.stele.base.error.InvalidRequestException;
import io.stele.cli.CommandEnvironment;
import io.stele.cli.CommandEnvironment.Prompt;
import io.stele.cli.CommandProvider;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.Connector;
import io.stele.cli.ExitCode;
import io.stele.cli.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicReference;
import org.jline.reader.EndOfFileException;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** {@code stele shell}. */
@Command(
    name = "shell",
    description = {
      "Type commands, with completion and a history, over one connection.",
      "",
      "Where nobody is at a terminal the commands are read from standard input; the first that"
          + " fails ends the shell with its exit code."
    },
    footer = {
      "  stele shell",
      "  stele shell --data ./stele-data",
      "  stele shell < commands.txt",
      "  echo \"scan users \\\"row ~= 'a'\\\"\" | stele shell --output json"
    })
final class ShellCommand extends ConnectedCommand {
  @Option(
      names = "--keep-going",
      description = "Run the rest of a script when a command fails; ends with the first failure.")
  private boolean keepGoing;

  @Option(
      names = "--history",
      paramLabel = "FILE",
      description = "Where typed commands are remembered (default: ~/.stele/history).")
  private @Nullable Path history;

  private final Iterable<CommandProvider> providers;

  ShellCommand() {
    this(ServiceLoader.load(CommandProvider.class));
  }

  ShellCommand(Iterable<CommandProvider> providers) {
    this.providers = providers;
  }

  @Override
  protected int run(Connection connection) throws IOException {
    return environment().interactive() ? typed(connection) : script(connection);
  }

  private int script(Connection connection) throws IOException {
    InputStream input =
        environment()
            .input()
            .orElseThrow(() -> new InvalidRequestException("a shell within a shell"));
    ShellSession session = session(connection, Prompt.NOBODY, false);
    BufferedReader lines = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
    return new ScriptRunner(session, err(), keepGoing).run(lines);
  }

  private int typed(Connection connection) throws IOException {
    Path file =
        history != null ? history : Path.of(System.getProperty("user.home"), ".stele", "history");
    // The provider that runs stty needs no native library, which Java warns about.
    try (Terminal terminal =
        TerminalBuilder.builder()
            .name("stele")
            .system(true)
            .exec(true)
            .jni(false)
            .jansi(false)
            .jna(false)
            .ffm(false)
            .build()) {
      AtomicReference<@Nullable TerminalLoop> loop = new AtomicReference<>();
      ShellSession session = session(connection, question -> ask(loop.get(), question), true);
      TerminalLoop terminalLoop = new TerminalLoop(session, terminal, file);
      loop.set(terminalLoop);
      out().println("`help` tells what to type, Tab completes, and `exit` ends it.");
      out().flush();
      terminalLoop.run();
    }
    return ExitCode.OK;
  }

  private static Optional<String> ask(@Nullable TerminalLoop loop, String question) {
    try {
      return loop == null ? Optional.empty() : Optional.of(loop.ask(question));
    } catch (UserInterruptException | EndOfFileException e) {
      return Optional.of(""); // which is no yes
    }
  }

  private ShellSession session(Connection connection, Prompt prompt, boolean interactive) {
    Connector connector = new SharedConnector(connection, request(), environment().connector());
    CommandEnvironment inside =
        new CommandEnvironment(connector, Optional.empty(), prompt, interactive);
    List<CommandProvider> kept = ofShell();
    Map<Class<?>, CommandProvider> byClass = new HashMap<>();
    kept.forEach(provider -> byClass.put(provider.command().getClass(), provider));
    return new ShellSession(
        commandLine(kept, inside),
        command -> commandLine(providerOf(command, byClass), inside),
        connection);
  }

  private CommandLine commandLine(List<CommandProvider> kept, CommandEnvironment inside) {
    CommandLine commands = Main.commandLine(kept, inside);
    commands.setOut(out()).setErr(err());
    if (wantsJson()) {
      commands.setDefaultValueProvider(
          argument ->
              argument instanceof OptionSpec option && option.longestName().equals("--output")
                  ? "json"
                  : null);
    }
    return commands;
  }

  /** Who makes commands of this class; the root's own, help and version, need nobody. */
  private static List<CommandProvider> providerOf(
      CommandLine command, Map<Class<?>, CommandProvider> byClass) {
    return Optional.ofNullable(byClass.get(command.getCommand().getClass())).stream().toList();
  }

  /** This module's commands: servers and benchmarks have processes of their own. */
  private List<CommandProvider> ofShell() {
    List<CommandProvider> kept = new ArrayList<>();
    for (CommandProvider provider : providers) {
      if (provider.getClass().getName().startsWith("io.stele.cli.")
          && !(provider instanceof ShellCommandProvider)) {
        kept.add(provider);
      }
    }
    return kept;
  }
}
