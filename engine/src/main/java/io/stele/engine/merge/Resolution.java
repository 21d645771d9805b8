package io.stele.engine.merge;

import io.stele.base.error.InvalidRequestException;

/** Which of several cells that speak of the same place a reader believes. */
public sealed interface Resolution {
  Resolution BY_COMMIT = new ByCommit();

  /**
   * The one that was committed last: of versions with one timestamp, the one of the highest
   * transaction; an erasure hides what was committed before it and never what comes later.
   */
  record ByCommit() implements Resolution {
    @Override
    public boolean isByTime() {
      return false;
    }
  }

  /**
   * What a reader sees depends on which cells there are, and never on the order in which they came:
   *
   * <ul>
   *   <li>of versions of one column with one timestamp, an erasure of the cell wins over puts, and
   *       of puts the one with the greater value, by unsigned bytes;
   *   <li>a wide erasure hides all versions whose timestamps are in its range.
   * </ul>
   *
   * <p>Erasures leave the files once they have been here for the grace time, all that they can hide
   * is older than that, and nobody has still to get them.
   */
  record ByTime(long erasureGraceMicros) implements Resolution {
    public ByTime {
      if (erasureGraceMicros < 0) {
        throw new InvalidRequestException(
            "erasures kept for " + erasureGraceMicros + " microseconds: must not be negative");
      }
    }

    @Override
    public boolean isByTime() {
      return true;
    }
  }

  boolean isByTime();
}
