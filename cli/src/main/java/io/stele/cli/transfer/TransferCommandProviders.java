package io.stele.cli.transfer;

import io.stele.cli.CommandProvider;
import java.util.concurrent.Callable;

/** Adds {@code stele load} and {@code stele export} to the command line. */
public final class TransferCommandProviders {
  private TransferCommandProviders() {}

  /** {@code stele load}. */
  public static final class Load implements CommandProvider {
    @Override
    public Callable<Integer> command() {
      return new LoadCommand();
    }

    @Override
    public String name() {
      return "load";
    }
  }

  /** {@code stele export}. */
  public static final class Export implements CommandProvider {
    @Override
    public Callable<Integer> command() {
      return new ExportCommand();
    }

    @Override
    public String name() {
      return "export";
    }
  }
}
