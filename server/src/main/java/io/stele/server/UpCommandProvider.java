package io.stele.server;

import io.stele.cli.CommandProvider;
import java.util.concurrent.Callable;

/** Adds {@code stele up} to the command line. */
public final class UpCommandProvider implements CommandProvider {
  @Override
  public Callable<Integer> command() {
    return new UpCommand();
  }
}
