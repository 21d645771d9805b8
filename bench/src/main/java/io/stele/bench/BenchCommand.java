package io.stele.bench;

import io.stele.bench.cluster.RecoveryCommand;
import io.stele.bench.cluster.ScaleCommand;
import io.stele.bench.dataset.DatasetCommand;
import io.stele.bench.engine.EngineCommand;
import io.stele.bench.metastore.MetastoreCommand;
import io.stele.bench.replica.ReplicaCommand;
import io.stele.bench.table.BigtableCommand;
import io.stele.bench.table.TableCommand;
import io.stele.cli.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code stele bench}: the benchmarks, one subcommand each. */
@Command(
    name = "bench",
    description = "Measure Stele beside its peers.",
    synopsisSubcommandLabel = "NAME",
    commandListHeading = "%nBenchmarks:%n",
    subcommands = {
      EngineCommand.class,
      MetastoreCommand.class,
      TableCommand.class,
      BigtableCommand.class,
      RecoveryCommand.class,
      ScaleCommand.class,
      ReplicaCommand.class,
      DatasetCommand.class
    })
final class BenchCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  /** Without a name there is nothing to measure: says what there would be. */
  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return ExitCode.USAGE;
  }
}
