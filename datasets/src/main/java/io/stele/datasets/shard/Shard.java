package io.stele.datasets.shard;

import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A shard that can be looked up, by any number of threads.
 *
 * <p>{@link #retire} waits for nobody: lookups that it overtakes are told so. The files may be
 * deleted meanwhile; a mapping outlives their names.
 */
public final class Shard {
  private final ShardManifest manifest;
  private final ShardReader reader;
  private final AtomicBoolean retired = new AtomicBoolean();

  private Shard(ShardManifest manifest, ShardReader reader) {
    this.manifest = manifest;
    this.reader = reader;
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
    Path log = root.resolve(ShardFiles.log(version, manifest.shard()).value());
    Path index = root.resolve(ShardFiles.index(version, manifest.shard()).value());
    return new Shard(manifest, ShardReader.open(log, index));
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

  /** Lets go of the shard, and of the memory that it is mapped to. */
  public void retire() {
    if (retired.compareAndSet(false, true)) {
      reader.close();
    }
  }

  /**
   * The value of a key; null if the shard does not have it.
   *
   * @throws RetiredShardException if the shard has been let go, or is while this looks
   */
  public byte @Nullable [] get(byte[] key) throws RetiredShardException {
    return reader.get(key);
  }
}
