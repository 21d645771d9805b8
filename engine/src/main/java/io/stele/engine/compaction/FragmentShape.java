package io.stele.engine.compaction;

/**
 * What the policy knows of one fragment of a chain.
 *
 * @param bytes in the file
 * @param cells of all kinds
 * @param erasures of all kinds
 * @param garbage bytes that a rooted merge with this fragment could drop for its sake, about: they
 *     may be in older fragments
 */
public record FragmentShape(long bytes, long cells, long erasures, long garbage) {
  /** Of a store without a history. */
  public FragmentShape(long bytes, long cells, long erasures) {
    this(bytes, cells, erasures, 0);
  }

  public FragmentShape {
    if (bytes < 0 || cells < 0 || erasures < 0 || erasures > cells || garbage < 0) {
      throw new IllegalArgumentException(
          "fragment of "
              + bytes
              + " bytes with "
              + cells
              + " cells, "
              + erasures
              + " of them erasures, and "
              + garbage
              + " bytes of garbage: none may be negative, and erasures are cells");
    }
  }
}
