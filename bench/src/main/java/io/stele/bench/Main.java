package io.stele.bench;

import io.stele.cli.CommandEnvironment;
import java.util.List;

/**
 * The main class behind {@code stele bench}, which the launcher runs with a class path of its own.
 */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    System.exit(
        io.stele.cli.Main.commandLine(List.of(BenchCommand::new), CommandEnvironment.ofProcess())
            .execute(arguments));
  }
}
