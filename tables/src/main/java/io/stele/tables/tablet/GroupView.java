package io.stele.tables.tablet;

import io.stele.base.schema.GroupSchema;
import io.stele.engine.chain.Link;
import io.stele.engine.memory.MemFragment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What all tablets of a table share of a locality group at one moment: its cells in memory. One mem
 * fragment serves all tablets, so that a thousand small tablets do not make a thousand small files.
 *
 * <p>Invariant: all mem fragments but the last are frozen.
 *
 * @param mems oldest first; those from before a schema change may be restricted to some families,
 *     and shared with other groups
 */
public record GroupView(GroupSchema schema, List<Link> mems) {
  public GroupView {
    mems = List.copyOf(mems);
  }

  public static GroupView empty(GroupSchema schema) {
    return new GroupView(schema, List.of(Link.whole(new MemFragment())));
  }

  /** The one that takes writes. */
  public MemFragment active() {
    return (MemFragment) mems.getLast().fragment();
  }

  /** Those that take no more writes, and are to be flushed together. */
  public List<Link> frozen() {
    return mems.subList(0, mems.size() - 1);
  }

  /** With another one that takes writes; those before it are to be frozen. */
  GroupView rotated(MemFragment fresh) {
    List<Link> longer = new ArrayList<>(mems);
    longer.add(Link.whole(fresh));
    return new GroupView(schema, longer);
  }

  /** Keeps the invariant; under the commit lock, as writers add to what is not frozen. */
  void freeze() {
    frozen().forEach(link -> ((MemFragment) link.fragment()).freeze());
  }

  Optional<String> flaw() {
    return active().isFrozen()
            || frozen().stream().anyMatch(link -> !((MemFragment) link.fragment()).isFrozen())
        ? Optional.of("the last mem fragment is to take writes, and no other")
        : Optional.empty();
  }

  public GroupView without(List<Link> flushed) {
    List<Link> rest = new ArrayList<>(mems);
    rest.removeAll(flushed);
    return new GroupView(schema, rest);
  }

  public boolean isEmpty() {
    return mems.size() == 1 && active().isEmpty();
  }

  public long bytes() {
    long bytes = 0;
    for (Link link : mems) {
      bytes += link.fragment().bytes();
    }
    return bytes;
  }

  /** The oldest transaction of which a cell is in memory only; none is {@link Long#MAX_VALUE}. */
  public long minTxn() {
    long least = Long.MAX_VALUE;
    for (Link link : mems) {
      least = Math.min(least, link.fragment().minTxn());
    }
    return least;
  }
}
