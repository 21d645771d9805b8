package io.stele.bench.engine;

import io.stele.base.settings.ByteSize;
import io.stele.engine.disk.Codec;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/** RocksDB through its JNI binding, in this process. */
final class RocksSide implements EngineSide {
  static final String NAME = "RocksDB";

  private static final int BLOCK_SIZE = 4 << 10;
  private static final int FORMAT_VERSION = 5;
  private static final int BLOOM_BITS = 10;
  private static final int BACKGROUND_JOBS = 2;

  private RocksSide() {}

  /** RocksDB, if its native library runs on this machine. */
  static Peer find() {
    return find(RocksDB::loadLibrary);
  }

  static Peer find(Runnable loader) {
    try {
      loader.run();
      return new Peer.Present(new RocksSide(), RocksDB.rocksdbVersion().toString());
    } catch (LinkageError | RuntimeException e) {
      return new Peer.Absent(NAME, Objects.requireNonNullElse(e.getMessage(), e.toString()));
    }
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String options(EngineOptions options) {
    return "codec %s, blocks of %s, format version %d, Bloom filter of %d bits a key, %s"
        .formatted(
            options.codec().name().toLowerCase(Locale.ROOT),
            new ByteSize(BLOCK_SIZE),
            FORMAT_VERSION,
            BLOOM_BITS,
            "%d write buffers of %s, %d background jobs, dynamic level bytes, index and filters"
                    .formatted(
                        EngineOptions.MEMORY_TABLES,
                        new ByteSize(EngineOptions.MEMORY_TABLE_BYTES),
                        BACKGROUND_JOBS)
                + " outside the block cache, all else by default");
  }

  @Override
  public Engine open(Path directory, Records records, EngineOptions options) throws Exception {
    Natives natives = new Natives();
    try {
      LRUCache cache = natives.keep(new LRUCache(options.cacheBytes()));
      BloomFilter filter = natives.keep(new BloomFilter(BLOOM_BITS, false));
      CompressionOptions compression = natives.keep(new CompressionOptions());
      if (options.codec() == Codec.ZSTD) {
        compression.setLevel(EngineOptions.ZSTD_LEVEL);
      }
      Options open =
          natives
              .keep(new Options())
              .setCreateIfMissing(true)
              .setCompressionType(compression(options.codec()))
              .setCompressionOptions(compression)
              .setWriteBufferSize(EngineOptions.MEMORY_TABLE_BYTES)
              .setMaxWriteBufferNumber(EngineOptions.MEMORY_TABLES)
              .setMaxBackgroundJobs(BACKGROUND_JOBS)
              .setLevelCompactionDynamicLevelBytes(true)
              .setTableFormatConfig(
                  new BlockBasedTableConfig()
                      .setBlockSize(BLOCK_SIZE)
                      .setFormatVersion(FORMAT_VERSION)
                      .setFilterPolicy(filter)
                      .setBlockCache(cache));
      RocksDB db = natives.keep(RocksDB.open(open, directory.toString()));
      return new RocksEngine(db, natives, records);
    } catch (Exception e) {
      natives.close();
      throw e;
    }
  }

  private static CompressionType compression(Codec codec) {
    return switch (codec) {
      case NONE -> CompressionType.NO_COMPRESSION;
      case LZ4 -> CompressionType.LZ4_COMPRESSION;
      case ZSTD -> CompressionType.ZSTD_COMPRESSION;
      case SNAPPY -> CompressionType.SNAPPY_COMPRESSION;
    };
  }
}
