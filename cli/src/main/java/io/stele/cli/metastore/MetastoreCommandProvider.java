package io.stele.cli.metastore;

import io.stele.cli.CommandProvider;
import java.util.concurrent.Callable;

/** Adds {@code stele metastore} to the command line. */
public final class MetastoreCommandProvider implements CommandProvider {
  @Override
  public Callable<Integer> command() {
    return new MetastoreCommand();
  }

  @Override
  public String name() {
    return "metastore";
  }
}
