package io.stele.metastore;

import io.stele.metastore.key.KeyRange;

/**
 * What of a range to read.
 *
 * @param limit the most keys; 0 for the server's own limit
 * @param keysOnly whether values are left out
 * @param countOnly whether only their number is wanted
 * @param revision at which to read; 0 for the newest
 */
public record RangeRead(
    KeyRange range, int limit, boolean keysOnly, boolean countOnly, long revision) {
  public static RangeRead of(KeyRange range) {
    return new RangeRead(range, 0, false, false, 0);
  }
}
