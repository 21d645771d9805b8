package io.stele.server.cluster;

import io.stele.cli.CommandProvider;
import java.util.concurrent.Callable;

/** Adds {@code stele meta rebuild} to the command line. */
public final class RebuildCommandProvider implements CommandProvider {
  @Override
  public Callable<Integer> command() {
    return new RebuildCommand();
  }

  @Override
  public String name() {
    return "rebuild";
  }

  @Override
  public String parent() {
    return "meta";
  }
}
