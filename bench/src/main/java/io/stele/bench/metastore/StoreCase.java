package io.stele.bench.metastore;

import io.stele.bench.measure.Better;
import io.stele.bench.measure.ResidentMemory;
import io.stele.bench.measure.Sample;
import io.stele.bench.report.Figures;
import io.stele.bench.report.Result;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * A store of very many small keys on one member: how fast it fills, what it then costs in memory
 * and on disk, how fast it is read and how soon after a restart. One side after the other, once: it
 * takes long, and both would share the page cache.
 */
final class StoreCase implements MetastoreCase.Once {
  private static final int CLIENTS = 64;
  private static final double GET_GOAL = 2.0;

  /** What one side's store showed. */
  private record Findings(
      String side,
      double keysPerSecond,
      ResidentMemory memory,
      Sample gets,
      double restartMillis,
      double diskBytes) {}

  @Override
  public String name() {
    return "store";
  }

  @Override
  public String about() {
    return "a store of %,d keys (--keys) on one member: load, memory, gets, restart, disk"
        .formatted(Scale.FULL.storeKeys());
  }

  @Override
  public List<Result> run(Setup setup) throws Exception {
    KeySet keys = new KeySet("/bench/store", setup.scale().storeKeys(), Scale.STORE_VALUE_BYTES);
    List<Findings> findings = new ArrayList<>();
    for (Side side : setup.sides()) {
      findings.add(measure(setup, side, keys));
    }
    return new Rows(setup, label(keys.count()), findings).all();
  }

  private static Findings measure(Setup setup, Side side, KeySet keys) throws Exception {
    Path directory = setup.workspace().directory("store-" + side.name());
    try (Contestant contestant = Contestant.start(side, directory, 1)) {
      long start = System.nanoTime();
      contestant.load(keys);
      double loadSeconds = (System.nanoTime() - start) / 1e9;
      progress(setup, side, "%,.0f keys/s loaded", keys.count() / loadSeconds);
      ResidentMemory memory = contestant.cluster().memory();
      gets(contestant, keys, setup.scale().warmUp());
      Sample gets = gets(contestant, keys, setup.scale().phase());
      progress(setup, side, "%,.0f gets/s", gets.perSecond());
      double restartMillis = restart(contestant, keys);
      progress(setup, side, "%,.0f ms to the first read", restartMillis);
      contestant.cluster().stop(); // so that nothing changes while it is counted
      return new Findings(
          side.name(),
          keys.count() / loadSeconds,
          memory,
          gets,
          restartMillis,
          contestant.cluster().diskBytes());
    } finally {
      setup.workspace().delete(directory);
    }
  }

  private static Sample gets(Contestant contestant, KeySet keys, Duration length) throws Exception {
    return contestant.loop(
        CLIENTS,
        length,
        (connection, chance) -> connection.get(keys, chance.nextLong(keys.count())));
  }

  /** From the start of the process; it was asked to end, and has ended, before. */
  private static double restart(Contestant contestant, KeySet keys) throws Exception {
    contestant.disconnect();
    contestant.cluster().stop();
    long start = System.nanoTime();
    contestant.cluster().start();
    contestant
        .cluster()
        .await("the restart of " + contestant.name(), driver -> driver.get(keys, keys.count() / 2));
    return (System.nanoTime() - start) / 1e6;
  }

  private static void progress(Setup setup, Side side, String format, double figure) {
    setup
        .progress()
        .line(
            String.format(Locale.ROOT, "%-22s      %-8s " + format, "store", side.name(), figure));
  }

  /** 20,000,000 is 20M. */
  static String label(long count) {
    if (count >= 1_000_000 && count % 1_000_000 == 0) {
      return count / 1_000_000 + "M";
    }
    return count >= 1_000 && count % 1_000 == 0 ? count / 1_000 + "k" : Long.toString(count);
  }

  /** The lines of the report. */
  private record Rows(Setup setup, String label, List<Findings> findings) {
    List<Result> all() {
      String gets = "%d clients, keys at random, p50/p99 µs: ".formatted(CLIENTS);
      return List.of(
          row("load", "keys/s", Better.HIGHER, Findings::keysPerSecond, loadNote()),
          row("memory", "bytes", Better.LOWER, each -> each.memory().bytes(), memoryNote()),
          getRow(gets + each(side -> latency(side.gets()))),
          row(
              "restart",
              "ms",
              Better.LOWER,
              Findings::restartMillis,
              "from the start of the process to the first linearizable read, files in the page"
                  + " cache"),
          row("disk", "bytes", Better.LOWER, Findings::diskBytes, "all files, logs included"));
    }

    private static String latency(Sample sample) {
      return String.format(Locale.ROOT, "%,.0f/%,.0f", sample.p50Micros(), sample.p99Micros());
    }

    private String loadNote() {
      return "transactions of %d puts, values of %d bytes"
          .formatted(Scale.LOAD_BATCH, Scale.STORE_VALUE_BYTES);
    }

    private String memoryNote() {
      return "resident after the load; of it backed by no file: "
          + each(side -> Figures.text(side.memory().anonymousBytes()));
    }

    private String each(Function<Findings, String> text) {
      return findings.stream()
          .map(side -> side.side() + " " + text.apply(side))
          .collect(Collectors.joining(", "));
    }

    private Result getRow(String note) {
      ToDoubleFunction<Findings> figure = each -> each.gets().perSecond();
      return Result.besidePeer(
          title("get"),
          "gets/s",
          Better.HIGHER,
          ours(figure),
          theirs(figure),
          setup.peerName(),
          GET_GOAL,
          note(note));
    }

    private Result row(
        String what, String unit, Better better, ToDoubleFunction<Findings> figure, String note) {
      return Result.withoutGoal(
          title(what), unit, better, ours(figure), theirs(figure), setup.peerName(), note(note));
    }

    private String title(String what) {
      return "store-%s-%s".formatted(label, what);
    }

    private String note(String text) {
      return setup.notes().add(text).toString();
    }

    private double ours(ToDoubleFunction<Findings> figure) {
      return figure.applyAsDouble(findings.getFirst());
    }

    private Optional<Double> theirs(ToDoubleFunction<Findings> figure) {
      return findings.stream().skip(1).map(each -> figure.applyAsDouble(each)).findFirst();
    }
  }
}
