package io.stele.cli.manual;

import io.stele.cli.ExitCode;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stele completion}. */
@Command(
    name = "completion",
    description = {
      "Print a script by which a shell completes commands and options of stele.",
      "",
      "Packages of Stele install it; with a source tree or an archive, add the line below to the"
          + " shell's settings."
    },
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  source <(stele completion bash)        # in ~/.bashrc",
      "  source <(stele completion zsh)         # in ~/.zshrc",
      "  stele completion fish | source         # in ~/.config/fish/config.fish"
    })
final class CompletionCommand implements Callable<Integer> {
  /** The shells that it knows. */
  enum Shell {
    bash,
    zsh,
    fish
  }

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}.")
  private Shell shell = Shell.bash;

  @Override
  public Integer call() {
    CommandLine all = AllCommands.load(spec);
    String script =
        switch (shell) {
          case bash -> bash(all);
          // Picocli's script for bash takes care of zsh, but for how zsh loads a file of its own.
          case zsh -> "#compdef stele\n" + bash(all);
          case fish -> FishCompletion.of(all.getCommandSpec());
        };
    spec.commandLine().getOut().print(script);
    spec.commandLine().getOut().flush();
    return ExitCode.OK;
  }

  private static String bash(CommandLine all) {
    return AutoComplete.bash("stele", all);
  }
}
