package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.engine.Scan;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.key.KeyRange;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The keys as a transaction sees them: what is stored, and over it what it has done so far. */
final class KeyView {
  /**
   * A key that the transaction touched.
   *
   * @param before as it is stored
   */
  private record Touched(Optional<KeyValue> before, Optional<KeyValue> now) {
    boolean isChange() {
      return before.isPresent() || now.isPresent();
    }

    long bytes(Bytes key) {
      return 4L * key.length() + length(before) + length(now);
    }

    private static int length(Optional<KeyValue> kv) {
      return kv.isPresent() ? kv.get().value().length() : 0;
    }
  }

  private final StateTables tables;
  private final NavigableMap<Bytes, Touched> touched = new TreeMap<>();
  private long bytes;

  KeyView(StateTables tables) {
    this.tables = tables;
  }

  Optional<KeyValue> get(Bytes key) {
    Touched mine = touched.get(key);
    return mine != null ? mine.now : tables.current(key);
  }

  /**
   * Puts a key, and returns what was there. All changes of one transaction are one version: the
   * first put counts it, the last one stays.
   */
  Optional<KeyValue> put(Bytes key, Bytes value, long session, long lease, long revision) {
    Touched mine = touched.get(key);
    Optional<KeyValue> before = mine != null ? mine.before : tables.current(key);
    Optional<KeyValue> now = mine != null ? mine.now : before;
    long created = revision;
    long version = 1;
    if (now.isPresent()) {
      boolean putBefore = now.get().modified() == revision;
      created = now.get().created();
      version = now.get().version() + (putBefore ? 0 : 1);
    }
    KeyValue fresh = new KeyValue(key, value, created, revision, version, session, lease);
    touch(key, new Touched(before, Optional.of(fresh)));
    return now;
  }

  /** Deletes a key that is there. */
  void delete(Bytes key) {
    Touched mine = touched.get(key);
    Optional<KeyValue> before = mine != null ? mine.before : tables.current(key);
    touch(key, new Touched(before, Optional.empty()));
  }

  private void touch(Bytes key, Touched now) {
    Touched before = touched.put(key, now);
    bytes += now.bytes(key) - (before == null ? 0 : before.bytes(key));
  }

  /** Of the keys that it touched, four times, and of their values before and now. */
  long bytes() {
    return bytes;
  }

  /** How many keys it touched. */
  int changed() {
    return touched.size();
  }

  /** How many keys more, or less, each session or lease would have. */
  Map<Long, Integer> more(Function<KeyValue, Long> owner) {
    Map<Long, Integer> more = new HashMap<>(0);
    for (Touched key : touched.values()) {
      long old = key.before.map(owner).orElse(0L);
      long fresh = key.now.map(owner).orElse(0L);
      if (old != fresh) {
        if (old != 0) {
          more.merge(old, -1, Integer::sum);
        }
        if (fresh != 0) {
          more.merge(fresh, 1, Integer::sum);
        }
      }
    }
    return more;
  }

  /**
   * Collects the keys of a range.
   *
   * @param limit the most keys; 0 for no limit
   * @param maxBytes where to stop
   * @return whether some were left out
   */
  boolean collect(KeyRange range, int limit, long maxBytes, List<KeyValue> found) {
    if (range.isSingle()) {
      get(range.from()).ifPresent(found::add);
      return false;
    }
    long[] bytes = {0};
    return !all(
        range,
        kv -> {
          if ((limit > 0 && found.size() == limit) || bytes[0] >= maxBytes) {
            return false;
          }
          bytes[0] += 64L + kv.key().length() + kv.value().length();
          found.add(kv);
          return true;
        });
  }

  /** Asks for each key of a range in order, until one does not pass; true if all did. */
  boolean all(KeyRange range, Predicate<KeyValue> passes) {
    if (range.isEmpty()) {
      return true;
    }
    Bytes to = range.to();
    Iterator<Map.Entry<Bytes, Touched>> mine =
        (to == null
                ? touched.tailMap(range.from(), true)
                : touched.subMap(range.from(), true, to, false))
            .entrySet()
            .iterator();
    Map.Entry<Bytes, Touched> next = step(mine);
    try (Scan scan = tables.scanKeys(range, tables.revision())) {
      while (scan.next()) {
        Bytes key = Rows.userKey(scan.cell());
        while (next != null && next.getKey().compareTo(key) < 0) {
          if (!passes(next, passes)) {
            return false;
          }
          next = step(mine);
        }
        if (next != null && next.getKey().equals(key)) {
          continue; // the loop above comes to it, or the one below
        }
        if (!StoredVersion.isDeletion(scan.cell())
            && !passes.test(StoredVersion.decode(key, scan.cell(), true).keyValue())) {
          return false;
        }
      }
    }
    while (next != null) {
      if (!passes(next, passes)) {
        return false;
      }
      next = step(mine);
    }
    return true;
  }

  private static Map.@Nullable Entry<Bytes, Touched> step(
      Iterator<Map.Entry<Bytes, Touched>> entries) {
    return entries.hasNext() ? entries.next() : null;
  }

  private static boolean passes(Map.Entry<Bytes, Touched> entry, Predicate<KeyValue> passes) {
    Optional<KeyValue> now = entry.getValue().now;
    return now.isEmpty() || passes.test(now.get());
  }

  /** Adds what is changed in the end to the effects; false if that is nothing. */
  boolean tell(Effects effects) {
    boolean any = false;
    for (Map.Entry<Bytes, Touched> entry : touched.entrySet()) {
      Touched key = entry.getValue();
      if (key.isChange()) {
        any = true;
        effects.change(
            key.now
                .map(kv -> new StoredVersion(false, kv))
                .orElseGet(() -> StoredVersion.deletion(entry.getKey(), effects.revision())),
            key.before);
      }
    }
    if (any) {
      effects.endRevision();
    }
    return any;
  }
}
