package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.predicate.RowRange;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What META knows of a tablet: all that a server needs to take it over.
 *
 * <p>Invariant: the tablet before it ends with the row {@code first}; there are neither holes nor
 * overlaps between the tablets of a table ({@link MetaVerifier}).
 *
 * @param first the row before its first, which belongs to the tablet before it; empty for the first
 *     tablet
 * @param last its last row; none if it has no end
 * @param location the address of the server that has it; empty if none does
 * @param log to be replayed before it is served; none after a clean unload
 * @param fragments by group, oldest first; groups without fragments are left out
 * @param revision grows with every change; the timestamp of its cells
 */
public record TabletConfig(
    String table,
    Bytes first,
    Optional<Bytes> last,
    String location,
    Optional<LogRef> log,
    SortedMap<String, List<FragmentRef>> fragments,
    long revision) {

  public TabletConfig {
    if (last.isPresent() && first.compareTo(last.get()) >= 0) {
      throw new InvalidRequestException(
          "tablet of table \""
              + table
              + "\" behind row \""
              + first
              + "\" up to row \""
              + last.get()
              + "\": must begin before it ends");
    }
    if (revision < 0) {
      throw new InvalidRequestException(
          "revision " + revision + " of a tablet of \"" + table + "\": must not be negative");
    }
    SortedMap<String, List<FragmentRef>> chains = new TreeMap<>();
    fragments.forEach(
        (group, chain) -> {
          if (!chain.isEmpty()) {
            chains.put(group, List.copyOf(chain));
          }
        });
    fragments = Collections.unmodifiableSortedMap(chains);
  }

  /** A tablet that nobody serves and that has no data. */
  public static TabletConfig empty(String table, Bytes first, Optional<Bytes> last) {
    return new TabletConfig(
        table, first, last, "", Optional.empty(), Collections.emptySortedMap(), 1);
  }

  /** Its row in the META table that describes it. */
  public Bytes metaRow() {
    return MetaRows.tablet(table, last);
  }

  /** Which tablet this is about, whatever else is changed of it. */
  public TabletKey key() {
    return new TabletKey(table, last);
  }

  public RowRange range() {
    return new RowRange(
        first.isEmpty() ? Bytes.EMPTY : first.successor(), last.map(Bytes::successor).orElse(null));
  }

  public boolean holds(Bytes row) {
    return first.compareTo(row) < 0 && (last.isEmpty() || row.compareTo(last.get()) <= 0);
  }

  /** With another lower bound, as a split, a join or a repair sets it. */
  public TabletConfig withFirst(Bytes newFirst) {
    return new TabletConfig(table, newFirst, last, location, log, fragments, revision + 1);
  }

  public TabletConfig withLast(Optional<Bytes> newLast) {
    return new TabletConfig(table, first, newLast, location, log, fragments, revision + 1);
  }

  /** As a server has it that serves the tablet and logs its changes, or as nobody has it. */
  public TabletConfig withServer(String newLocation, Optional<LogRef> newLog) {
    return new TabletConfig(table, first, last, newLocation, newLog, fragments, revision + 1);
  }

  public TabletConfig withFragments(Map<String, List<FragmentRef>> newFragments) {
    return new TabletConfig(
        table, first, last, location, log, new TreeMap<>(newFragments), revision + 1);
  }

  public TabletConfig withRevision(long newRevision) {
    return new TabletConfig(table, first, last, location, log, fragments, newRevision);
  }
}
