package io.stele.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.file.CrashMode;
import io.stele.base.file.FileStore;
import io.stele.base.file.MemoryFileStore;
import io.stele.bench.engine.Engine.Access;
import io.stele.engine.Store;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;

/** That a put which claims to be synced is: both sides would be much faster if it were not. */
class DurabilityTest {

  private static final long COUNT = 40;

  private final Records records = new Records(100, COUNT);

  private SteleEngine stele(FileStore files) {
    SteleEngine.Failures failures = new SteleEngine.Failures();
    Store store = new Store.Builder(files).events(failures).open();
    return new SteleEngine(files, store, failures, records);
  }

  /** Reads every record after everything that was not synced is gone. */
  private void readAfterPowerLoss(MemoryFileStore files) throws Exception {
    try (Engine engine = stele(files.crash(CrashMode.dropUnsynced()));
        Access get = engine.gets().getFirst().source().open()) {
      for (long record = 0; record < COUNT; record++) {
        get.to(record);
      }
    }
  }

  private static void putAll(Access puts) throws Exception {
    for (long record = 0; record < COUNT; record++) {
      puts.to(record);
    }
  }

  @Test
  void stelesSyncedPutsSurviveAPowerLoss() throws Exception {
    MemoryFileStore files = new MemoryFileStore();
    SteleEngine engine = stele(files);
    putAll(engine.puts(true));

    readAfterPowerLoss(files);
  }

  @Test
  void stelesOtherPutsSurviveItAfterTheLogIsSynced() throws Exception {
    MemoryFileStore files = new MemoryFileStore();
    SteleEngine engine = stele(files);
    putAll(engine.puts(false));
    engine.syncLog();

    readAfterPowerLoss(files);
  }

  @Test
  void rocksDbSyncsItsLogForEverySyncedPut(@TempDir Path directory) throws Exception {
    Natives natives = new Natives();
    Statistics statistics = natives.keep(new Statistics());
    Options options = natives.keep(new Options()).setCreateIfMissing(true);
    options.setStatistics(statistics);
    RocksDB db = natives.keep(RocksDB.open(options, directory.toString()));
    try (RocksEngine engine = new RocksEngine(db, natives, records)) {
      putAll(engine.puts(false));
      assertThat(statistics.getTickerCount(TickerType.WAL_FILE_SYNCED)).isZero();

      engine.syncLog();
      assertThat(statistics.getTickerCount(TickerType.WAL_FILE_SYNCED)).isEqualTo(1);

      putAll(engine.puts(true));
      assertThat(statistics.getTickerCount(TickerType.WAL_FILE_SYNCED)).isEqualTo(1 + COUNT);
    }
  }
}
