package io.stele.metastore.key;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import org.jspecify.annotations.Nullable;

/**
 * Keys from one, included, to another, excluded.
 *
 * @param to null for no end
 */
public record KeyRange(Bytes from, @Nullable Bytes to) {
  public static final KeyRange ALL = new KeyRange(Bytes.EMPTY, null);

  public KeyRange {
    if (to != null && from.compareTo(to) > 0) {
      throw new InvalidRequestException(
          "range from " + from + " to " + to + ": the end must not be before the start");
    }
  }

  /** One key alone. */
  public static KeyRange of(Bytes key) {
    return new KeyRange(key, key.successor());
  }

  /** All keys that begin with these bytes: all keys there are, if these are none. */
  public static KeyRange prefix(Bytes prefix) {
    return new KeyRange(prefix, prefix.prefixEnd());
  }

  public boolean contains(Bytes key) {
    return key.compareTo(from) >= 0 && (to == null || key.compareTo(to) < 0);
  }

  public boolean isSingle() {
    return to != null && to.equals(from.successor());
  }

  public boolean isEmpty() {
    return to != null && from.equals(to);
  }

  /** What both hold; an empty range if that is nothing. */
  public KeyRange and(KeyRange other) {
    Bytes start = from.compareTo(other.from) >= 0 ? from : other.from;
    Bytes end = to == null || (other.to != null && other.to.compareTo(to) < 0) ? other.to : to;
    return end != null && start.compareTo(end) > 0
        ? new KeyRange(start, start)
        : new KeyRange(start, end);
  }

  public boolean overlaps(KeyRange other) {
    return !isEmpty()
        && !other.isEmpty()
        && (other.to == null || from.compareTo(other.to) < 0)
        && (to == null || other.from.compareTo(to) < 0);
  }
}
