package io.stele.engine.disk;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;

/**
 * What a rewrite from the oldest fragment on can drop because of the cells of this fragment, once
 * the floor of the history has passed them: an estimate, from sums that were counted when the
 * fragment was written. Changes are taken to be spread evenly over their range.
 *
 * <pre>
 *   garbage := bytes(varint) deletions(varint) first(varint) last(varint)
 * </pre>
 *
 * @param bytes of notes and deletions, which go themselves, and of versions that replace an older
 *     one, here or in an older fragment, which is taken to be as large
 * @param deletions whose older versions have a size that is not known
 * @param first the lowest number of a change among these cells
 * @param last the highest; below {@code first} if there are none
 */
public record Garbage(long bytes, long deletions, long first, long last) {
  public static final Garbage NOTHING = new Garbage(0, 0, 1, 0);

  public Garbage {
    if (bytes < 0 || deletions < 0) {
      throw new IllegalArgumentException(
          "garbage of "
              + bytes
              + " bytes and "
              + deletions
              + " deletions: neither may be negative");
    }
  }

  /**
   * About how many bytes can be dropped.
   *
   * @param floor of the history
   * @param versionBytes on average, for what deletions replace
   */
  public long estimate(long floor, long versionBytes) {
    if (last < first || floor < first) {
      return 0;
    }
    double all = bytes + (double) deletions * versionBytes;
    double passed = (Math.min(floor, last) - first + 1.0) / (last - first + 1.0);
    return Math.round(all * passed);
  }

  void encode(ByteBuilder out) {
    out.putVarint(bytes).putVarint(deletions).putVarint(first).putVarint(last);
  }

  static Garbage decode(ByteReader in) throws Malformed {
    return new Garbage(in.readVarint(), in.readVarint(), in.readVarint(), in.readVarint());
  }
}
