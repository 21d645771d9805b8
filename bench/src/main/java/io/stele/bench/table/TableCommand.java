package io.stele.bench.table;

import io.stele.bench.Benchmark;
import io.stele.bench.Case;
import io.stele.bench.Peer;
import io.stele.bench.Run;
import io.stele.bench.driver.Records;
import io.stele.bench.measure.Progress;
import io.stele.bench.process.HBaseProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code stele bench table}: tablet tables beside HBase. */
@Command(
    name = "table",
    description = {
      "Measure tablet tables beside HBase, by YCSB's load and workloads A to F.",
      "A server of each side runs as a process of its own on this machine, with a synced log, and"
          + " is asked by its own Java client in another process, in turns. Cases end in the number"
          + " of threads that ask; 'a' stands for all cases 'a-…'. A ratio above 1 means that Stele"
          + " is better."
    })
public class TableCommand extends Benchmark<TableCases.Work> {
  private static final double GOAL = 5;

  /** How the sides are found. */
  interface Sides {
    TableSide stele(List<String> moreFlags);

    Peer<TableSide> peer(boolean offline, Progress progress);
  }

  private final Sides sides;

  @Option(
      names = "--records",
      paramLabel = "N",
      description = "Records of 1 KB in the table (1,000,000; quick: 20,000).")
  private @Nullable Long records;

  @Option(
      names = "--threads",
      paramLabel = "N",
      split = ",",
      description = "Threads that ask, one case each (1,16,64; quick: 16).")
  private List<Integer> threads = new ArrayList<>();

  @Option(
      names = "--unflushed",
      paramLabel = "MIB",
      description = "Written since the last flush when a server is killed (256; quick: 16).")
  private @Nullable Integer unflushedMebibytes;

  @Option(
      names = "--offline",
      description = "Fetch nothing: the peer is absent if its jars are not on this machine.")
  private boolean offline;

  @Option(
      names = "--server-flag",
      paramLabel = "FLAG",
      description = "One more flag for the JVM of Stele's server; may be given more than once.")
  private List<String> serverFlags = new ArrayList<>();

  public TableCommand() {
    this(
        new Sides() {
          @Override
          public TableSide stele(List<String> moreFlags) {
            return new SteleSide(moreFlags, false);
          }

          @Override
          public Peer<TableSide> peer(boolean offline, Progress progress) {
            return Peer.find(
                HBaseProgram.NAME, () -> new HBaseSide(HBaseProgram.find(offline, progress)));
          }
        });
  }

  TableCommand(Sides sides) {
    this.sides = sides;
  }

  @Override
  protected List<Case<TableCases.Work>> cases() {
    List<Case<TableCases.Work>> all = new ArrayList<>(TableCases.rates(threads(), GOAL));
    all.addAll(TableCases.costs());
    return all;
  }

  protected final List<Integer> threads() {
    return scaled("--threads", threads, List.of(1, 16, 64), List.of(16), 1, 1_000);
  }

  private TableCases.Scale scale() {
    long mebibytes = scaled("--unflushed", unflushedMebibytes, 256, 16, 1, 1 << 20);
    return new TableCases.Scale(
        scaled("--records", records, 1_000_000, 20_000, 100, 1_000_000_000),
        quick() ? 4 : 8,
        Math.max(1, (mebibytes << 20) / Records.BYTES));
  }

  /** Both sides at once: log, files and files that are merged, of fields with names and keys. */
  @Override
  protected long neededDiskBytes() {
    TableCases.Scale scale = scale();
    return 2 * 4 * (scale.records() + 4 * scale.unflushedRecords()) * Records.BYTES + (4L << 30);
  }

  @Override
  protected String peerColumn() {
    return "HBASE";
  }

  @Override
  protected final void measure(Run run, List<Case<TableCases.Work>> wanted) throws Exception {
    TableCases.Scale scale = scale();
    TableSide stele = sides.stele(serverFlags);
    Peer<TableSide> peer = sides.peer(offline, run.progress());
    run.fact(
        "scale",
        String.format(
            Locale.ROOT,
            "%,d records of 10 fields of 100 bytes; %s threads; %s; killed with %,d records not"
                + " flushed",
            scale.records(),
            threads().stream().map(String::valueOf).collect(Collectors.joining(", ")),
            run.lengths(),
            scale.unflushedRecords()));
    run.facts(stele.facts());
    run.facts(peer.facts());
    try (TableCases servers = new TableCases(run, scale, stele, peer)) {
      for (Case<TableCases.Work> each : wanted) {
        run.attempt(each.name(), () -> each.work().run(servers));
      }
    }
  }
}
