package io.stele.cli.manual;

import io.stele.cli.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code stele manual}. */
@Command(
    name = "manual",
    description = "Print the manual page of all commands, as man(1) reads it.",
    optionListHeading = "%nOptions:%n",
    footerHeading = "%nExamples:%n",
    footer = "  stele manual | man -l -")
final class ManualCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    CommandSpec root = AllCommands.load(spec).getCommandSpec();
    spec.commandLine().getOut().print(ManualPage.of(root));
    spec.commandLine().getOut().flush();
    return ExitCode.OK;
  }
}
