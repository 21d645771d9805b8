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
 * <p>Every block of its files is compared with a checksum when a lookup first reads it, and again
 * after {@link #forgetCompared}.
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
    return open(store, root, version, manifest);
  }

  /** Opens a shard whose manifest is known, after the same comparison. */
  public static Shard open(FileStore store, Path root, FilePath version, ShardManifest manifest)
      throws IOException {
    FilePath log = ShardFiles.log(version, manifest.shard());
    FilePath index = ShardFiles.index(version, manifest.shard());
    int[] logBlocks = verified(store, log, manifest.log());
    int[] indexBlocks = verified(store, index, manifest.index());
    return new Shard(
        manifest,
        ShardReader.open(
            root.resolve(log.value()), logBlocks, root.resolve(index.value()), indexBlocks));
  }

  /** The checksums of a file's blocks, which are right if that of the whole file is. */
  private static int[] verified(FileStore store, FilePath path, ShardManifest.Content expected)
      throws IOException {
    Checksums.Summed found = Checksums.withBlocks(store, path);
    if (!found.content().equals(expected)) {
      throw new CorruptDataException(path.value(), 0, text(expected), text(found.content()));
    }
    return found.blocks();
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
   * Looks a key up.
   *
   * @param mayWait whether for the disk; otherwise the entry can be {@link ShardEntry.OnDisk}
   * @param mostWhole how long a value may be that is not {@link ShardEntry.Large}
   * @throws RetiredShardException if the shard has been let go, or is while this looks
   * @throws CorruptDataException if what it takes is not as it was written
   */
  public ShardEntry look(byte[] key, boolean mayWait, int mostWhole) throws RetiredShardException {
    return reader.look(key, mayWait, mostWhole);
  }

  /** Has every block compared with its checksum again when it is read the next time. */
  public void forgetCompared() {
    reader.forgetCompared();
  }

  /**
   * The value of a key; null if the shard does not have it. May wait for the disk.
   *
   * @throws RetiredShardException if the shard has been let go, or is while this looks
   * @throws CorruptDataException if what it takes is not as it was written
   */
  public byte @Nullable [] get(byte[] key) throws RetiredShardException {
    return reader.get(key);
  }
}
