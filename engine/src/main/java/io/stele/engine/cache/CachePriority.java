package io.stele.engine.cache;

/**
 * How much a fragment's blocks deserve to stay in memory, by which of its families belong to
 * in-memory groups. The first three are worth reading ahead of any request.
 */
public enum CachePriority {
  /** All families in one in-memory group. */
  ONE_GROUP,
  /** All families in two or more in-memory groups. */
  SEVERAL_GROUPS,
  /** Some families in at least one in-memory group. */
  SOME_FAMILIES,
  /** No family in an in-memory group: cached when read. */
  ON_DEMAND;

  public boolean preloads() {
    return this != ON_DEMAND;
  }
}
