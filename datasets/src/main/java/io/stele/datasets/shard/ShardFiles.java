package io.stele.datasets.shard;

import io.stele.base.file.FilePath;

/**
 * What a shard is stored in, in the directory of its version: the log of its records, the index
 * into it, and last the manifest. A shard without a manifest was never finished.
 */
public final class ShardFiles {
  static final String LOG = ".spl";
  static final String INDEX = ".spi";
  static final String MANIFEST = ".json";

  private ShardFiles() {}

  /** How a shard is named, in files as in the map of partitions. */
  public static String name(int shard) {
    return "%05d".formatted(shard);
  }

  static FilePath log(FilePath version, int shard) {
    return version.resolve(name(shard) + LOG);
  }

  static FilePath index(FilePath version, int shard) {
    return version.resolve(name(shard) + INDEX);
  }

  public static FilePath manifest(FilePath version, int shard) {
    return version.resolve(name(shard) + MANIFEST);
  }
}
