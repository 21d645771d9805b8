package io.stele.bench.table;

import io.stele.bench.measure.Progress;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code stele bench bigtable}: tablet tables by Bigtable's API beside Google's emulator of it. */
@Command(
    name = "bigtable",
    description = {
      "Measure tablet tables by Bigtable's API beside Google's emulator, by YCSB's load and"
          + " workloads A to F.",
      "A server of each side runs as a process of its own on this machine and is asked by Google's"
          + " Java client in another, in turns. Stele syncs each commit; the emulator keeps all in"
          + " memory and nothing on disk. Cases end in the number of threads that ask; 'a' stands"
          + " for all cases 'a-…'. A ratio above 1 means that Stele is better."
    })
public final class BigtableCommand extends TableCommand {
  public BigtableCommand() {
    this(
        new Sides() {
          @Override
          public Side stele(List<String> moreFlags) {
            return new SteleBigtableSide(moreFlags);
          }

          @Override
          public Peer peer(boolean offline, Progress progress) {
            return EmulatorSide.find(offline, progress);
          }

          @Override
          public List<TableCase> cases(List<Integer> threads) {
            return TableBench.bigtableCases(threads);
          }
        });
  }

  BigtableCommand(Sides sides) {
    super(sides);
  }
}
