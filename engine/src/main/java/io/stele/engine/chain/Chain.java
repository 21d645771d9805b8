package io.stele.engine.chain;

import io.stele.base.cell.CellView;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment;
import io.stele.engine.fragment.Fragment.TimeBounds;
import io.stele.engine.merge.MergeCursor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The fragments of one group, oldest first. Immutable: each change makes another chain. Two are
 * equal if they have the same fragments.
 *
 * <p>Invariant: no fragment has a transaction that is at or below one of an older fragment, except
 * that a replayed log may repeat cells that had been flushed.
 */
public final class Chain {
  public static final Chain EMPTY = new Chain(List.of());

  private final List<Link> links;
  private final boolean wide;

  public Chain(List<Link> links) {
    this.links = List.copyOf(links);
    this.wide = links.stream().anyMatch(link -> link.fragment().mayHoldWideErasures());
  }

  public List<Link> links() {
    return links;
  }

  public Chain append(Link link) {
    List<Link> longer = new ArrayList<>(links);
    longer.add(link);
    return new Chain(longer);
  }

  public Chain prepend(Link link) {
    List<Link> longer = new ArrayList<>(links);
    longer.addFirst(link);
    return new Chain(longer);
  }

  /**
   * The chain with a run of links replaced by what they were merged into, or nothing if exactly
   * these links are no longer next to each other in it: the merge was then for nothing.
   *
   * @param output nothing if no cell of the inputs had to be kept
   */
  public Optional<Chain> replace(List<Link> inputs, Optional<Link> output) {
    for (int at = 0; at + inputs.size() <= links.size(); at++) {
      if (links.get(at).fragment().equals(inputs.getFirst().fragment())) {
        if (!links.subList(at, at + inputs.size()).equals(inputs)) {
          return Optional.empty();
        }
        List<Link> replaced = new ArrayList<>(links.subList(0, at));
        output.ifPresent(replaced::add);
        replaced.addAll(links.subList(at + inputs.size(), links.size()));
        return Optional.of(new Chain(replaced));
      }
    }
    return Optional.empty();
  }

  /**
   * Can an erasure of a column, family or row be among the cells? A mem fragment may get its first
   * one at any time, so it is asked again.
   */
  public boolean mayHoldWideErasures() {
    return wide || (!links.isEmpty() && links.getLast().fragment().mayHoldWideErasures());
  }

  /** All cells, merged. */
  public CellCursor cursor(TimeBounds bounds) {
    return cursor(links, bounds);
  }

  public static CellCursor cursor(List<Link> links, TimeBounds bounds) {
    List<CellCursor> cursors = new ArrayList<>(links.size());
    for (Link link : links) {
      cursors.add(link.cursor(bounds));
    }
    return MergeCursor.of(cursors);
  }

  /** The cells of a row from some place on, merged; nothing if no fragment has any. */
  public Optional<CellCursor> rowCursor(CellView from) {
    CellCursor only = null;
    List<CellCursor> several = null;
    for (int i = links.size() - 1; i >= 0; i--) {
      Optional<CellCursor> cursor = links.get(i).rowCursor(from);
      if (cursor.isEmpty()) {
        continue;
      }
      if (only == null) {
        only = cursor.get();
      } else {
        if (several == null) {
          several = new ArrayList<>(links.size());
          several.add(only);
        }
        several.add(cursor.get());
      }
    }
    return several == null ? Optional.ofNullable(only) : Optional.of(MergeCursor.of(several));
  }

  /** The disk or mem fragments, oldest first. */
  public List<Fragment> fragments() {
    return links.stream().map(Link::fragment).toList();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Chain chain && chain.links.equals(links);
  }

  @Override
  public int hashCode() {
    return links.hashCode();
  }

  @Override
  public String toString() {
    return "Chain" + links;
  }
}
