package io.stele.engine.cache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The blocks that stay in memory, by priority. One that finds no room displaces blocks of worse
 * priorities, the worst first and in it the oldest; among equals who was first stays.
 */
final class Residents {
  /**
   * What became of a block.
   *
   * @param displaced blocks that had to make room
   * @param weight of all residents afterwards
   */
  record Admission(boolean admitted, Map<BlockCache.Key, CachedBlock> displaced, long weight) {}

  /** The blocks of one priority, in the order of arrival, and their weight. */
  private static final class Rank {
    final CachePriority priority;
    final Map<BlockCache.Key, CachedBlock> blocks = new LinkedHashMap<>();
    long weight;

    Rank(CachePriority priority) {
      this.priority = priority;
    }
  }

  private final long capacity;
  private final Map<BlockCache.Key, CachedBlock> all =
      new ConcurrentHashMap<>(); // read without the lock

  // Guarded by this. The best priority first; each block is in its rank and in all.
  private final List<Rank> ranks = new ArrayList<>();
  private long weight; // of all ranks

  Residents(long capacity) {
    this.capacity = capacity;
    for (CachePriority priority : CachePriority.values()) {
      ranks.add(new Rank(priority));
    }
  }

  @Nullable CachedBlock get(BlockCache.Key key) {
    return all.get(key);
  }

  synchronized long weight() {
    return weight;
  }

  synchronized Admission admit(BlockCache.Key key, CachePriority priority, CachedBlock block) {
    Map<BlockCache.Key, CachedBlock> displaced = new HashMap<>();
    if (all.containsKey(key)) { // two threads loaded it at once
      return new Admission(true, displaced, weight);
    }
    if (room(priority) < block.weight()) {
      return new Admission(false, displaced, weight);
    }
    for (Rank rank : ranks.reversed()) {
      Iterator<Map.Entry<BlockCache.Key, CachedBlock>> oldest = rank.blocks.entrySet().iterator();
      while (capacity - weight < block.weight() && oldest.hasNext()) {
        Map.Entry<BlockCache.Key, CachedBlock> entry = oldest.next();
        displaced.put(entry.getKey(), entry.getValue());
        oldest.remove();
        forget(rank, entry.getKey(), entry.getValue());
      }
    }
    for (Rank rank : ranks) {
      if (rank.priority == priority) {
        rank.blocks.put(key, block);
        rank.weight += block.weight();
      }
    }
    all.put(key, block);
    weight += block.weight();
    return new Admission(true, displaced, weight);
  }

  /** What a block of this priority could have: all that is free or taken by worse ones. */
  private long room(CachePriority priority) {
    long room = capacity - weight;
    for (Rank rank : ranks) {
      if (rank.priority.compareTo(priority) > 0) {
        room += rank.weight;
      }
    }
    return room;
  }

  /** Returns the weight that is left. */
  synchronized long remove(BlockCache.Key key) {
    for (Rank rank : ranks) {
      CachedBlock block = rank.blocks.remove(key);
      if (block != null) {
        forget(rank, key, block);
      }
    }
    return weight;
  }

  private void forget(Rank rank, BlockCache.Key key, CachedBlock block) {
    all.remove(key);
    rank.weight -= block.weight();
    weight -= block.weight();
  }
}
