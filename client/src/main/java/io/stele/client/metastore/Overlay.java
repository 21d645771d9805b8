package io.stele.client.metastore;

import io.stele.base.bytes.Bytes;
import io.stele.client.metastore.Step.Put;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The writes of a transaction that are not committed yet, over what it reads: the last write of a
 * key counts. Keys are ordered by their bytes, as the server orders them.
 */
final class Overlay {
  private final NavigableMap<Bytes, Step> writes = new TreeMap<>();

  void put(Put put) {
    writes.put(Bytes.utf8(put.key()), put);
  }

  void delete(String key) {
    writes.put(Bytes.utf8(key), Step.delete(key));
  }

  List<Step> writes() {
    return List.copyOf(writes.values());
  }

  boolean isEmpty() {
    return writes.isEmpty();
  }

  boolean wrote(String key) {
    return writes.containsKey(Bytes.utf8(key));
  }

  /** What was put to a key; empty if it was deleted, or not written at all. */
  Optional<KeyValue> written(String key) {
    return Optional.ofNullable(writes.get(Bytes.utf8(key))).flatMap(Overlay::seen);
  }

  /**
   * A page of what the store holds, with the writes over it: in the same order.
   *
   * @param keys that were asked for, from behind the page before
   * @param last the last key the page answers for; null if it answers for all
   */
  List<KeyValue> over(List<KeyValue> stored, Keys keys, @Nullable Bytes last) {
    List<KeyValue> merged = new ArrayList<>();
    var ours = writes.tailMap(keys.first(), true).entrySet().iterator();
    var own = ours.hasNext() ? ours.next() : null;
    for (KeyValue theirs : stored) {
      Bytes key = Bytes.utf8(theirs.key());
      while (own != null && own.getKey().compareTo(key) < 0) {
        seen(own.getValue()).ifPresent(merged::add);
        own = ours.hasNext() ? ours.next() : null;
      }
      if (own != null && own.getKey().equals(key)) {
        seen(own.getValue()).ifPresent(merged::add);
        own = ours.hasNext() ? ours.next() : null;
      } else {
        merged.add(theirs);
      }
    }
    while (own != null
        && keys.contains(own.getKey())
        && (last == null || own.getKey().compareTo(last) <= 0)) {
      seen(own.getValue()).ifPresent(merged::add);
      own = ours.hasNext() ? ours.next() : null;
    }
    return merged;
  }

  /** Revisions and version are not known before the commit. */
  private static Optional<KeyValue> seen(Step write) {
    return write instanceof Put put
        ? Optional.of(new KeyValue(put.key(), put.value(), 0, 0, 0, put.session()))
        : Optional.empty();
  }
}
