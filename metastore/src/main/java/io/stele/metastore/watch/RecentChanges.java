package io.stele.metastore.watch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * The newest changes, in memory, bounded by their bytes. One thread at a time.
 *
 * <p>Invariant: the revisions are consecutive.
 */
final class RecentChanges {
  private final long maxBytes;

  /** Changes, and what they take. */
  private record Kept(Changes changes, long bytes) {
    private long revision() {
      return changes.revision();
    }
  }

  private final Deque<Kept> changes = new ArrayDeque<>();
  private long bytes;

  RecentChanges(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  void add(Changes newest) {
    if (!changes.isEmpty() && changes.getLast().revision() + 1 != newest.revision()) {
      clear();
    }
    Kept kept = new Kept(newest, newest.bytes());
    changes.addLast(kept);
    bytes += kept.bytes();
    while (bytes > maxBytes && !changes.isEmpty()) {
      bytes -= changes.removeFirst().bytes();
    }
  }

  void clear() {
    changes.clear();
    bytes = 0;
  }

  /** Whether it begins at this revision or before. */
  boolean reaches(long revision) {
    return !changes.isEmpty() && changes.getFirst().revision() <= revision;
  }

  /** At most so many, from one revision to another, both included. */
  List<Changes> between(long from, long to, int most) {
    List<Changes> found = new ArrayList<>();
    if (changes.isEmpty()) {
      return found;
    }
    // Watchers are mostly near the end, so walk back from there.
    long behind = changes.getLast().revision() - from;
    Iterator<Kept> each = behind < changes.size() / 2 ? tail(behind) : changes.iterator();
    while (each.hasNext() && found.size() < most) {
      Kept next = each.next();
      if (next.revision() > to) {
        break;
      }
      if (next.revision() >= from) {
        found.add(next.changes());
      }
    }
    return found;
  }

  private Iterator<Kept> tail(long behind) {
    Deque<Kept> last = new ArrayDeque<>();
    Iterator<Kept> back = changes.descendingIterator();
    while (back.hasNext() && last.size() <= behind) {
      last.addFirst(back.next());
    }
    return last.iterator();
  }

  int size() {
    return changes.size();
  }

  long bytes() {
    return bytes;
  }
}
