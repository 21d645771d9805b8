package io.stele.server;

import io.stele.cli.CommandProvider;
import java.util.concurrent.Callable;

/** Adds {@code stele server} to the command line. */
public final class ServerCommandProvider implements CommandProvider {
  @Override
  public Callable<Integer> command() {
    return new ServerCommand();
  }
}
