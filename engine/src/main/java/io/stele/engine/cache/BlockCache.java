package io.stele.engine.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Blocks of open fragments, bounded by weight, shared by all tables of a process. */
public final class BlockCache {
  /** An open file's name in the cache; each opening gets its own. */
  public static final class FileKey {}

  private record Key(FileKey file, long offset) {
    @Override
    public int hashCode() {
      return System.identityHashCode(file) * 31 + Long.hashCode(offset * 0x9e3779b97f4a7c15L);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Key key && key.file == file && key.offset == offset;
    }
  }

  private final Cache<Key, CachedBlock> blocks;

  public BlockCache(long capacity) {
    blocks =
        Caffeine.newBuilder()
            .maximumWeight(capacity)
            .<Key, CachedBlock>weigher((_, block) -> block.weight())
            .executor(Runnable::run)
            .build();
  }

  public FileKey register() {
    return new FileKey();
  }

  public CachedBlock get(
      FileKey file, long offset, CachePriority priority, Supplier<CachedBlock> loader) {
    Key key = new Key(file, offset);
    CachedBlock block = blocks.getIfPresent(key);
    if (block == null) {
      block = loader.get();
      blocks.put(key, block);
    }
    return block;
  }

  public void drop(FileKey file) {
    blocks.asMap().keySet().removeIf(key -> key.file == file);
  }
}
