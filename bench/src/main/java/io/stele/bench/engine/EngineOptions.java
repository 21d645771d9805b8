package io.stele.bench.engine;

import io.stele.engine.disk.Codec;

/**
 * What the sides have in common.
 *
 * @param cacheBytes of the block cache
 */
record EngineOptions(Codec codec, long cacheBytes) {
  /** At which a side starts another memory table, and flushes the full one. */
  static final long MEMORY_TABLE_BYTES = 128L << 20;

  /** Full and half-full memory tables of a side together. */
  static final int MEMORY_TABLES = 4;

  /** Of Stele's codec, which RocksDB is set to as well. */
  static final int ZSTD_LEVEL = 1;

  EngineOptions withCache(long bytes) {
    return new EngineOptions(codec, bytes);
  }
}
