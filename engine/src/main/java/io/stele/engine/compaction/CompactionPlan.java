package io.stele.engine.compaction;

/**
 * The intent to merge the adjacent fragments {@code [from, to)} of a chain, oldest first, into one.
 *
 * @param reason for people: which rule asked for it
 */
public record CompactionPlan(int from, int to, String reason) {
  public CompactionPlan {
    if (from < 0 || to <= from) {
      throw new IllegalArgumentException(
          "plan to merge fragments [" + from + ", " + to + "): there must be at least one");
    }
  }

  /** True if the oldest fragment is among them, so that erasures may go. */
  public boolean rooted() {
    return from == 0;
  }

  public int width() {
    return to - from;
  }
}
