package io.stele.client.metastore;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import org.jspecify.annotations.Nullable;

/**
 * One key, or all from one to another, in the order of their bytes.
 *
 * <pre>{@code
 * Keys.of("/services/a")                  // this one
 * Keys.below("/services")                 // all in the directory and the directories in it
 * Keys.prefix("/services/a")              // all that begin so: /services/a, /services/abc, ...
 * Keys.between("/services/a", "/services/c")   // the end is not part of it
 * Keys.all()
 * }</pre>
 */
public final class Keys {
  private static final Keys ALL = new Keys(Bytes.EMPTY, null, false);

  private final Bytes from;
  private final @Nullable Bytes to; // null for no end, or for one key
  private final boolean single;

  private Keys(Bytes from, @Nullable Bytes to, boolean single) {
    this.from = from;
    this.to = to;
    this.single = single;
  }

  public static Keys of(String key) {
    return new Keys(Bytes.utf8(key), null, true);
  }

  public static Keys prefix(String prefix) {
    Bytes from = Bytes.utf8(prefix);
    return new Keys(from, from.prefixEnd(), false);
  }

  public static Keys below(String directory) {
    return prefix(directory.endsWith("/") ? directory : directory + "/");
  }

  public static Keys between(String from, String to) {
    return between(Bytes.utf8(from), Bytes.utf8(to));
  }

  /** All from this one on. */
  public static Keys from(String from) {
    return new Keys(Bytes.utf8(from), null, false);
  }

  public static Keys all() {
    return ALL;
  }

  static Keys between(Bytes from, @Nullable Bytes to) {
    if (to != null && from.compareTo(to) > 0) {
      throw new InvalidRequestException(
          "keys from " + from + " to " + to + ": the end must not be before the start");
    }
    return new Keys(from, to, false);
  }

  /** The part behind a key of them. */
  Keys after(Bytes key) {
    return new Keys(key.successor(), single ? from.successor() : to, false);
  }

  Bytes first() {
    return from;
  }

  /** Null for no end, or for one key. */
  @Nullable Bytes end() {
    return to;
  }

  public boolean isSingle() {
    return single;
  }

  boolean contains(Bytes key) {
    return single
        ? key.equals(from)
        : key.compareTo(from) >= 0 && (to == null || key.compareTo(to) < 0);
  }

  @Override
  public String toString() {
    return single ? from.toString() : "from " + from + (to == null ? " on" : " to " + to);
  }
}
