package io.stele.bench.metastore;

import io.stele.bench.Peer;
import io.stele.bench.Run;
import io.stele.bench.driver.Sample;
import io.stele.bench.measure.Arena.Entrant;
import io.stele.bench.measure.Arena.Shown;
import io.stele.bench.measure.Better;
import io.stele.bench.report.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A store of many values of a kilobyte on one member, some of them replaced since, whose history is
 * compacted while clients work: what that does to them, what the store then takes of the disk, and
 * how soon it is back after a restart. One side at a time: both would share the page cache.
 */
final class CompactedStore {
  static final int VALUE_BYTES = 1 << 10;

  private static final int CLIENTS = 64;
  private static final int REPLACED_PART = 10; // one of so many keys is replaced before
  private static final double LEAST_KEPT = 0.9; // of the rate, while it is compacted
  private static final double DISK_GOAL = 2.0;
  private static final double LONGEST_RESTART_MILLIS = 10_000;
  private static final Duration COMPACTION_PATIENCE = Duration.ofMinutes(15);

  /** What one side's store showed. */
  private record Findings(
      double keysPerSecond,
      Sample before,
      Sample during,
      double compactionSeconds,
      Sample after,
      double diskBytes,
      double restartMillis) {

    double kept() {
      return during.perSecond() / before.perSecond();
    }
  }

  private final Run run;
  private final Peer<MetastoreSide> peer;
  private final KeySet keys;

  CompactedStore(Run run, Peer<MetastoreSide> peer, long count) {
    this.run = run;
    this.peer = peer;
    this.keys = new KeySet("/bench/compacted", count, VALUE_BYTES);
  }

  void measure(MetastoreSide stele) throws Exception {
    List<Entrant<Findings>> entrants = new ArrayList<>();
    for (MetastoreSide side : peer.sides(stele)) {
      entrants.add(new Entrant<>(side.name(), () -> {}, _ -> measureOnce(side)));
    }
    tell(run.contest("compaction", "of the rate", Findings::kept, entrants));
  }

  private Findings measureOnce(MetastoreSide side) throws Exception {
    return run.within(
        "compaction-" + side.name(),
        directory -> {
          try (Group group = side.start(directory, 1)) {
            long start = System.nanoTime();
            group.load(keys);
            double loadSeconds = (System.nanoTime() - start) / 1e9;
            progress(side, "loaded in %.0f s", loadSeconds);
            group.load(
                new KeySet(
                    keys.directory(), Math.max(1, keys.count() / REPLACED_PART), VALUE_BYTES));
            work(group, run.warmUp());
            Sample before = work(group, run.phase());
            progress(side, "%,.0f requests/s before", before.perSecond());
            long asked = System.nanoTime();
            CompletableFuture<Double> compaction =
                group.connection(0).compact(keys).thenApply(_ -> (System.nanoTime() - asked) / 1e9);
            Sample during = work(group, run.phase());
            progress(side, "%,.0f requests/s meanwhile", during.perSecond());
            double compacted = compaction.get(COMPACTION_PATIENCE.toSeconds(), TimeUnit.SECONDS);
            progress(side, "compacted in %.1f s", compacted);
            Sample after = work(group, run.phase());
            group.stop();
            double restart = group.restart(connection -> connection.get(keys, keys.count() / 2));
            group.stop(); // so that nothing changes while it is counted
            return new Findings(
                keys.count() / loadSeconds,
                before,
                during,
                compacted,
                after,
                group.diskBytes(),
                restart * 1e3);
          }
        });
  }

  private void progress(MetastoreSide side, String what, double figure) {
    run.progress().line("%s: %s".formatted(side.name(), String.format(Locale.ROOT, what, figure)));
  }

  /** As many puts as gets, of keys at random. */
  private Sample work(Group group, Duration length) throws Exception {
    return group.loop(
        CLIENTS,
        length,
        (connection, chance) -> {
          long number = chance.nextLong(keys.count());
          return chance.nextBoolean()
              ? connection.put(keys, number, group.nextEdition())
              : connection.get(keys, number);
        });
  }

  private void tell(List<Shown<Findings>> shown) {
    StoreReport<Findings> report =
        new StoreReport<>(run, peer, "compaction-" + StoreReport.label(keys.count()), shown);
    report.tell(
        "load",
        "keys/s",
        Better.HIGHER,
        Findings::keysPerSecond,
        null,
        "transactions of %d puts, values of %d bytes".formatted(Group.LOAD_BATCH, VALUE_BYTES));
    report.tell(
        "before",
        "requests/s",
        Better.HIGHER,
        found -> found.before().perSecond(),
        null,
        "%d clients, half puts, half gets, %s"
            .formatted(CLIENTS, report.latencies(Findings::before)));
    report.tell(
        "during",
        "requests/s",
        Better.HIGHER,
        found -> found.during().perSecond(),
        null,
        "since the compaction was asked for, %s; it was done after: %s"
            .formatted(
                report.latencies(Findings::during),
                report.each(
                    side ->
                        String.format(
                            Locale.ROOT, "%.1f s", side.median(Findings::compactionSeconds)))));
    report.tell(
        "after",
        "requests/s",
        Better.HIGHER,
        found -> found.after().perSecond(),
        null,
        report.latencies(Findings::after));
    run.tell(
        Result.growth(
            report.name("slowdown"),
            "times",
            1 / shown.getFirst().median(Findings::kept),
            shown.stream().skip(1).findFirst().map(side -> 1 / side.median(Findings::kept)),
            peer.title(),
            1 / LEAST_KEPT,
            "the rate before, divided by that during the compaction"));
    report.tell(
        "disk", "bytes", Better.LOWER, Findings::diskBytes, DISK_GOAL, "all files, logs included");
    run.tell(
        Result.bounded(
            report.name("restart"),
            "ms",
            shown.getFirst().median(Findings::restartMillis),
            shown.stream().skip(1).findFirst().map(side -> side.median(Findings::restartMillis)),
            peer.title(),
            LONGEST_RESTART_MILLIS,
            "from the start of the process to the first linearizable read, held against 10 s"));
  }
}
