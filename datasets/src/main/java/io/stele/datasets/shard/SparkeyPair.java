package io.stele.datasets.shard;

import com.spotify.sparkey.HashType;
import com.spotify.sparkey.Sparkey;
import com.spotify.sparkey.SparkeyWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** Makes a Sparkey log and its index; neither is synced. One thread at a time. */
public final class SparkeyPair implements Closeable {
  /** What an index may take while it is made; larger ones are sorted on disk, which is slower. */
  private static final long INDEX_BYTES = Math.max(64L << 20, Runtime.getRuntime().maxMemory() / 8);

  private final Path file;
  private final ShardLog log;
  private final EntryOrder order;
  private final long indexBytes;

  /**
   * Begins a pair, over what is there.
   *
   * @param file the log's, which ends in {@code .spl}; the directory must exist
   * @param fileId what ties the index to its log; any number
   */
  public SparkeyPair(Path file, int fileId) throws IOException {
    this(file, fileId, INDEX_BYTES);
  }

  SparkeyPair(Path file, int fileId, long indexBytes) throws IOException {
    this.file = file;
    this.log = new ShardLog(file, fileId);
    this.order = new EntryOrder(file);
    this.indexBytes = indexBytes;
  }

  /** Of entries with one key the last counts. */
  public void put(byte[] key, byte[] value) throws IOException {
    put(0, key, value);
  }

  /**
   * Adds an entry that comes from one of several files. Of entries with one key the last one of the
   * file with the highest number counts.
   */
  void put(int from, byte[] key, byte[] value) throws IOException {
    order.add(log.position(), from);
    log.put(key, value);
  }

  public long puts() {
    return log.puts();
  }

  /**
   * A log and its index, complete.
   *
   * @param keys how many different ones
   */
  public record Finished(long keys, ShardManifest.Content log, ShardManifest.Content index) {}

  /** Ends the log and makes the index. */
  public Finished finish() throws IOException {
    log.finish();
    Path index = Sparkey.getIndexFile(file.toFile()).toPath();
    try (order) {
      order.finish();
      if (ShardIndex.fits(log.puts(), indexBytes)) {
        return ShardIndex.make(file, log.summary(), order, index);
      }
      if (!order.isThatOfTheLog()) {
        order.sortLog();
      }
    }
    try (SparkeyWriter writer = Sparkey.append(file.toFile())) {
      writer.setMaxMemory(indexBytes);
      writer.setHashType(HashType.HASH_32_BITS);
      writer.writeHash();
    }
    return new Finished(keys(file), Checksums.of(file), Checksums.of(index));
  }

  /** How many different keys there are in a log that has an index. */
  static long keys(Path log) throws IOException {
    return Sparkey.getIndexHeader(Sparkey.getIndexFile(log.toFile())).getNumEntries();
  }

  @Override
  public void close() throws IOException {
    try (order) {
      log.close();
    }
  }
}
