package io.stele.tables.tablet;

import io.stele.base.bytes.Bytes;
import io.stele.base.file.FilePath;
import io.stele.base.predicate.RowRange;
import io.stele.engine.chain.Chain;
import io.stele.engine.disk.DiskFragment;
import io.stele.tables.meta.FamilyOrigins;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.LogRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * What a tablet is at one moment.
 *
 * @param first the row before its first; empty for the first tablet
 * @param last its last row; none if it has no end
 * @param fromTxn cells in memory at or below it are not this tablet's, though their rows are in its
 *     range: they were written here before it went elsewhere and came back
 * @param files its files by group as its configuration has them
 * @param chains the same files, open, by the index of the group; none while they are not needed
 * @param owedLogs of servers that had it before, oldest first: what they say of it is not in its
 *     files yet, and will come before what was flushed here. Until then it is not read, nor are its
 *     files opened
 * @param schemaRevision its files and what this server's log says of it are as of this revision of
 *     the table's schema ({@link FamilyOrigins}). Invariant: every family of the schema in force
 *     was added by then
 */
public record TabletView(
    Tablet tablet,
    Bytes first,
    Optional<Bytes> last,
    TabletState state,
    long fromTxn,
    SortedMap<String, List<FragmentRef>> files,
    Optional<List<Chain>> chains,
    List<LogRef> owedLogs,
    long schemaRevision) {

  public TabletView {
    chains = chains.map(List::copyOf);
    owedLogs = List.copyOf(owedLogs);
  }

  /** A tablet of which all is in its files and in this server's log. */
  public TabletView(
      Tablet tablet,
      Bytes first,
      Optional<Bytes> last,
      TabletState state,
      long fromTxn,
      SortedMap<String, List<FragmentRef>> files,
      Optional<List<Chain>> chains,
      long schemaRevision) {
    this(tablet, first, last, state, fromTxn, files, chains, List.of(), schemaRevision);
  }

  public RowRange range() {
    return new RowRange(
        first.isEmpty() ? Bytes.EMPTY : first.successor(), last.map(Bytes::successor).orElse(null));
  }

  public boolean contains(Bytes row) {
    return row.compareTo(first) > 0 && (last.isEmpty() || row.compareTo(last.get()) <= 0);
  }

  /** False until its files have been opened, and after they were dropped for want of use. */
  public boolean isWarm() {
    return chains.isPresent();
  }

  public TabletView withState(TabletState next) {
    return new TabletView(
        tablet, first, last, next, fromTxn, files, chains, owedLogs, schemaRevision);
  }

  /** All that the log says of it up to a transaction is in its files. */
  public TabletView withFromTxn(long txn) {
    return new TabletView(
        tablet,
        first,
        last,
        state,
        Math.max(fromTxn, txn),
        files,
        chains,
        owedLogs,
        schemaRevision);
  }

  /** Its files and what the log says of it from now on are as of a revision of the schema. */
  public TabletView withSchemaRevision(long revision) {
    return new TabletView(tablet, first, last, state, fromTxn, files, chains, owedLogs, revision);
  }

  public TabletView withFiles(
      SortedMap<String, List<FragmentRef>> newFiles, Optional<List<Chain>> newChains) {
    return new TabletView(
        tablet, first, last, state, fromTxn, newFiles, newChains, owedLogs, schemaRevision);
  }

  /** True if logs of other servers must still be read for it. */
  public boolean isOwed() {
    return !owedLogs.isEmpty();
  }

  /** All open files, each once per group that uses it. */
  public List<DiskFragment> fragments() {
    List<DiskFragment> all = new ArrayList<>();
    for (Chain chain : chains.orElse(List.of())) {
      chain.fragments().forEach(fragment -> all.add((DiskFragment) fragment));
    }
    return all;
  }

  /** Paths of all files. */
  public List<FilePath> paths() {
    return files.values().stream().flatMap(List::stream).map(FragmentRef::path).distinct().toList();
  }

  /** How many files the longest chain has. */
  public int longestChain() {
    return files.entrySet().stream().map(Map.Entry::getValue).mapToInt(List::size).max().orElse(0);
  }
}
