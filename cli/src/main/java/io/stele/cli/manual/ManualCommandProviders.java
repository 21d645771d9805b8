package io.stele.cli.manual;

import io.stele.cli.CommandProvider;
import java.util.concurrent.Callable;

/** Adds {@code stele completion} and {@code stele manual} to the command line. */
public final class ManualCommandProviders {
  private ManualCommandProviders() {}

  /** {@code stele completion}. */
  public static final class Completion implements CommandProvider {
    @Override
    public Callable<Integer> command() {
      return new CompletionCommand();
    }

    @Override
    public String name() {
      return "completion";
    }
  }

  /** {@code stele manual}. */
  public static final class Manual implements CommandProvider {
    @Override
    public Callable<Integer> command() {
      return new ManualCommand();
    }

    @Override
    public String name() {
      return "manual";
    }
  }
}
