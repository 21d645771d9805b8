package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.engine.Scan;
import io.stele.metastore.RangeAnswer;
import io.stele.metastore.RangeRead;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.RefusedException;
import io.stele.metastore.command.Selection;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads keys at a revision, while others change them.
 *
 * <p>A reader takes the newest revision first and then reads nothing above it, so it sees whole
 * revisions only, and never less than one who came before. A revision that is read may be compacted
 * meanwhile: so that is asked again when the reading is done.
 */
final class StateReader {
  /** Of a sweep's changes, as they are in memory at once. */
  private static final long SWEPT_BYTES = 64L << 20;

  private final StateTables tables;

  StateReader(StateTables tables) {
    this.tables = tables;
  }

  RangeAnswer read(RangeRead read) {
    return at(read.revision(), revision -> read(read, revision));
  }

  private RangeAnswer read(RangeRead read, long revision) {
    // Of a read of the newest the very one: whoever goes on with a next page reads it there.
    long newest = read.revision() == 0 ? revision : tables.revision();
    if (read.countOnly()) {
      return new RangeAnswer(newest, List.of(), false, count(read.range(), revision));
    }
    if (read.range().isSingle()) {
      List<KeyValue> found = get(read.range().from(), revision).stream().toList();
      if (read.keysOnly() && !found.isEmpty()) {
        KeyValue kv = found.getFirst();
        found = List.of(kv.withoutValue());
      }
      return new RangeAnswer(newest, found, false, found.size());
    }
    List<KeyValue> found = new ArrayList<>();
    boolean more = scan(read.range(), read.limit(), !read.keysOnly(), revision, found);
    return new RangeAnswer(newest, found, more, found.size());
  }

  /** Keys as {@link Selection} says, with the number of all in the range. */
  RangeAnswer select(Selection selection) {
    return at(
        selection.revision(),
        revision -> {
          Selector selector = new Selector(selection.unsorted());
          show(selection, revision, selector);
          long newest = selection.revision() == 0 ? revision : tables.revision();
          List<KeyValue> picked = selector.picked();
          return new RangeAnswer(newest, picked, selector.more(), selector.counted());
        });
  }

  /** Shows the keys of the range at a revision, in their order. */
  void show(Selection selection, long revision, Selector selector) {
    if (selection.range().isSingle()) {
      get(selection.range().from(), revision).ifPresent(selector::show);
      return;
    }
    if (selection.range().isEmpty()) {
      return;
    }
    KeyRange range = selection.range();
    Bytes rest = selector.isFull() ? range.from() : showUntilFull(range, revision, selector);
    if (rest != null) {
      selector.count(count(new KeyRange(rest, range.to()), revision));
    }
  }

  /** Answers from which key on keys need only be counted; null if none are left. */
  private @Nullable Bytes showUntilFull(KeyRange range, long revision, Selector selector) {
    try (Scan scan = tables.scanKeys(range, revision)) {
      while (scan.next()) {
        if (StoredVersion.isDeletion(scan.cell())) {
          continue;
        }
        Bytes key = Rows.userKey(scan.cell());
        selector.show(StoredVersion.decode(key, scan.cell(), selector.needsValue()).keyValue());
        if (selector.isFull()) {
          return key.successor();
        }
      }
    }
    return null;
  }

  /** Reads at a revision, or at the newest if it is 0, until no compaction got in the way. */
  <T> T at(long wanted, LongFunction<T> reading) {
    while (true) {
      long newest = tables.revision();
      if (wanted > newest || wanted < 0) {
        throw new RefusedException(
            Kind.FUTURE_REVISION,
            "revision " + wanted + " is a future revision: the newest is " + newest);
      }
      checkCompacted(wanted);
      long revision = wanted == 0 ? newest : wanted;
      T result = reading.apply(revision);
      if (revision >= tables.compacted()) {
        return result;
      } // else it is refused now, or the newest is another one
    }
  }

  private void checkCompacted(long wanted) {
    long compacted = tables.compacted();
    if (wanted != 0 && wanted < compacted) {
      throw new RefusedException(
          Kind.COMPACTED, "revision " + wanted + " has been compacted: the oldest is " + compacted);
    }
  }

  /** One key at a revision. */
  Optional<KeyValue> get(Bytes key, long revision) {
    Optional<StoredVersion> newest = tables.newest(key);
    if (newest.isEmpty() || newest.get().modified() <= revision) {
      return newest.flatMap(StoredVersion::live);
    }
    try (Scan scan = tables.scanKeys(KeyRange.of(key), revision)) {
      return scan.next() ? StoredVersion.decode(key, scan.cell(), true).live() : Optional.empty();
    }
  }

  /**
   * Collects the keys of a range, and answers whether a limit left some out.
   *
   * @param limit the most keys, or 0
   */
  private boolean scan(
      KeyRange range, int limit, boolean withValues, long revision, List<KeyValue> found) {
    long bytes = 0;
    try (Scan scan = tables.scanKeys(range, revision)) {
      while (scan.next()) {
        if (StoredVersion.isDeletion(scan.cell())) {
          continue;
        }
        if ((limit > 0 && found.size() == limit) || bytes >= tables.limits().answerBytes()) {
          return true;
        }
        KeyValue kv =
            StoredVersion.decode(Rows.userKey(scan.cell()), scan.cell(), withValues).keyValue();
        bytes += 64L + kv.key().length() + kv.value().length();
        found.add(kv);
      }
    }
    return false;
  }

  private long count(KeyRange range, long revision) {
    KeyCounts.Tally tally = tables.counts().begin(range, revision);
    long count = tally.known();
    try {
      for (KeyCounts.Walk walk : tally.walks()) {
        count += count(walk, revision);
      }
    } finally {
      tally.walks().forEach(KeyCounts.Walk::close);
    }
    return count;
  }

  private long count(KeyCounts.Walk walk, long revision) {
    try (Scan scan = tables.scanKeys(walk.range(), revision)) {
      while (scan.next()) {
        if (!StoredVersion.isDeletion(scan.cell())) {
          if (walk.isFull()) {
            walk.begin(Rows.userKey(scan.cell()));
          }
          walk.add();
        }
      }
    }
    if (revision >= tables.compacted()) {
      walk.complete();
    }
    return walk.keys();
  }

  /**
   * What revisions did, from one on, as many as fit in some bytes and at least one if there is any.
   *
   * @param range of a sweep only keys in it are told
   * @param previous whether to tell what was there before
   */
  List<RevisionChanges> changes(KeyRange range, long from, int maxBytes, boolean previous) {
    checkWatchable(from);
    long newest = tables.revision();
    List<RevisionChanges> found = new ArrayList<>();
    if (from <= newest) {
      ReadPredicate rows = ReadPredicate.rows(Rows.changes(from, newest + 1));
      long bytes = 0;
      try (Scan scan = tables.store.scan(rows)) {
        while (bytes < maxBytes && scan.next()) {
          long revision = Rows.numberOf(scan.cell());
          List<KeyChange> changes = new ArrayList<>();
          Optional<KeyRange> swept = ChangedKeys.swept(revision, scan.cell());
          if (swept.isPresent()) {
            bytes += 64 + sweep(swept.get().and(range), revision, previous, changes);
          } else {
            for (Bytes key : ChangedKeys.decode(revision, scan.cell())) {
              KeyChange change = change(key, revision, previous);
              changes.add(change);
              bytes += size(change);
            }
          }
          found.add(new RevisionChanges(revision, changes));
        }
      }
    }
    checkWatchable(from);
    return found;
  }

  /** What a sweep did to a range; answers how many bytes that takes. */
  private long sweep(KeyRange range, long revision, boolean previous, List<KeyChange> changes) {
    if (range.isEmpty()) {
      return 0;
    }
    long bytes = 0;
    ReadPredicate versions =
        ReadPredicate.rows(Rows.keys(range))
            .withColumns(ColumnRange.family(Rows.VALUES))
            .withTime(revision, revision + 1);
    try (Scan scan = tables.store.scan(versions)) {
      while (scan.next()) {
        Bytes key = Rows.userKey(scan.cell());
        KeyChange change =
            previous
                ? change(key, revision, true)
                : new KeyChange(
                    true, StoredVersion.deletion(key, revision).keyValue(), Optional.empty());
        changes.add(change);
        bytes += size(change);
        if (bytes > SWEPT_BYTES) {
          throw new RefusedException(
              Kind.EXHAUSTED,
              "revision "
                  + revision
                  + " deleted keys that take more than "
                  + SWEPT_BYTES
                  + " bytes to tell: read what is left, and watch from revision "
                  + (revision + 1)
                  + " on");
        }
      }
    }
    return bytes;
  }

  private static long size(KeyChange change) {
    return 64L + size(change.now()) + change.before().map(StateReader::size).orElse(0);
  }

  private static int size(KeyValue kv) {
    return kv.key().length() + kv.value().length();
  }

  private KeyChange change(Bytes key, long revision, boolean previous) {
    ReadPredicate versions =
        ReadPredicate.rows(Rows.keys(KeyRange.of(key)))
            .withTime(Long.MIN_VALUE, revision + 1)
            .withHistory(previous ? 2 : 1)
            .withColumns(ColumnRange.family(Rows.VALUES));
    try (Scan scan = tables.store.scan(versions)) {
      // What was reclaimed while we read is refused when we are done.
      StoredVersion now =
          scan.next()
              ? StoredVersion.decode(key, scan.cell(), true)
              : StoredVersion.deletion(key, revision);
      Optional<KeyValue> before =
          previous && scan.next()
              ? StoredVersion.decode(key, scan.cell(), true).live()
              : Optional.empty();
      return new KeyChange(now.deleted(), now.keyValue(), before);
    }
  }

  private void checkWatchable(long from) {
    long oldest = tables.oldestChanges();
    if (from < oldest) {
      throw new RefusedException(
          Kind.COMPACTED,
          "changes from revision " + from + " on have been compacted: the oldest are of " + oldest);
    }
  }
}
