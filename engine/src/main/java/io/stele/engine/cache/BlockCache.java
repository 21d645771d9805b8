package io.stele.engine.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of open fragments, bounded by weight, shared by all tables of a process.
 *
 * <p>Blocks of in-memory groups become <em>residents</em>: they stay, whatever else is read, until
 * their file is dropped or a block of a better priority needs the room. All others, and what does
 * not fit among the residents, compete in an adaptive cache that a scan cannot wash out. Residents
 * take at most seven eighths of the capacity, so that there is always room to work with.
 *
 * <p>Invariant: weight of the residents + maximum of the adaptive part = capacity.
 *
 * <p>Hits take no lock. The adaptive part's upkeep runs on the calling threads: the bound holds
 * when a call returns, and the cache needs no thread of its own.
 */
public final class BlockCache {
  private static final AtomicInteger FILES = new AtomicInteger();

  /** An open file's name in the cache; each opening gets its own. */
  public static final class FileKey {
    private final int number = FILES.incrementAndGet();
    private volatile boolean dropped;

    /** Of its blocks that are here, and perhaps of some that are no more. */
    private final Set<Long> offsets = ConcurrentHashMap.newKeySet();

    private FileKey() {}
  }

  /** A block's place. */
  record Key(FileKey file, long offset) {
    @Override
    public int hashCode() {
      return file.number * 0x9e3779b9 ^ Long.hashCode(offset);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Key key && key.offset == offset && key.file.number == file.number;
    }
  }

  /**
   * What the cache did and holds.
   *
   * @param residentWeight of blocks that stay
   * @param adaptiveWeight of all others
   */
  public record Stats(long hits, long misses, long residentWeight, long adaptiveWeight) {}

  private final long capacity;
  private final Cache<Key, CachedBlock> adaptive;
  private final Policy.Eviction<Key, CachedBlock> adaptiveBound;
  private final Residents residents;
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();

  public BlockCache(long capacity) {
    this.capacity = capacity;
    this.adaptive =
        Caffeine.newBuilder()
            .maximumWeight(capacity)
            .<Key, CachedBlock>weigher((_, block) -> block.weight())
            .evictionListener((key, _, _) -> evicted(key))
            .executor(Runnable::run)
            .build();
    this.adaptiveBound = adaptive.policy().eviction().orElseThrow();
    this.residents = new Residents(capacity - capacity / 8);
  }

  /** A name for a file that was opened. */
  public FileKey register() {
    return new FileKey();
  }

  /**
   * The block at an offset of a file; loaded by the caller's thread if it is not here, unless that
   * thread {@linkplain CachedReads must not wait} for it.
   */
  public CachedBlock get(
      FileKey file, long offset, CachePriority priority, Supplier<CachedBlock> loader) {
    Key key = new Key(file, offset);
    CachedBlock block = priority.preloads() ? residents.get(key) : null;
    if (block == null) {
      block = adaptive.getIfPresent(key);
    }
    if (block != null) {
      hits.increment();
      return block;
    }
    CachedReads.checkMayLoad();
    misses.increment();
    block = loader.get();
    place(key, priority, block);
    return block;
  }

  private void place(Key key, CachePriority priority, CachedBlock block) {
    boolean resident = false;
    if (priority.preloads()) {
      Residents.Admission admission = residents.admit(key, priority, block);
      adaptiveBound.setMaximum(capacity - admission.weight());
      admission.displaced().forEach(this::compete);
      resident = admission.admitted();
    }
    if (resident) {
      remember(key);
    } else {
      compete(key, block);
    }
  }

  private void compete(Key key, CachedBlock block) {
    adaptive.put(key, block);
    remember(key);
  }

  /** Comes after the block itself: an eviction that comes first must not undo it. */
  private void remember(Key key) {
    key.file.offsets.add(key.offset);
    if (key.file.dropped) { // meanwhile: nobody would ever ask for it again
      forget(key);
    }
  }

  /** Gives all blocks of a file that are here the place of another priority. */
  public void move(FileKey file, CachePriority priority) {
    for (long offset : file.offsets) {
      Key key = new Key(file, offset);
      CachedBlock block = residents.get(key);
      if (block == null) {
        block = adaptive.getIfPresent(key);
      }
      if (block != null) {
        forget(key);
        place(key, priority, block);
      }
    }
  }

  private void forget(Key key) {
    adaptive.invalidate(key);
    adaptiveBound.setMaximum(capacity - residents.remove(key));
  }

  /**
   * A block can be in both parts, if it was asked for by a reader without a priority. It may also
   * become a resident at this moment, so the look at the residents comes last.
   */
  private void evicted(@Nullable Key key) {
    if (key != null) {
      key.file.offsets.remove(key.offset);
      if (residents.get(key) != null) {
        key.file.offsets.add(key.offset);
      }
    }
  }

  /** Lets go of all blocks of a file that was closed, without looking at those of others. */
  public void drop(FileKey file) {
    file.dropped = true;
    for (long offset : file.offsets) {
      Key key = new Key(file, offset);
      adaptive.invalidate(key);
      residents.remove(key);
    }
    file.offsets.clear();
    adaptiveBound.setMaximum(capacity - residents.weight());
  }

  public Stats stats() {
    adaptive.cleanUp();
    return new Stats(
        hits.sum(), misses.sum(), residents.weight(), adaptiveBound.weightedSize().orElseThrow());
  }
}
