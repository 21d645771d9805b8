package io.stele.bench.metastore;

import io.stele.bench.Peer;
import io.stele.bench.Run;
import io.stele.bench.driver.Sample;
import io.stele.bench.measure.Arena.Entrant;
import io.stele.bench.measure.Arena.Shown;
import io.stele.bench.measure.Better;
import io.stele.bench.measure.Memory;
import io.stele.bench.report.Figures;
import io.stele.bench.report.Notes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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
    tell(
        shown,
        "load",
        "keys/s",
        Better.HIGHER,
        Findings::keysPerSecond,
        null,
        "transactions of %d puts, values of %d bytes".formatted(Group.LOAD_BATCH, VALUE_BYTES));
    tell(
        shown,
        "memory",
        "bytes",
        Better.LOWER,
        found -> found.memory().needed(),
        null,
        "%s; resident after the load: %s"
            .formatted(
                Memory.METHOD,
                each(shown, side -> Figures.text(side.median(all -> all.memory().resident())))));
    tell(
        shown,
        "get",
        "gets/s",
        Better.HIGHER,
        found -> found.gets().perSecond(),
        GET_GOAL,
        "%d clients, keys at random, p50/p99 µs: %s"
            .formatted(
                CLIENTS,
                each(
                    shown,
                    side ->
                        String.format(
                            Locale.ROOT,
                            "%,.0f/%,.0f",
                            side.median(all -> all.gets().p50Micros()),
                            side.median(all -> all.gets().p99Micros())))));
    tell(
        shown,
        "restart",
        "ms",
        Better.LOWER,
        Findings::restartMillis,
        null,
        "from the start of the process to the first linearizable read, files in the page cache");
    tell(
        shown,
        "disk",
        "bytes",
        Better.LOWER,
        Findings::diskBytes,
        null,
        "all files, logs included");
  }

  private void tell(
      List<Shown<Findings>> shown,
      String what,
      String unit,
      Better better,
      ToDoubleFunction<Findings> figure,
      @Nullable Double goal,
      String note) {
    run.tellFigures(
        "store-%s-%s".formatted(label(keys.count()), what),
        unit,
        better,
        shown.stream().map(side -> side.median(figure)).toList(),
        peer,
        goal,
        new Notes().add(note));
  }

  private static String each(List<Shown<Findings>> shown, Function<Shown<Findings>, String> text) {
    return shown.stream()
        .map(side -> side.name() + " " + text.apply(side))
        .collect(Collectors.joining(", "));
  }

  /** 20,000,000 is 20M. */
  static String label(long count) {
    if (count >= 1_000_000 && count % 1_000_000 == 0) {
      return count / 1_000_000 + "M";
    }
    return count >= 1_000 && count % 1_000 == 0 ? count / 1_000 + "k" : Long.toString(count);
  }
}
