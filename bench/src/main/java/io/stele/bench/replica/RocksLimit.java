package io.stele.bench.replica;

import io.stele.bench.Peer;
import io.stele.bench.driver.Crew;
import io.stele.bench.driver.Sample;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** RocksDB through its JNI binding, each write synced, one sync for all that wait. */
record RocksLimit() implements Limit {
  private static final String NAME = "RocksDB";
  private static final int BATCH_BYTES = 1_000_000;
  private static final long KEYS = 1_000_000;

  /** RocksDB, if its native library runs on this machine. */
  static Peer<Limit> find() {
    return Peer.find(
        NAME,
        () -> {
          RocksDB.loadLibrary();
          return new RocksLimit();
        });
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String version() {
    return RocksDB.rocksdbVersion().toString();
  }

  @Override
  public Map<String, String> facts() {
    return Map.of(NAME, version() + " in this process, its defaults, writes synced");
  }

  @Override
  public Sample write(Path directory, int writers, Duration length) throws Exception {
    try (Options options = new Options().setCreateIfMissing(true);
        RocksDB db = RocksDB.open(options, directory.toString());
        WriteOptions synced = new WriteOptions().setSync(true)) {
      return new Crew(writers, length.toNanos() / 1e9)
          .run(
              thread -> {
                SplittableRandom chance = new SplittableRandom(thread);
                return () -> {
                  db.put(
                      synced,
                      key(chance.nextLong(KEYS)),
                      Rows.value(chance.nextLong(), Rows.SMALL_VALUE).toArray());
                  return true;
                };
              });
    }
  }

  @Override
  public double load(Path directory, long bytes) throws Exception {
    long records = Math.max(1, bytes / Rows.LARGE_VALUE);
    try (Options options = new Options().setCreateIfMissing(true);
        RocksDB db = RocksDB.open(options, directory.toString());
        WriteOptions synced = new WriteOptions().setSync(true)) {
      long start = System.nanoTime();
      for (long first = 0; first < records; first += BATCH_BYTES / Rows.LARGE_VALUE) {
        try (WriteBatch batch = new WriteBatch()) {
          long end = Math.min(records, first + BATCH_BYTES / Rows.LARGE_VALUE);
          for (long record = first; record < end; record++) {
            batch.put(key(record), Rows.value(record, Rows.LARGE_VALUE).toArray());
          }
          db.write(synced, batch);
        }
      }
      return (System.nanoTime() - start) / 1e9;
    }
  }

  private static byte[] key(long record) {
    return Rows.text(record).getBytes(StandardCharsets.UTF_8);
  }
}
