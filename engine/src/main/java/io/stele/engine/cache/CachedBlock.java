package io.stele.engine.cache;

/** Something of a fragment that can be kept in the block cache. */
public interface CachedBlock {
  /** Bytes of memory it holds. */
  int weight();
}
