package io.stele.bench.replica;

import io.stele.base.bytes.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** One round of the trials, each timed as a whole, on the servers of one kind of table. */
final class TrialRun {
  /** What is timed. */
  enum Trial {
    CONVERGE(
        "converge",
        "from the end of a cut (SIGSTOP) of one server, while others took writes, to all replicas"
            + " alike"),
    SPLIT("split", "from the request to split a table under writes to both halves in its place"),
    REPLACE(
        "replace", "from kill -9 of a server for good to as many replicas as before, all complete");

    private final String caseName;
    private final String about;

    Trial(String caseName, String about) {
      this.caseName = caseName;
      this.about = about;
    }

    String caseName() {
      return caseName;
    }

    String about() {
      return about;
    }
  }

  /**
   * What a trial took.
   *
   * @param bytes that had to be written for it, on one server
   */
  record Timing(double seconds, long bytes, String note) {}

  /**
   * How much is measured.
   *
   * @param records of the table that is split, and of which a replica is lost
   * @param phase how long writers write before a split
   * @param cut how long a replica is away while others are written to
   */
  record Extent(long records, Duration phase, Duration cut) {}

  private static final String CUT_TABLE = "cut";
  private static final String BULK_TABLE = "bulk";
  private static final Duration PATIENCE = Duration.ofMinutes(20);
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final int LOADERS = 8;
  private static final int BATCH = 100;
  private static final int PROBES = 64; // of rows, after a server was lost

  private final TableServers servers;
  private final Extent extent;
  private boolean filled;

  TrialRun(TableServers servers, Extent extent) {
    this.servers = servers;
    this.extent = extent;
  }

  Timing run(Trial trial) throws Exception {
    return switch (trial) {
      case CONVERGE -> converge();
      case SPLIT -> split();
      case REPLACE -> replace();
    };
  }

  private Timing converge() throws Exception {
    servers.create(CUT_TABLE, List.of());
    Writers writers = Writers.start(servers, CUT_TABLE, extent.records());
    Writers.Seen missed;
    try {
      writers.awaitSome();
      servers.pause();
      try {
        var _ = writers.seen();
        Thread.sleep(extent.cut());
        missed = writers.stop();
      } finally {
        servers.resume();
      }
    } finally {
      writers.abandon();
    }
    double seconds = until("replicas that are alike", () -> servers.isSettled(CUT_TABLE));
    requireIdentical(CUT_TABLE);
    servers.drop(CUT_TABLE);
    return new Timing(
        seconds,
        missed.acknowledged() * Rows.LARGE_VALUE,
        String.format(
            Locale.ROOT,
            "%,d writes missed in a cut of %d s",
            missed.acknowledged(),
            extent.cut().toSeconds()));
  }

  private Timing split() throws Exception {
    fill();
    Writers writers = Writers.start(servers, BULK_TABLE, extent.records());
    try {
      writers.awaitSome();
      var _ = writers.seen();
      Thread.sleep(extent.phase());
      Writers.Seen before = writers.seen();
      long start = System.nanoTime();
      servers.split(BULK_TABLE);
      var _ = until("halves", () -> servers.hasParts(BULK_TABLE, 2));
      double seconds = (System.nanoTime() - start) / 1e9;
      Writers.Seen meanwhile = writers.stop();
      return new Timing(
          seconds,
          bytes(),
          String.format(
              Locale.ROOT,
              "%d writers had %,.0f writes/s before, %,.0f meanwhile, at most %,.0f ms without one;"
                  + " %d not acknowledged in time",
              Writers.COUNT,
              before.perSecond(),
              meanwhile.perSecond(),
              meanwhile.longestMillis(),
              meanwhile.missed()));
    } finally {
      writers.abandon();
    }
  }

  private Timing replace() throws Exception {
    fill();
    var _ = until("replicas that are alike", () -> servers.isSettled(BULK_TABLE));
    servers.startSpare();
    long start = System.nanoTime();
    servers.killLast();
    for (int i = 0; i < PROBES; i++) {
      Bytes row = Rows.key(i * extent.records() / PROBES);
      var _ = until("row " + row, () -> servers.has(BULK_TABLE, row));
    }
    double readable = (System.nanoTime() - start) / 1e9;
    var _ = until("as many replicas as before", () -> servers.isSettled(BULK_TABLE));
    double seconds = (System.nanoTime() - start) / 1e9;
    requireIdentical(BULK_TABLE);
    return new Timing(
        seconds, bytes(), String.format(Locale.ROOT, "all rows were read after %.2f s", readable));
  }

  private long bytes() {
    return extent.records() * Rows.LARGE_VALUE;
  }

  private void requireIdentical(String table) {
    if (!servers.isIdentical(table)) {
      throw new IllegalStateException("replicas of " + table + " differ: must be alike");
    }
  }

  /** Returns the seconds that it took. */
  private static double until(String what, BooleanSupplier condition) throws Exception {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > PATIENCE.toNanos()) {
        throw new TimeoutException("%s: not within %s".formatted(what, PATIENCE));
      }
      Thread.sleep(PAUSE);
    }
    return (System.nanoTime() - start) / 1e9;
  }

  /** The table that is split, and of which a server is lost: once for both. */
  private void fill() throws Exception {
    if (filled) {
      return;
    }
    filled = true;
    servers.create(BULK_TABLE, List.of());
    List<CompletableFuture<?>> under = new ArrayList<>();
    for (long first = 0; first < extent.records(); first += BATCH) {
      if (under.size() == LOADERS) {
        under.removeFirst().get();
      }
      under.add(write(first, Math.min(extent.records(), first + BATCH)));
    }
    for (CompletableFuture<?> each : under) {
      each.get();
    }
  }

  private CompletableFuture<?> write(long first, long end) {
    List<Bytes> rows = new ArrayList<>();
    List<Bytes> values = new ArrayList<>();
    for (long record = first; record < end; record++) {
      rows.add(Rows.key(record));
      values.add(Rows.value(record, Rows.LARGE_VALUE));
    }
    return servers.writeAll(BULK_TABLE, rows, values);
  }
}
