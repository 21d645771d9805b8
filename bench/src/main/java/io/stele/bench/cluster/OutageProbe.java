package io.stele.bench.cluster;

/** Kills a server that has a table to itself, and measures until the table is back. */
final class OutageProbe {
  /** Spread over the table: if these are there, all tablets of it are served. */
  private static final int PROBES = 64;

  /** Of the server that dies, which is started again afterwards. */
  private static final int VICTIM = 0;

  /** Files that are written beside those of the table, such as the catalog's. */
  private static final long OTHER_FILES = 4 << 20;

  /** In files, so that there is something to read where nothing is in the log. */
  private static final int FLUSHED_RECORDS = 1_000;

  private final Cluster cluster;

  OutageProbe(Cluster cluster) {
    this.cluster = cluster;
  }

  Outage measure(String table, long unflushedRecords, long seed) throws Exception {
    long all = FLUSHED_RECORDS + unflushedRecords;
    Cluster.Server victim = cluster.server(VICTIM);
    fill(table, unflushedRecords, seed);
    long logBytes = cluster.logBytes();

    long killed = System.nanoTime();
    victim.process().kill();
    var _ = cluster.ask("gone " + victim.address());
    double detected = since(killed);
    var _ = cluster.ask("write %s 1".formatted(table));
    double written = since(killed);
    var _ = cluster.ask("write %s %d".formatted(table, PROBES));
    double allWritten = since(killed);
    var _ = cluster.ask("await %s 0 %d %d".formatted(table, all, PROBES));
    double readable = since(killed);
    long counted = cluster.ask("count " + table).runs();
    double countedAt = since(killed);
    if (counted != all) {
      throw new IllegalStateException(
          "%s has %d rows after the crash: must be %d".formatted(table, counted, all));
    }
    victim.process().launch();
    var _ = cluster.ask("live " + cluster.serverCount());
    var _ = cluster.ask("drop " + table);
    return new Outage(detected, written, allWritten, readable, countedAt, logBytes);
  }

  private void fill(String table, long unflushed, long seed) throws Exception {
    var _ = cluster.ask("create " + table);
    var _ = cluster.ask("gather %s %s".formatted(table, cluster.server(VICTIM).address()));
    var _ = cluster.ask("fill %s 0 %d %d".formatted(table, FLUSHED_RECORDS, seed));
    var _ = cluster.ask("flush " + table);
    if (unflushed == 0) {
      return;
    }
    long before = cluster.fileBytes();
    var _ = cluster.ask("fill %s %d %d %d".formatted(table, FLUSHED_RECORDS, unflushed, seed + 1));
    long grown = cluster.fileBytes() - before;
    if (grown > OTHER_FILES) {
      throw new IllegalStateException(
          "%s wrote %,d bytes of files while %s was filled: must be in the log alone"
              .formatted(cluster.name(), grown, table));
    }
  }

  private static double since(long nanos) {
    return (System.nanoTime() - nanos) / 1e9;
  }
}
