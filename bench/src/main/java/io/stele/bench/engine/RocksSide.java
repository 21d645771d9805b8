package io.stele.bench.engine;

import io.stele.base.settings.ByteSize;
import io.stele.bench.Peer;
import io.stele.engine.disk.Codec;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/** RocksDB through its JNI binding. */
record RocksSide(Codec codec) implements EngineSide {
  static final String NAME = "RocksDB";

  private static final int BLOCK_SIZE = 4 << 10;
  private static final int FORMAT_VERSION = 5;
  private static final int BLOOM_BITS = 10;
  private static final int BACKGROUND_JOBS = 2;

  /** Of Stele's codec. */
  private static final int ZSTD_LEVEL = 1;

  /** RocksDB, if its native library runs on this machine. */
  static Peer<EngineSide> find(Codec codec) {
    return find(codec, RocksDB::loadLibrary);
  }

  static Peer<EngineSide> find(Codec codec, Runnable loader) {
    return Peer.find(
        NAME,
        () -> {
          loader.run();
          return new RocksSide(codec);
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
    return Map.of(
        NAME,
        version()
            + " in this JVM; codec %s, blocks of %s, format version %d, Bloom filter of %d bits a key, "
                .formatted(
                    codec.name().toLowerCase(Locale.ROOT),
                    new ByteSize(BLOCK_SIZE),
                    FORMAT_VERSION,
                    BLOOM_BITS)
            + "%d write buffers of %s, %d background jobs, dynamic level bytes, index and filters outside the block cache, all else by default"
                .formatted(MEMORY_TABLES, new ByteSize(MEMORY_TABLE_BYTES), BACKGROUND_JOBS));
  }

  @Override
  public Engine open(Path directory, Records records, long cacheBytes) throws Exception {
    Natives natives = new Natives();
    try {
      LRUCache cache = natives.keep(new LRUCache(cacheBytes));
      BloomFilter filter = natives.keep(new BloomFilter(BLOOM_BITS, false));
      CompressionOptions compression = natives.keep(new CompressionOptions());
      if (codec == Codec.ZSTD) {
        compression.setLevel(ZSTD_LEVEL);
      }
      Options open =
          natives
              .keep(new Options())
              .setCreateIfMissing(true)
              .setCompressionType(compression(codec))
              .setCompressionOptions(compression)
              .setWriteBufferSize(MEMORY_TABLE_BYTES)
              .setMaxWriteBufferNumber(MEMORY_TABLES)
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
