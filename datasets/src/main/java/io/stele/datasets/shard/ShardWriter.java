package io.stele.datasets.shard;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Makes one shard: records in any order, from any number of threads, then {@link #finish}. Of a key
 * that is put more than once one value stays.
 *
 * <p>Log and index are synced before the manifest is written, which {@link Shard#open} demands: so
 * a crash leaves a shard or nothing.
 */
public final class ShardWriter {
  private final FileStore store;
  private final FilePath version;
  private final int shard;
  private final int shards;
  private final SparkeyPair pair;
  private final ReentrantLock lock = new ReentrantLock();

  /**
   * Begins a shard, over whatever an earlier attempt has left.
   *
   * @param store the local directory {@code root}, through which everything becomes durable
   * @param fileId what ties the index to its log; any number
   */
  public ShardWriter(
      FileStore store, Path root, FilePath version, int shard, int shards, int fileId)
      throws IOException {
    this.store = store;
    this.version = version;
    this.shard = shard;
    this.shards = shards;
    // The manifest goes first: never may an old one stand beside a new log.
    store.delete(ShardFiles.manifest(version, shard));
    Files.createDirectories(root.resolve(version.value()));
    this.pair = new SparkeyPair(root.resolve(ShardFiles.log(version, shard).value()), fileId);
  }

  public void put(byte[] key, byte[] value) throws IOException {
    lock.lock();
    try {
      pair.put(key, value);
    } finally {
      lock.unlock();
    }
  }

  /** Makes the shard durable; it can be opened from then on. */
  public ShardManifest finish() throws IOException {
    long records = pair.finish();
    FilePath logPath = ShardFiles.log(version, shard);
    FilePath indexPath = ShardFiles.index(version, shard);
    store.sync(logPath);
    store.sync(indexPath);
    ShardManifest manifest =
        new ShardManifest(
            shard, shards, records, Checksums.of(store, logPath), Checksums.of(store, indexPath));
    store.replace(ShardFiles.manifest(version, shard), manifest.toBytes());
    return manifest;
  }

  /** Gives the shard up; what was written of it is deleted as far as that works. */
  public void abandon() throws IOException {
    pair.close();
    store.delete(ShardFiles.log(version, shard));
    store.delete(ShardFiles.index(version, shard));
  }
}
