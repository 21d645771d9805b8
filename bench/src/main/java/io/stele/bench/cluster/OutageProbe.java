package io.stele.bench.cluster;

import io.stele.bench.measure.Member;

/** Kills a server that has a table to itself, and measures until the table is back. */
final class OutageProbe {
  /** Spread over the table: if these are there, all tablets of it are served. */
  private static final int PROBES = 64;

  /** Of the server that dies, which is started again afterwards. */
  private static final int VICTIM = 0;

  /** Files that are written beside those of the table, such as the catalog's. */
  private static final long OTHER_FILES = 4 << 20;

  private final RunningCluster cluster;
  private final int servers;

  OutageProbe(RunningCluster cluster, int servers) {
    this.cluster = cluster;
    this.servers = servers;
  }

  Outage measure(String table, long unflushedRecords, long seed) throws Exception {
    int flushed = RecoveryExtent.FLUSHED_RECORDS;
    long all = flushed + unflushedRecords;
    Member victim = cluster.server(VICTIM);
    fill(table, flushed, unflushedRecords, seed);
    long logBytes = cluster.logBytes();

    Clock clock = new Clock();
    victim.kill();
    var _ = cluster.ask("gone " + victim.address());
    double detected = clock.seconds();
    var _ = cluster.ask("write %s 1".formatted(table));
    double written = clock.seconds();
    var _ = cluster.ask("write %s %d".formatted(table, PROBES));
    double allWritten = clock.seconds();
    var _ = cluster.ask("await %s 0 %d %d".formatted(table, all, PROBES));
    double readable = clock.seconds();
    long counted = cluster.ask("count " + table).runs();
    double countedAt = clock.seconds();
    if (counted != all) {
      throw new IllegalStateException(
          "%s has %d rows after the crash: must be %d".formatted(table, counted, all));
    }
    victim.start();
    var _ = cluster.ask("live " + servers);
    var _ = cluster.ask("drop " + table);
    return new Outage(detected, written, allWritten, readable, countedAt, logBytes);
  }

  private void fill(String table, int flushed, long unflushed, long seed) throws Exception {
    var _ = cluster.ask("create " + table);
    var _ = cluster.ask("gather %s %s".formatted(table, cluster.server(VICTIM).address()));
    var _ = cluster.ask("fill %s 0 %d %d".formatted(table, flushed, seed));
    var _ = cluster.ask("flush " + table);
    if (unflushed == 0) {
      return;
    }
    long before = cluster.fileBytes();
    var _ = cluster.ask("fill %s %d %d %d".formatted(table, flushed, unflushed, seed + 1));
    long grown = cluster.fileBytes() - before;
    if (grown > OTHER_FILES) {
      throw new IllegalStateException(
          "%s wrote %,d bytes of files while %s was filled: must be in the log alone"
              .formatted(cluster.name(), grown, table));
    }
  }

  private static final class Clock {
    private final long start = System.nanoTime();

    double seconds() {
      return (System.nanoTime() - start) / 1e9;
    }
  }
}
