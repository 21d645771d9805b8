package io.stele.metastore.key;

import io.stele.base.bytes.Bytes;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keys of any bytes, for protocols whose keys are no paths. They live beside the paths, in the same
 * order and under the same revisions: a byte in front, with which no path begins, sets them apart.
 *
 * <pre>
 *   opaque key := 'e' bytes        1 to 30,000 bytes: their escaped form must fit an engine's row
 * </pre>
 *
 * <p>What is asked about paths ends before it ({@link #PATHS}), and what is asked about opaque keys
 * ends behind it, so neither kind is seen, changed or deleted by who asks for the other.
 */
public final class OpaqueKey {
  /** The most bytes, without the mark. */
  public static final int MAX_BYTES = 30_000;

  /** All keys that are paths. */
  public static final KeyRange PATHS = new KeyRange(PathKey.ROOT, Bytes.of((byte) ('/' + 1)));

  private static final byte MARK = 'e';
  private static final Bytes PREFIX = Bytes.of(MARK);
  private static final Bytes END = Bytes.of((byte) (MARK + 1));

  private OpaqueKey() {}

  /** The key of these bytes, as the metastore knows it. */
  public static Bytes of(byte[] bytes) {
    byte[] key = new byte[bytes.length + 1];
    key[0] = MARK;
    System.arraycopy(bytes, 0, key, 1, bytes.length);
    return Bytes.wrap(key);
  }

  /** The keys from these bytes on, to before those; null for no end. */
  public static KeyRange range(byte[] from, byte @Nullable [] to) {
    return new KeyRange(of(from), to == null ? END : of(to));
  }

  public static boolean is(Bytes key) {
    return key.startsWith(PREFIX);
  }

  /** Whether all keys of a range are opaque. */
  public static boolean holds(KeyRange range) {
    Bytes to = range.to();
    return is(range.from()) && to != null && to.compareTo(END) <= 0;
  }

  /** What is wrong with a key, if anything. */
  public static Optional<String> problem(Bytes key) {
    int bytes = key.length() - 1;
    return !is(key) || bytes < 1 || bytes > MAX_BYTES
        ? Optional.of("key of " + bytes + " bytes: must have from 1 to " + MAX_BYTES)
        : Optional.empty();
  }

  /** The part of a range that holds paths. */
  public static KeyRange paths(KeyRange range) {
    Bytes from = range.from().compareTo(PATHS.from()) < 0 ? PATHS.from() : range.from();
    Bytes to = range.to();
    Bytes end = PATHS.to();
    Bytes until = to == null || (end != null && to.compareTo(end) > 0) ? end : to;
    return until != null && from.compareTo(until) > 0
        ? new KeyRange(from, from)
        : new KeyRange(from, until);
  }
}
