package io.stele.tables.tablet;

import io.stele.base.bytes.Bytes;
import io.stele.base.file.FilePath;
import io.stele.base.predicate.RowRange;
import io.stele.engine.chain.Chain;
import io.stele.engine.disk.DiskFragment;
import io.stele.tables.meta.FragmentRef;
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
 */
public record TabletView(
    Tablet tablet,
    Bytes first,
    Optional<Bytes> last,
    TabletState state,
    long fromTxn,
    SortedMap<String, List<FragmentRef>> files,
    Optional<List<Chain>> chains) {

  public TabletView {
    chains = chains.map(List::copyOf);
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
    return new TabletView(tablet, first, last, next, fromTxn, files, chains);
  }

  /** All that the log says of it up to a transaction is in its files. */
  public TabletView withFromTxn(long txn) {
    return new TabletView(tablet, first, last, state, Math.max(fromTxn, txn), files, chains);
  }

  public TabletView withFiles(
      SortedMap<String, List<FragmentRef>> newFiles, Optional<List<Chain>> newChains) {
    return new TabletView(tablet, first, last, state, fromTxn, newFiles, newChains);
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
