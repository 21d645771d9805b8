package io.stele.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/**
 * Lists {@code stele bench}, which does not ship: the launcher builds and runs it from the source
 * tree, and never gets here.
 */
public final class BenchCommandProvider implements CommandProvider {
  @Override
  public Callable<Integer> command() {
    return new BenchCommand();
  }

  @Override
  public String name() {
    return "bench";
  }

  @Command(
      name = "bench",
      description =
          "Measure Stele beside its peers; needs the source tree, and builds on first use.")
  private static final class BenchCommand implements Callable<Integer> {
    @Unmatched private List<String> arguments = new ArrayList<>();

    @Override
    public Integer call() {
      throw new IllegalStateException(
          "'bench %s' needs the source tree of Stele: run ./stele of a checkout."
              .formatted(String.join(" ", arguments)));
    }
  }
}
