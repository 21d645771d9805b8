package io.stele.datasets.shard;

import com.spotify.sparkey.Sparkey;
import com.spotify.sparkey.SparkeyReader;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A shard that can be looked up, by any number of threads.
 *
 * <p>It is used between {@link #acquire} and {@link #release}. {@link #retire} waits for nobody: it
 * keeps new users out, and the last one that is still at work unmaps the files. The files may be
 * deleted meanwhile; a mapping outlives their names.
 *
 * <p>The library's readers are for one thread each, and keep every copy that was ever made of them,
 * so a few copies are shared, each under a lock that is hardly ever contended.
 */
public final class Shard {
  private static final int COPIES =
      Integer.highestOneBit(Math.max(2, 2 * Runtime.getRuntime().availableProcessors()));

  private static final int RETIRED = Integer.MIN_VALUE; // the sign bit: no new users

  private final ShardManifest manifest;
  private final SparkeyReader reader;
  private final Copy[] copies = new Copy[COPIES];
  private final AtomicInteger users = new AtomicInteger(); // how many, and RETIRED

  private static final class Copy {
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable SparkeyReader reader; // made when it is first needed
  }

  private Shard(ShardManifest manifest, SparkeyReader reader) {
    this.manifest = manifest;
    this.reader = reader;
    for (int i = 0; i < copies.length; i++) {
      copies[i] = new Copy();
    }
    copies[0].reader = reader;
  }

  /**
   * Opens a finished shard, after comparing every byte of it with its manifest.
   *
   * @param root where {@code store} is on this machine
   * @throws CorruptDataException if a file is not what was written
   */
  public static Shard open(FileStore store, Path root, FilePath version, int shard, int shards)
      throws IOException {
    FilePath path = ShardFiles.manifest(version, shard);
    ShardManifest manifest;
    try (ReadableFile file = store.open(path)) {
      byte[] content = new byte[Math.toIntExact(file.length())];
      file.read(0, content, 0, content.length);
      manifest = ShardManifest.parse(path.value(), content);
    }
    if (manifest.shard() != shard || manifest.shards() != shards) {
      throw new CorruptDataException(
          path.value(),
          0,
          "shard " + shard + " of " + shards,
          "shard " + manifest.shard() + " of " + manifest.shards());
    }
    verify(store, ShardFiles.log(version, shard), manifest.log());
    verify(store, ShardFiles.index(version, shard), manifest.index());
    return openVerified(root, version, manifest);
  }

  /** Opens a shard that this process has just made. */
  public static Shard openVerified(Path root, FilePath version, ShardManifest manifest)
      throws IOException {
    File index = root.resolve(ShardFiles.index(version, manifest.shard()).value()).toFile();
    return new Shard(manifest, Sparkey.openSingleThreadedReader(index));
  }

  private static void verify(FileStore store, FilePath path, ShardManifest.Content expected)
      throws IOException {
    ShardManifest.Content found = Checksums.of(store, path);
    if (!found.equals(expected)) {
      throw new CorruptDataException(path.value(), 0, text(expected), text(found));
    }
  }

  private static String text(ShardManifest.Content content) {
    return content.bytes() + " bytes with CRC32C %08x".formatted(content.crc32c());
  }

  public int number() {
    return manifest.shard();
  }

  public long records() {
    return manifest.records();
  }

  /**
   * Becomes a user.
   *
   * @return false if the shard is retired
   */
  public boolean acquire() {
    int now = users.get();
    while (now >= 0) {
      int before = users.compareAndExchange(now, now + 1);
      if (before == now) {
        return true;
      }
      now = before;
    }
    return false;
  }

  /** Ends what {@link #acquire} began. */
  public void release() {
    if (users.decrementAndGet() == RETIRED) {
      unmap();
    }
  }

  /** Lets go of the shard. Users that are at work go on undisturbed. */
  public void retire() {
    if (users.getAndUpdate(now -> now | RETIRED) == 0) {
      unmap();
    }
  }

  private void unmap() {
    // The library pauses before it unmaps; a lookup should not take that upon itself.
    Thread.ofVirtual().name("dataset-unmap").start(reader::close);
  }

  /** The value of a key; null if the shard does not have it. Only between acquire and release. */
  public byte @Nullable [] get(byte[] key) throws IOException {
    int first = (int) Thread.currentThread().threadId();
    for (int i = 0; i < copies.length; i++) {
      Copy copy = copies[(first + i) & (copies.length - 1)];
      if (copy.lock.tryLock()) {
        return get(copy, key);
      }
    }
    Copy copy = copies[first & (copies.length - 1)];
    copy.lock.lock();
    return get(copy, key);
  }

  /** Looks up with a copy that this thread has locked, and unlocks it. */
  private byte @Nullable [] get(Copy copy, byte[] key) throws IOException {
    try {
      SparkeyReader own = copy.reader;
      if (own == null) {
        own = reader.duplicate();
        copy.reader = own;
      }
      return own.getAsByteArray(key);
    } finally {
      copy.lock.unlock();
    }
  }
}
