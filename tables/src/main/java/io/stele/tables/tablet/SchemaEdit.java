package io.stele.tables.tablet;

import io.stele.base.bytes.Bytes;
import io.stele.engine.chain.Link;
import io.stele.engine.memory.MemFragment;
import io.stele.tables.meta.FragmentRef;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/** Edits of a table's schema, and of what tablets have to say about it. */
public sealed interface SchemaEdit extends TabletEdit {

  /**
   * Tablets are as of a schema that is about to come into force: of families that it adds their
   * files have nothing, and what the log says counts from what is in memory on.
   *
   * @param seen the tablets as they were when it was made
   * @param counting what counts of the files of each
   * @param txn the newest one of this server
   */
  record Settled(
      List<TabletView> seen,
      Map<Tablet, SortedMap<String, List<FragmentRef>>> counting,
      long revision,
      long txn)
      implements SchemaEdit {
    @Override
    public Optional<TableView> apply(TableView view) {
      long oldest = view.groups().stream().mapToLong(GroupView::minTxn).min().orElseThrow();
      long onDisk = Math.min(oldest - 1, txn);
      return view.tablets().equals(seen)
          ? Optional.of(view.withTablets(_ -> true, tablet -> settled(tablet, onDisk)))
          : Optional.empty();
    }

    private TabletView settled(TabletView tablet, long onDisk) {
      SortedMap<String, List<FragmentRef>> files =
          Objects.requireNonNull(counting.get(tablet.tablet()), "one for each tablet");
      TabletView settled = tablet.withLog(onDisk, tablet.owedLogs(), revision);
      return files.equals(tablet.files()) ? settled : settled.withFiles(files, Optional.empty());
    }
  }

  /**
   * Another schema is in force: files and mem fragments are shared out to its groups, each
   * restricted to the families that count there.
   *
   * @param seen the tablets as they were when it was made
   * @param shape a view with the schema, but without cells
   * @param tablets what they become
   */
  record Regrouped(List<TabletView> seen, TableView shape, List<TabletView> tablets)
      implements SchemaEdit {
    @Override
    public Optional<TableView> apply(TableView view) {
      return view.tablets().equals(seen) && view.schemaVersion() + 1 == shape.schemaVersion()
          ? Optional.of(shape.withGroups(groups(view)).withTablets(tablets))
          : Optional.empty();
    }

    private List<GroupView> groups(TableView view) {
      Map<MemFragment, Set<Bytes>> counting = new HashMap<>();
      for (GroupView group : view.groups()) {
        for (Link link : group.mems()) {
          MemFragment mem = (MemFragment) link.fragment();
          if (!mem.isEmpty()) {
            counting
                .computeIfAbsent(mem, _ -> new HashSet<>())
                .addAll(link.families().orElseGet(mem::families));
          }
        }
      }
      List<MemFragment> oldestFirst =
          counting.keySet().stream().sorted(Comparator.comparingLong(MemFragment::minTxn)).toList();
      List<GroupView> groups = new ArrayList<>();
      for (int g = 0; g < shape.groups().size(); g++) {
        List<Link> mems = new ArrayList<>();
        for (MemFragment mem : oldestFirst) {
          Set<Bytes> own = shape.families().ofGroup(Objects.requireNonNull(counting.get(mem)), g);
          if (!own.isEmpty() || mem.mayHoldWideErasures()) {
            mems.add(new Link(mem, Optional.of(own)));
          }
        }
        mems.addAll(shape.groups().get(g).mems());
        groups.add(new GroupView(shape.groups().get(g).schema(), mems));
      }
      return groups;
    }

    @Override
    public void tell(TabletEvents events, TableView before, TableView after) {
      for (TabletView tablet : after.tablets()) {
        for (int group = 0; group < after.groups().size(); group++) {
          String name = after.groups().get(group).schema().name();
          int length = tablet.files().getOrDefault(name, List.of()).size();
          events.fragmentsChanged(tablet.tablet(), group, 0, length);
        }
      }
    }
  }
}
