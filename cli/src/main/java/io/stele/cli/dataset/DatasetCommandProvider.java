package io.stele.cli.dataset;

import io.stele.cli.CommandProvider;
import java.util.concurrent.Callable;

/** Adds {@code stele dataset} to the command line. */
public final class DatasetCommandProvider implements CommandProvider {
  @Override
  public Callable<Integer> command() {
    return new DatasetCommand();
  }

  @Override
  public String name() {
    return "dataset";
  }
}
