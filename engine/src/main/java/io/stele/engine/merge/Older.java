package io.stele.engine.merge;

import io.stele.engine.fragment.Fragment;
import java.util.Collection;

/**
 * What a rewrite knows of the fragments that are older than its sources. Whatever the sources hide
 * there must stay hidden by what the rewrite keeps.
 *
 * @param any false if the rewrite is <em>rooted</em>: its sources include the oldest fragment
 * @param maxTimestamp no version in them has a newer timestamp; {@link Long#MAX_VALUE} if that is
 *     not known
 */
public record Older(boolean any, long maxTimestamp) {
  /** There are none. */
  public static final Older NONE = new Older(false, Long.MIN_VALUE);

  /** There may be some, with any timestamps. */
  public static final Older UNKNOWN = new Older(true, Long.MAX_VALUE);

  /** The given ones and no others. */
  public static Older of(Collection<? extends Fragment> fragments) {
    return fragments.isEmpty()
        ? NONE
        : new Older(
            true,
            fragments.stream().mapToLong(Fragment::maxTimestamp).reduce(Long.MIN_VALUE, Math::max));
  }

  /** These and the others. */
  public Older and(Older other) {
    return new Older(any || other.any, Math.max(maxTimestamp, other.maxTimestamp));
  }

  /**
   * Can they hold a version with this timestamp? Then a newer version that overwrote it must not be
   * purged: without it, the overwritten one would be read once the purge policy allows more, or
   * once the versions that made both superfluous are erased.
   */
  boolean mayHoldVersion(long timestamp) {
    return any && timestamp <= maxTimestamp;
  }
}
