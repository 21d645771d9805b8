package io.stele.cli.cluster;

import io.stele.cli.CommandProvider;
import java.util.concurrent.Callable;

/** Adds {@code stele cluster} to the command line. */
public final class ClusterCommandProvider implements CommandProvider {
  @Override
  public Callable<Integer> command() {
    return new ClusterCommand();
  }

  @Override
  public String name() {
    return "cluster";
  }
}
