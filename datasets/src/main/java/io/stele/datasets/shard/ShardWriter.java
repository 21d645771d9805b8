package io.stele.datasets.shard;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.input.BrokenInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Makes one shard: records of several files, from a thread for each, then {@link #finish}. Of a key
 * that is put more than once the value stays that comes last in the last of these files, in
 * whatever order they are read. Or a whole log and index that were made elsewhere.
 *
 * <p>Log and index are synced before the manifest is written, which {@link Shard#open} demands: so
 * a crash leaves a shard or nothing.
 */
public final class ShardWriter {
  private final FileStore store;
  private final Path root;
  private final FilePath version;
  private final int shard;
  private final int shards;
  private final SparkeyPair pair;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable TakenOver takenOver;

  /** The files of a shard that somebody else has made. */
  public record TakenOver(ShardManifest.Content log, ShardManifest.Content index) {}

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
    this.root = root;
    this.version = version;
    this.shard = shard;
    this.shards = shards;
    // The manifest goes first: never may an old one stand beside a new log.
    store.delete(ShardFiles.manifest(version, shard));
    Files.createDirectories(root.resolve(version.value()));
    this.pair = new SparkeyPair(root.resolve(ShardFiles.log(version, shard).value()), fileId);
  }

  /**
   * Adds a record.
   *
   * @param file the number of the file it comes from, from 0
   */
  public void put(int file, byte[] key, byte[] value) throws IOException {
    lock.lock();
    try {
      pair.put(file, key, value);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Copies a log and its index in place of records. What they are is for the caller to compare with
   * what they should be, before {@link #checkTakenOver} and {@link #finish}.
   */
  public TakenOver takeOver(FileStore logs, FilePath log, FileStore indexes, FilePath index)
      throws IOException {
    pair.close();
    TakenOver copied =
        new TakenOver(
            Checksums.copy(logs, log, local(ShardFiles.log(version, shard))),
            Checksums.copy(indexes, index, local(ShardFiles.index(version, shard))));
    takenOver = copied;
    return copied;
  }

  /**
   * Looks at every key of a log that was taken over.
   *
   * @param name what the log is called to people
   * @return how many records it has
   * @throws BrokenInputException if one belongs to another shard, or the log is damaged
   */
  public long checkTakenOver(String name) throws IOException {
    return LogKeys.check(local(ShardFiles.log(version, shard)), name, shard, shards);
  }

  private Path local(FilePath path) {
    return root.resolve(path.value());
  }

  /** Makes the shard durable; it can be opened from then on. */
  public ShardManifest finish() throws IOException {
    FilePath logPath = ShardFiles.log(version, shard);
    FilePath indexPath = ShardFiles.index(version, shard);
    TakenOver copied = takenOver;
    SparkeyPair.Finished finished =
        copied == null
            ? pair.finish()
            : new SparkeyPair.Finished(SparkeyPair.keys(local(logPath)), copied.log, copied.index);
    store.sync(logPath);
    store.sync(indexPath);
    ShardManifest manifest =
        new ShardManifest(shard, shards, finished.keys(), finished.log(), finished.index());
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
