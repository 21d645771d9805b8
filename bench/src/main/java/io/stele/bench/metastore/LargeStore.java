package io.stele.bench.metastore;

import io.stele.bench.Peer;
import io.stele.bench.Run;
import io.stele.bench.driver.Sample;
import io.stele.bench.measure.Arena.Entrant;
import io.stele.bench.measure.Arena.Shown;
import io.stele.bench.measure.Better;
import io.stele.bench.measure.Memory;
import io.stele.bench.report.Figures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A store of very many small keys on one member: how fast it fills, what it then needs of memory
 * and disk, how fast it is read and how soon after a restart. One side at a time: both would share
 * the page cache.
 */
final class LargeStore {
  static final int VALUE_BYTES = 32;

  private static final int CLIENTS = 64;
  private static final double GET_GOAL = 2.0;

  /** What one side's store showed. */
  private record Findings(
      double keysPerSecond, Memory memory, Sample gets, double restartMillis, double diskBytes) {}

  private final Run run;
  private final Peer<MetastoreSide> peer;
  private final KeySet keys;

  LargeStore(Run run, Peer<MetastoreSide> peer, long count) {
    this.run = run;
    this.peer = peer;
    this.keys = new KeySet("/bench/store", count, VALUE_BYTES);
  }

  void measure(MetastoreSide stele) throws Exception {
    List<Entrant<Findings>> entrants = new ArrayList<>();
    for (MetastoreSide side : peer.sides(stele)) {
      entrants.add(new Entrant<>(side.name(), () -> {}, _ -> measureOnce(side)));
    }
    tell(run.contest("store", "keys/s", Findings::keysPerSecond, entrants));
  }

  private Findings measureOnce(MetastoreSide side) throws Exception {
    return run.within(
        "store-" + side.name(),
        directory -> {
          try (Group group = side.start(directory, 1)) {
            long start = System.nanoTime();
            group.load(keys);
            double loadSeconds = (System.nanoTime() - start) / 1e9;
            Memory memory = Memory.of(group.servers());
            gets(group, run.warmUp());
            Sample gets = gets(group, run.phase());
            group.stop();
            double restart = group.restart(connection -> connection.get(keys, keys.count() / 2));
            group.stop(); // so that nothing changes while it is counted
            return new Findings(
                keys.count() / loadSeconds, memory, gets, restart * 1e3, group.diskBytes());
          }
        });
  }

  private Sample gets(Group group, Duration length) throws Exception {
    return group.loop(
        CLIENTS,
        length,
        (connection, chance) -> connection.get(keys, chance.nextLong(keys.count())));
  }

  private void tell(List<Shown<Findings>> shown) {
    StoreReport<Findings> report =
        new StoreReport<>(run, peer, "store-" + StoreReport.label(keys.count()), shown);
    report.tell(
        "load",
        "keys/s",
        Better.HIGHER,
        Findings::keysPerSecond,
        null,
        "transactions of %d puts, values of %d bytes".formatted(Group.LOAD_BATCH, VALUE_BYTES));
    report.tell(
        "memory",
        "bytes",
        Better.LOWER,
        found -> found.memory().needed(),
        null,
        "%s; resident after the load: %s"
            .formatted(
                Memory.METHOD,
                report.each(side -> Figures.text(side.median(all -> all.memory().resident())))));
    report.tell(
        "get",
        "gets/s",
        Better.HIGHER,
        found -> found.gets().perSecond(),
        GET_GOAL,
        "%d clients, keys at random, %s".formatted(CLIENTS, report.latencies(Findings::gets)));
    report.tell(
        "restart",
        "ms",
        Better.LOWER,
        Findings::restartMillis,
        null,
        "from the start of the process to the first linearizable read, files in the page cache");
    report.tell(
        "disk", "bytes", Better.LOWER, Findings::diskBytes, null, "all files, logs included");
  }
}
