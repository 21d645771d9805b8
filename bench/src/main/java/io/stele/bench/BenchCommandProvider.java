package io.stele.bench;

import io.stele.cli.CommandProvider;
import java.util.concurrent.Callable;

/** Adds {@code stele bench} to the command line. */
public final class BenchCommandProvider implements CommandProvider {
  @Override
  public Callable<Integer> command() {
    return new BenchCommand();
  }
}
