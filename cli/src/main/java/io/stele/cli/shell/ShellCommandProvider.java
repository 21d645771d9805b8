package io.stele.cli.shell;

import io.stele.cli.CommandProvider;
import java.util.concurrent.Callable;

/** Adds {@code stele shell} to the command line. */
public final class ShellCommandProvider implements CommandProvider {
  @Override
  public Callable<Integer> command() {
    return new ShellCommand();
  }

  @Override
  public String name() {
    return "shell";
  }
}
