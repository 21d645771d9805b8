package io.stele.bench.table;

import io.stele.bench.Case;
import io.stele.bench.Peer;
import io.stele.bench.measure.Progress;
import java.util.ArrayList;
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
  private static final double GOAL = 1;

  public BigtableCommand() {
    this(
        new Sides() {
          @Override
          public TableSide stele(List<String> moreFlags) {
            return new SteleSide(moreFlags, true);
          }

          @Override
          public Peer<TableSide> peer(boolean offline, Progress progress) {
            return Peer.find(
                EmulatorSide.NAME,
                () -> {
                  BigtableProgram program = BigtableProgram.find(offline, progress);
                  return new EmulatorSide(program, program.emulator());
                });
          }
        });
  }

  BigtableCommand(Sides sides) {
    super(sides);
  }

  /** The emulator keeps nothing, so nothing is restarted. */
  @Override
  protected List<Case<TableCases.Work>> cases() {
    List<Case<TableCases.Work>> all = new ArrayList<>(TableCases.rates(threads(), GOAL));
    all.addAll(TableCases.sweeps(threads(), GOAL));
    return all;
  }

  @Override
  protected String peerColumn() {
    return "EMULATOR";
  }
}
