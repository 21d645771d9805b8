package io.stele.bench.engine;

import io.stele.bench.Side;
import java.nio.file.Path;

/** One of the engines that are measured side by side, as a library in this process. */
interface EngineSide extends Side {
  /** At which a side starts another memory table, and flushes the full one. */
  long MEMORY_TABLE_BYTES = 128L << 20;

  /** Full and half-full memory tables of a side together. */
  int MEMORY_TABLES = 4;

  /** Opens a directory, which may be empty, for the records that are or will be in it. */
  Engine open(Path directory, Records records, long cacheBytes) throws Exception;
}
