package io.stele.server.cluster;

import io.stele.cli.CommandProvider;
import java.util.concurrent.Callable;

/** Adds {@code stele meta salvage} to the command line. */
public final class SalvageCommandProvider implements CommandProvider {
  @Override
  public Callable<Integer> command() {
    return new SalvageCommand();
  }

  @Override
  public String name() {
    return "salvage";
  }

  @Override
  public String parent() {
    return "meta";
  }
}
