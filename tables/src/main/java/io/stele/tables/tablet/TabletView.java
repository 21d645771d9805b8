package io.stele.tables.tablet;

import io.stele.base.bytes.Bytes;
import io.stele.base.file.FilePath;
import io.stele.base.predicate.RowRange;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.Link;
import io.stele.engine.disk.DiskFragment;
import io.stele.tables.meta.FamilyOrigins;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.LogRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a tablet is at one moment.
 *
 * @param first the row before its first; empty for the first tablet. Invariant: below {@code last}
 * @param last its last row; none if it has no end
 * @param fromTxn cells in memory at or below it are not this tablet's, though their rows are in its
 *     range: they were written here before it went elsewhere and came back
 * @param sinceTxn the newest transaction of this server when it came here. What it brought along
 *     may have any transaction up to this one, so a reader at an older one would miss some or all
 *     of it
 * @param files its files by group as its configuration has them
 * @param chains the same files, open, by the index of the group; none while they are not needed.
 *     Invariant: each chain has exactly the files of its group, in their order
 * @param owedLogs of servers that had it before, oldest first: what they say of it is not in its
 *     files yet, and will come before what was flushed here. Invariant: until then it is not read,
 *     nor are its files open
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
    long sinceTxn,
    SortedMap<String, List<FragmentRef>> files,
    Optional<List<Chain>> chains,
    List<LogRef> owedLogs,
    long schemaRevision) {

  public TabletView {
    chains = chains.map(List::copyOf);
    owedLogs = List.copyOf(owedLogs);
  }

  /** Which of the invariants does not hold, in a table with these groups? */
  Optional<String> flaw(FamilyOrigins origins, List<GroupView> groups) {
    if (last.isPresent() && last.get().compareTo(first) <= 0) {
      return Optional.of("its last row is not behind its first");
    }
    if (isOwed() && (isWarm() || state.reads() == TabletState.Access.SERVED)) {
      return Optional.of("it is in use, though logs must still be read for it");
    }
    if (!origins.allCountIn(schemaRevision)) {
      return Optional.of("a family of the schema was added later than revision " + schemaRevision);
    }
    return chains.flatMap(open -> flaw(open, groups));
  }

  private Optional<String> flaw(List<Chain> open, List<GroupView> groups) {
    SortedMap<String, List<FragmentRef>> rest = new TreeMap<>(files);
    for (int g = 0; g < groups.size(); g++) {
      List<FragmentRef> named = rest.remove(groups.get(g).schema().name());
      if (!refs(open.get(g)).equals(named == null ? List.of() : named)) {
        return Optional.of("group " + g + " has " + named + " and open " + open.get(g));
      }
    }
    rest.values().removeIf(List::isEmpty);
    return rest.isEmpty() && open.size() == groups.size()
        ? Optional.empty()
        : Optional.of("it has open files, and in groups that there are not " + rest);
  }

  public RowRange range() {
    return new RowRange(
        first.isEmpty() ? Bytes.EMPTY : first.successor(), last.map(Bytes::successor).orElse(null));
  }

  public boolean contains(Bytes row) {
    return row.compareTo(first) > 0 && (last.isEmpty() || row.compareTo(last.get()) <= 0);
  }

  public boolean hasRowsOf(TabletView other) {
    return first.equals(other.first) && last.equals(other.last);
  }

  /** Would META say the same of it? */
  boolean isConfiguredAs(@Nullable TabletView other) {
    return other != null
        && hasRowsOf(other)
        && fromTxn == other.fromTxn
        && files.equals(other.files)
        && owedLogs.equals(other.owedLogs)
        && schemaRevision == other.schemaRevision;
  }

  /** False until its files have been opened, and after they were dropped for want of use. */
  public boolean isWarm() {
    return chains.isPresent();
  }

  /** Some of its rows, under an identity that may be another. */
  TabletView part(Tablet identity, Bytes newFirst, Optional<Bytes> newLast) {
    return new TabletView(
        identity,
        newFirst,
        newLast,
        state,
        fromTxn,
        sinceTxn,
        files,
        chains,
        owedLogs,
        schemaRevision);
  }

  public TabletView withState(TabletState next) {
    return new TabletView(
        tablet, first, last, next, fromTxn, sinceTxn, files, chains, owedLogs, schemaRevision);
  }

  /** This server's log counts for it from its newest transaction on. */
  TabletView takenOver(long txn) {
    return new TabletView(
        tablet,
        first,
        last,
        TabletState.CONFIG_SAVING,
        txn,
        txn,
        files,
        chains,
        owedLogs,
        schemaRevision);
  }

  /** What the log says of it up to a transaction does not count, or is in its files. */
  TabletView withLog(long txn, List<LogRef> owed, long revision) {
    long from = Math.max(fromTxn, txn);
    return new TabletView(
        tablet, first, last, state, from, sinceTxn, files, chains, owed, revision);
  }

  public TabletView withFiles(
      SortedMap<String, List<FragmentRef>> newFiles, Optional<List<Chain>> newChains) {
    return new TabletView(
        tablet,
        first,
        last,
        state,
        fromTxn,
        sinceTxn,
        newFiles,
        newChains,
        owedLogs,
        schemaRevision);
  }

  /** With a file behind all others of a group. */
  TabletView appended(int group, String name, DiskFragment file) {
    SortedMap<String, List<FragmentRef>> longer = new TreeMap<>(files);
    List<FragmentRef> refs = new ArrayList<>(files.getOrDefault(name, List.of()));
    refs.add(FragmentRef.whole(file.path()));
    longer.put(name, List.copyOf(refs));
    return withFiles(
        longer, chains.map(open -> with(open, group, open.get(group).append(Link.whole(file)))));
  }

  /** With another chain of a group; its files are open. */
  TabletView withChain(int group, String name, Chain chain) {
    SortedMap<String, List<FragmentRef>> changed = new TreeMap<>(files);
    changed.put(name, refs(chain));
    changed.values().removeIf(List::isEmpty);
    return withFiles(changed, chains.map(open -> with(open, group, chain)));
  }

  private static List<Chain> with(List<Chain> chains, int group, Chain chain) {
    List<Chain> changed = new ArrayList<>(chains);
    changed.set(group, chain);
    return changed;
  }

  /** A chain as a configuration has it. */
  private static List<FragmentRef> refs(Chain chain) {
    return chain.links().stream()
        .map(link -> new FragmentRef(((DiskFragment) link.fragment()).path(), link.families()))
        .toList();
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
    return files.values().stream().mapToInt(List::size).max().orElse(0);
  }
}
