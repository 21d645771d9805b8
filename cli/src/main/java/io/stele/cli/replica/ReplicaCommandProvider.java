package io.stele.cli.replica;

import io.stele.cli.CommandProvider;
import java.util.concurrent.Callable;

/** Adds {@code stele replica} to the command line. */
public final class ReplicaCommandProvider implements CommandProvider {
  @Override
  public Callable<Integer> command() {
    return new ReplicaCommand();
  }

  @Override
  public String name() {
    return "replica";
  }
}
