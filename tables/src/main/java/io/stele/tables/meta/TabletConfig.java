package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FilePath;
import io.stele.base.predicate.RowRange;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
 * @param logs to be replayed before it is read, oldest first; none after a clean unload. The newest
 *     is that of the server that has, or had, the tablet. Those before it are of servers that had
 *     it earlier, and that it had not read to the end yet; of such a log all above the {@code
 *     fromTxn} of the next one does not count: it came after its server had lost the tablet
 * @param fragments by group, oldest first; groups without fragments are left out
 * @param stampedTo no server gave a cell of it a later time, in microseconds, unless a log says so;
 *     0 if that is not known
 * @param schemaRevision its fragments are as of this revision of the table's schema: their cells of
 *     families that were added later do not count ({@link FamilyOrigins})
 * @param revision grows with every change; the timestamp of its cells
 */
public record TabletConfig(
    String table,
    Bytes first,
    Optional<Bytes> last,
    String location,
    List<LogRef> logs,
    SortedMap<String, List<FragmentRef>> fragments,
    long stampedTo,
    long schemaRevision,
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
    if (stampedTo < 0) {
      throw new InvalidRequestException(
          "time " + stampedTo + " of cells of \"" + table + "\": must not be negative");
    }
    if (revision < 0) {
      throw new InvalidRequestException(
          "revision " + revision + " of a tablet of \"" + table + "\": must not be negative");
    }
    logs = List.copyOf(logs);
    checkLogs(table, logs);
    SortedMap<String, List<FragmentRef>> chains = new TreeMap<>();
    fragments.forEach(
        (group, chain) -> {
          if (!chain.isEmpty()) {
            chains.put(group, List.copyOf(chain));
          }
        });
    fragments = Collections.unmodifiableSortedMap(chains);
  }

  /**
   * One of which it is not known which times its cells were given, and whose fragments are as of
   * the schema that the table was created with.
   */
  public TabletConfig(
      String table,
      Bytes first,
      Optional<Bytes> last,
      String location,
      List<LogRef> logs,
      SortedMap<String, List<FragmentRef>> fragments,
      long revision) {
    this(table, first, last, location, logs, fragments, 0, FamilyOrigins.FIRST, revision);
  }

  private static void checkLogs(String table, List<LogRef> logs) {
    Set<FilePath> seen = new HashSet<>();
    for (LogRef log : logs) {
      if (!seen.add(log.directory())) {
        throw new InvalidRequestException(
            "log "
                + log.directory()
                + " twice among those of a tablet of \""
                + table
                + "\": must be there once");
      }
    }
  }

  /** A tablet that nobody serves and that has no data. */
  public static TabletConfig empty(String table, Bytes first, Optional<Bytes> last) {
    return new TabletConfig(table, first, last, "", List.of(), Collections.emptySortedMap(), 1);
  }

  /** The log of the server that has, or had, the tablet; none after a clean unload. */
  public Optional<LogRef> log() {
    return logs.isEmpty() ? Optional.empty() : Optional.of(logs.getLast());
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

  public List<FilePath> paths() {
    return fragments.values().stream()
        .flatMap(List::stream)
        .map(FragmentRef::path)
        .distinct()
        .toList();
  }

  public boolean holds(Bytes row) {
    return first.compareTo(row) < 0 && (last.isEmpty() || row.compareTo(last.get()) <= 0);
  }

  /** The same rows and files, as a tablet of another table that nobody has. */
  public TabletConfig copyFor(String other) {
    return new TabletConfig(
        other, first, last, "", List.of(), fragments, stampedTo, schemaRevision, revision);
  }

  /** With another lower bound, as a split, a join or a repair sets it. */
  public TabletConfig withFirst(Bytes newFirst) {
    return new TabletConfig(
        table, newFirst, last, location, logs, fragments, stampedTo, schemaRevision, revision + 1);
  }

  public TabletConfig withLast(Optional<Bytes> newLast) {
    return new TabletConfig(
        table, first, newLast, location, logs, fragments, stampedTo, schemaRevision, revision + 1);
  }

  /** As a server has it that serves the tablet and logs its changes, or as nobody has it. */
  public TabletConfig withServer(String newLocation, List<LogRef> newLogs) {
    return new TabletConfig(
        table,
        first,
        last,
        newLocation,
        newLogs,
        fragments,
        stampedTo,
        schemaRevision,
        revision + 1);
  }

  public TabletConfig withFragments(Map<String, List<FragmentRef>> newFragments) {
    return new TabletConfig(
        table,
        first,
        last,
        location,
        logs,
        new TreeMap<>(newFragments),
        stampedTo,
        schemaRevision,
        revision + 1);
  }

  public TabletConfig withRevision(long newRevision) {
    return new TabletConfig(
        table, first, last, location, logs, fragments, stampedTo, schemaRevision, newRevision);
  }
}
