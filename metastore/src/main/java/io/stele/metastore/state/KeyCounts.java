package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How many live keys there are in which stretches of the key space, so that a count need not walk
 * its whole range: it adds up the stretches inside and walks what is left at both ends.
 *
 * <p>Nothing is known at first. What a count walks, beyond a few hundred keys, is remembered as
 * stretches of about 256 keys, and kept right as keys come and go. Each stretch knows the revision
 * at which that happened last, so its number also holds for past revisions back to there; a count
 * at an older one walks it.
 *
 * <p>Memory: at most 16,384 stretches, whose first keys take at most 4 MiB; that is below 8 MiB in
 * all, whatever the number of keys. Where there would be more, stretches are joined.
 *
 * <p>Threads: one applies changes, any number count. The lock is held for a look at each stretch of
 * a range at most.
 */
final class KeyCounts {
  static final int PIECE = 256;
  private static final int MAX_STRETCHES = 16_384;
  private static final long MAX_KEY_BYTES = 4 << 20;
  private static final int MAX_WALKS = 16; // that are remembered, at a time
  private static final int MAX_MISSED = 100_000; // changes during one of them
  private static final long UNKNOWN = -1;

  /** Of keys from its own in the map to that of the next. */
  private static final class Stretch {
    long keys;
    long changed; // the revision at which a key came or went last, or of the walk

    Stretch(long keys, long changed) {
      this.keys = keys;
      this.changed = changed;
    }

    boolean isKnown() {
      return keys != UNKNOWN;
    }

    /** Takes in the one behind it; both are known. */
    void join(Stretch next) {
      keys += next.keys;
      changed = Math.max(changed, next.changed);
    }
  }

  private record Missed(Bytes key, int more, long revision) {}

  /** Guarded by this. Invariant: the first key is the empty one, so all keys are in a stretch. */
  private final TreeMap<Bytes, Stretch> stretches = new TreeMap<>();

  private final List<Walk> walks = new ArrayList<>(); // that are remembered; guarded by this
  private long revision; // up to which changes are in; guarded by this

  KeyCounts(long revision) {
    this.revision = revision;
    stretches.put(Bytes.EMPTY, new Stretch(UNKNOWN, revision));
  }

  // ---- changes

  /** Keys changed. Before the revision can be read. */
  synchronized void change(List<KeyChange> changes, long at) {
    revision = at;
    for (KeyChange change : changes) {
      int more = (change.deleted() ? 0 : 1) - (change.before().isPresent() ? 1 : 0);
      if (more != 0) {
        change(change.now().key(), more);
      }
    }
  }

  private void change(Bytes key, int more) {
    for (Walk walk : walks) {
      walk.miss(new Missed(key, more, revision));
    }
    Map.Entry<Bytes, Stretch> found = stretches.floorEntry(key);
    Stretch stretch = found.getValue();
    if (stretch.isKnown()) {
      stretch.keys += more;
      stretch.changed = revision;
      if (more < 0 && stretch.keys < PIECE / 4) {
        joinSmall(found.getKey());
      }
    }
  }

  /** More keys changed than are told. Before the revision can be read. */
  synchronized void forget(long at) {
    revision = at;
    walks.forEach(Walk::giveUp);
    walks.clear();
    stretches.clear();
    stretches.put(Bytes.EMPTY, new Stretch(UNKNOWN, at));
  }

  /** How many stretches there are. */
  synchronized int size() {
    return stretches.size();
  }

  // ---- counting

  /**
   * What is known of a range.
   *
   * @param known keys of it
   * @param walks over what is to be counted beside these; each must be closed
   */
  record Tally(long known, List<Walk> walks) {}

  /** Begins to count the keys of a range at a revision that can be read. */
  synchronized Tally begin(KeyRange range, long at) {
    long known = 0;
    List<Walk> left = new ArrayList<>(2);
    Bytes from = stretches.floorKey(range.from());
    Iterator<Map.Entry<Bytes, Stretch>> rest = stretches.tailMap(from, true).entrySet().iterator();
    Map.Entry<Bytes, Stretch> here = rest.next();
    while (here != null) {
      Map.@Nullable Entry<Bytes, Stretch> next = rest.hasNext() ? rest.next() : null;
      KeyRange all = new KeyRange(here.getKey(), next == null ? null : next.getKey());
      KeyRange inside = all.and(range);
      if (inside.isEmpty()) {
        break;
      }
      Stretch stretch = here.getValue();
      if (stretch.isKnown() && stretch.changed <= at && inside.equals(all)) {
        known += stretch.keys;
      } else {
        left.add(walk(new Walk(all, stretch, inside, at)));
      }
      here = next;
    }
    return new Tally(known, left);
  }

  private Walk walk(Walk walk) {
    if (walk.at >= revision && walks.size() < MAX_WALKS) {
      walks.add(walk); // it misses nothing that comes from now on
    } else {
      walk.giveUp();
    }
    return walk;
  }

  /** A part of a count that has to look at each key, and what is learnt from it. */
  final class Walk implements AutoCloseable {
    private final KeyRange all; // of the stretch
    private final Stretch stretch;
    private final KeyRange range; // of it
    private final long at;
    private final List<Bytes> starts = new ArrayList<>();
    private final List<Stretch> pieces = new ArrayList<>();
    private final List<Missed> missed = new ArrayList<>(); // guarded by the counts
    private volatile boolean givenUp;
    private long size = PIECE; // of a piece
    private long keys;
    private boolean complete;

    private Walk(KeyRange all, Stretch stretch, KeyRange range, long at) {
      this.all = all;
      this.stretch = stretch;
      this.range = range;
      this.at = at;
      starts.add(range.from());
      pieces.add(new Stretch(0, at));
    }

    KeyRange range() {
      return range;
    }

    long keys() {
      return keys;
    }

    /** True if the next key begins a piece, by {@link #begin}. */
    boolean isFull() {
      return !givenUp && pieces.getLast().keys == size;
    }

    void begin(Bytes key) {
      if (pieces.size() == MAX_STRETCHES / 4) {
        halve();
      }
      starts.add(key);
      pieces.add(new Stretch(0, at));
    }

    void add() {
      keys++;
      pieces.getLast().keys++;
    }

    private void halve() {
      for (int i = 0; i < pieces.size() - 1; i++) { // each one swallows what was behind it
        pieces.get(i).join(pieces.remove(i + 1));
        starts.remove(i + 1);
      }
      size *= 2;
    }

    private void miss(Missed change) {
      if (range.contains(change.key)) {
        missed.add(change);
        givenUp |= missed.size() > MAX_MISSED;
      }
    }

    private void giveUp() {
      givenUp = true;
    }

    /** All keys of the range were added, and the revision can still be read. */
    void complete() {
      complete = true;
    }

    @Override
    public void close() {
      end(this);
    }
  }

  private synchronized void end(Walk walk) {
    walks.remove(walk);
    boolean whole = walk.range.equals(walk.all);
    if (walk.complete
        && !walk.givenUp
        && (walk.pieces.size() > 1 || (whole && !walk.stretch.isKnown()))
        && isAsItWas(walk)) {
      learn(walk);
      keepBounds();
    }
  }

  /** False if the stretch was joined with others, or parted, or forgotten. */
  private boolean isAsItWas(Walk walk) {
    return stretches.get(walk.all.from()) == walk.stretch
        && Objects.equals(stretches.higherKey(walk.all.from()), walk.all.to());
  }

  /** Parts a stretch: what was walked, in pieces, and what is left before and behind it. */
  private void learn(Walk walk) {
    TreeMap<Bytes, Stretch> pieces = new TreeMap<>();
    for (int i = 0; i < walk.pieces.size(); i++) {
      pieces.put(walk.starts.get(i), walk.pieces.get(i));
    }
    long walked = walk.keys;
    for (Missed change : walk.missed) {
      Stretch piece = pieces.floorEntry(change.key).getValue();
      piece.keys += change.more;
      piece.changed = change.revision;
      walked += change.more;
    }
    boolean before = !walk.range.from().equals(walk.all.from());
    boolean behind = !Objects.equals(walk.range.to(), walk.all.to());
    boolean rest = walk.stretch.isKnown() && before != behind; // on one side: the difference
    long left = rest ? walk.stretch.keys - walked : UNKNOWN;
    if (before) {
      stretches.put(walk.all.from(), new Stretch(left, walk.stretch.changed));
    }
    stretches.putAll(pieces);
    if (behind) {
      stretches.put(walk.range.to(), new Stretch(left, walk.stretch.changed));
    }
    joinSmall(pieces.firstKey());
    joinSmall(stretches.floorKey(pieces.lastKey()));
  }

  /** A stretch of few keys becomes part of the one behind or before it. */
  private void joinSmall(Bytes from) {
    if (!joinNext(from)) {
      Bytes before = stretches.lowerKey(from);
      if (before != null) {
        joinNext(before);
      }
    }
  }

  /** Joins a stretch with the one behind it, if both have few keys together. */
  private boolean joinNext(Bytes from) {
    Stretch stretch = stretches.floorEntry(from).getValue();
    Map.Entry<Bytes, Stretch> next = stretches.higherEntry(from);
    if (next == null
        || !stretch.isKnown()
        || !next.getValue().isKnown()
        || stretch.keys + next.getValue().keys > PIECE) {
      return false;
    }
    stretch.join(next.getValue());
    stretches.remove(next.getKey());
    return true;
  }

  private void keepBounds() {
    while (stretches.size() > MAX_STRETCHES || keyBytes() > MAX_KEY_BYTES) {
      int before = stretches.size();
      joinPairs();
      if (stretches.size() > before / 4 * 3) {
        forget(revision); // what is known lies scattered
      }
    }
  }

  private long keyBytes() {
    return stretches.keySet().stream().mapToLong(Bytes::length).sum();
  }

  private void joinPairs() {
    Stretch last = null;
    for (Iterator<Stretch> all = stretches.values().iterator(); all.hasNext(); ) {
      Stretch stretch = all.next();
      if (last != null && last.isKnown() && stretch.isKnown()) {
        last.join(stretch);
        all.remove();
        last = null;
      } else {
        last = stretch;
      }
    }
  }
}
