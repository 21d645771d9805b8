package io.stele.metastore.state;

import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.RefusedException;
import io.stele.metastore.command.Selection;
import io.stele.metastore.command.Selection.Order;
import io.stele.metastore.command.Selection.Target;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Picks what a {@link Selection} asks for out of the keys of its range, which it is shown one after
 * the other in their order.
 *
 * <p>Order and limit are those of etcd, whose clients ask this: a limit counts after sorting and
 * bounds, except for keys that are to be sorted by something else than the key in no named order;
 * these are cut first and sorted then.
 */
final class Selector {
  /** Of an answer: what would take more is refused, as nobody asked for a part of it. */
  private static final long MAX_BYTES = 256L << 20;

  private final Selection selection;
  private final List<KeyValue> kept = new ArrayList<>();
  private long bytes;
  private long count;
  private boolean more;

  Selector(Selection selection) {
    this.selection = selection;
  }

  /** Whether values are needed of keys that are shown from now on. */
  boolean needsValue() {
    return !selection.countOnly()
        && (!selection.keysOnly() || selection.target() == Target.VALUE)
        && !isFull();
  }

  /** True once no more keys are kept: those to come are only counted. */
  boolean isFull() {
    return selection.countOnly()
        || (selection.limit() > 0
            && !selection.isSortedOrBounded()
            && kept.size() >= selection.limit()
            && more);
  }

  /** So many keys more are there, and not shown. */
  void count(long keys) {
    count += keys;
  }

  void show(KeyValue kv) {
    count++;
    if (isFull() || !selection.bounds().contains(kv)) {
      return;
    }
    if (selection.limit() > 0
        && !selection.isSortedOrBounded()
        && kept.size() == selection.limit()) {
      more = true;
      if (selection.target() != Target.KEY) {
        keep(kv); // one too many, which the sorting may bring forward
      }
      return;
    }
    keep(kv);
  }

  private void keep(KeyValue kv) {
    bytes += 64L + kv.key().length() + kv.value().length();
    if (bytes > MAX_BYTES) {
      throw new RefusedException(
          Kind.EXHAUSTED, "keys of more than " + MAX_BYTES + " bytes in one answer: ask for less");
    }
    kept.add(kv);
  }

  long counted() {
    return count;
  }

  boolean more() {
    return more;
  }

  /** What was picked; ends the picking. */
  List<KeyValue> picked() {
    List<KeyValue> picked = kept;
    if (selection.order() != Order.NONE || selection.target() != Target.KEY) {
      Comparator<KeyValue> order = comparator();
      picked.sort(selection.order() == Order.DESCENDING ? order.reversed() : order);
    }
    if (selection.limit() > 0 && picked.size() > selection.limit()) {
      picked = picked.subList(0, Math.toIntExact(selection.limit()));
      more = true;
    }
    return selection.keysOnly() ? picked.stream().map(KeyValue::withoutValue).toList() : picked;
  }

  private Comparator<KeyValue> comparator() {
    return switch (selection.target()) {
      case KEY -> Comparator.comparing(KeyValue::key);
      case VERSION -> Comparator.comparingLong(KeyValue::version);
      case CREATED -> Comparator.comparingLong(KeyValue::created);
      case MODIFIED -> Comparator.comparingLong(KeyValue::modified);
      case VALUE -> Comparator.comparing(KeyValue::value);
    };
  }
}
