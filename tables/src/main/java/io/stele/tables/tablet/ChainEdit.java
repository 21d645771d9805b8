package io.stele.tables.tablet;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.base.predicate.RowRange;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.Link;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment.TimeBounds;
import io.stele.tables.meta.FragmentRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Changes of tablets' chains, in their configuration and, where they are open, in the open files.
 */
public final class ChainEdit {
  private ChainEdit() {}

  /**
   * The tablets that have rows in a file.
   *
   * @param maxTxn of the file: tablets that came later have none of its cells
   */
  public static List<TabletView> sharing(TableView view, DiskFragment fragment, long maxTxn) {
    List<TabletView> sharing = new ArrayList<>();
    Bytes lastRow = fragment.properties().lastRow();
    try (CellCursor cells = fragment.cursor(TimeBounds.ALL)) {
      for (int i = view.indexFrom(fragment.properties().firstRow());
          i < view.tablets().size();
          i++) {
        TabletView tablet = view.tablets().get(i);
        if (tablet.first().compareTo(lastRow) >= 0) {
          break;
        }
        boolean isHere =
            tablet.state() == TabletState.FRAGMENTS_LOADING
                || tablet.state() == TabletState.ACTIVE
                || tablet.state() == TabletState.READ_ONLY;
        if (isHere && tablet.fromTxn() < maxTxn && hasRow(cells, tablet.range())) {
          sharing.add(tablet);
        }
      }
    }
    return sharing;
  }

  private static boolean hasRow(CellCursor cells, RowRange rows) {
    return cells.seek(CellView.beforeRow(rows.from())) && rows.contains(cells.cell().row());
  }

  /** Appends a file to the chains of some tablets; each open one uses it once more. */
  public static TableView append(
      TableView view, FragmentGraph graph, int group, DiskFragment fragment, Set<Tablet> tablets) {
    List<TabletView> changed = new ArrayList<>(view.tablets());
    changed.replaceAll(
        tablet ->
            tablets.contains(tablet.tablet())
                ? append(view, graph, tablet, group, fragment)
                : tablet);
    return view.withTablets(changed);
  }

  private static TabletView append(
      TableView view, FragmentGraph graph, TabletView tablet, int group, DiskFragment fragment) {
    String name = view.groups().get(group).schema().name();
    SortedMap<String, List<FragmentRef>> files = new TreeMap<>(tablet.files());
    List<FragmentRef> longer = new ArrayList<>(files.getOrDefault(name, List.of()));
    longer.add(FragmentRef.whole(fragment.path()));
    files.put(name, List.copyOf(longer));
    Optional<List<Chain>> chains = tablet.chains();
    if (chains.isPresent()) {
      graph.share(fragment);
      List<Chain> open = new ArrayList<>(chains.get());
      open.set(group, open.get(group).append(Link.whole(fragment)));
      chains = Optional.of(open);
    }
    return tablet.withFiles(files, chains);
  }

  /** Tells listeners of a tablet that a file was appended to a chain; without locks. */
  public static void tellAppended(Table table, TabletView before, String group) {
    int end = before.files().getOrDefault(group, List.of()).size();
    int index = 0;
    for (GroupView each : table.view().groups()) {
      if (each.schema().name().equals(group)) {
        table.events().fragmentsChanged(before.tablet(), index, end, end);
      }
      index++;
    }
  }

  /**
   * Replaces a run of files in a group's chain of one tablet by what they were merged into; nothing
   * if exactly these are no longer next to each other there.
   *
   * @param output the file, already in use once for this; none if no cell was kept
   */
  public static Optional<TabletView> replace(
      TabletView tablet, int group, String name, List<Link> inputs, Optional<DiskFragment> output) {
    if (tablet.chains().isEmpty()) {
      return Optional.empty();
    }
    List<Chain> chains = new ArrayList<>(tablet.chains().get());
    Optional<Chain> replaced = chains.get(group).replace(inputs, output.map(Link::whole));
    if (replaced.isEmpty()) {
      return Optional.empty();
    }
    chains.set(group, replaced.get());
    SortedMap<String, List<FragmentRef>> files = new TreeMap<>(tablet.files());
    List<FragmentRef> refs = refs(replaced.get());
    if (refs.isEmpty()) {
      files.remove(name);
    } else {
      files.put(name, refs);
    }
    return Optional.of(tablet.withFiles(files, Optional.of(chains)));
  }

  /** A chain as a configuration has it. */
  public static List<FragmentRef> refs(Chain chain) {
    List<FragmentRef> refs = new ArrayList<>();
    for (Link link : chain.links()) {
      refs.add(new FragmentRef(((DiskFragment) link.fragment()).path(), link.families()));
    }
    return refs;
  }
}
