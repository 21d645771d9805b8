package io.stele.engine.compaction;

/**
 * What the policy knows of one fragment of a chain.
 *
 * @param bytes in the file
 * @param cells of all kinds
 * @param erasures of all kinds
 */
public record FragmentShape(long bytes, long cells, long erasures) {
  public FragmentShape {
    if (bytes < 0 || cells < 0 || erasures < 0 || erasures > cells) {
      throw new IllegalArgumentException(
          "fragment of "
              + bytes
              + " bytes with "
              + cells
              + " cells, "
              + erasures
              + " of them erasures: none may be negative, and erasures are cells");
    }
  }
}
