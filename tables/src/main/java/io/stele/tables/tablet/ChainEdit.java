package io.stele.tables.tablet;

import io.stele.engine.chain.Chain;
import io.stele.engine.chain.Link;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.memory.MemFragment;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.LogRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Edits of what tablets have in memory and in files; rows and states stay as they are. */
public sealed interface ChainEdit extends TabletEdit {

  /**
   * Mem fragments that are full, or are about to be flushed, take no more writes.
   *
   * @param fresh those that take them from now on, by group
   */
  record Rotated(Map<String, MemFragment> fresh) implements ChainEdit {
    public Rotated {
      fresh = Map.copyOf(fresh);
    }

    @Override
    public Optional<TableView> apply(TableView view) {
      List<GroupView> groups = new ArrayList<>(view.groups());
      int rotated = 0;
      for (int g = 0; g < groups.size(); g++) {
        GroupView group = groups.get(g);
        MemFragment next = fresh.get(group.schema().name());
        if (next != null && !group.active().isEmpty()) {
          groups.set(g, group.rotated(next));
          rotated++;
        }
      }
      return rotated == fresh.size() ? Optional.of(view.withGroups(groups)) : Optional.empty();
    }
  }

  /**
   * A file comes behind all others in the chains of the tablets that have rows in it; what it was
   * written from leaves memory.
   *
   * @param seen the tablets among which was looked for those that share it
   * @param mems no longer in memory; none if other tablets still have cells there
   * @param file none if no cell had to be kept
   * @param sharing those of the tablets that have rows in it
   */
  record Flushed(
      long schemaVersion,
      List<TabletView> seen,
      String group,
      List<Link> mems,
      Optional<DiskFragment> file,
      Set<Tablet> sharing)
      implements ChainEdit {
    public Flushed {
      mems = List.copyOf(mems);
      sharing = Set.copyOf(sharing);
    }

    /** Looks into the file for rows of the tablets of a view. */
    public static Flushed of(
        TableView view, String group, List<Link> mems, Optional<DiskFragment> file) {
      Set<Tablet> sharing = file.map(view::sharing).orElse(Set.of());
      return new Flushed(view.schemaVersion(), view.tablets(), group, mems, file, sharing);
    }

    @Override
    public Optional<TableView> apply(TableView view) {
      if (view.schemaVersion() != schemaVersion || !view.tablets().equals(seen)) {
        return Optional.empty(); // others may share it now
      }
      int index = view.groupIndex(group);
      return Optional.of(
          view.withGroup(index, view.groups().get(index).without(mems))
              .withTablets(
                  sharing::contains, tablet -> tablet.appended(index, group, file.orElseThrow())));
    }

    @Override
    public void tell(TabletEvents events, TableView before, TableView after) {
      for (TabletView tablet : before.tablets()) {
        if (sharing.contains(tablet.tablet())) {
          int end = tablet.files().getOrDefault(group, List.of()).size();
          events.fragmentsChanged(tablet.tablet(), before.groupIndex(group), end, end);
        }
      }
    }
  }

  /**
   * Files next to each other in a chain have become one, which has the tablet's rows only: after a
   * split it would have rows that are another tablet's now, after a join it would lack some.
   *
   * @param seen the tablet as it was when they were merged
   * @param output none if no cell had to be kept
   */
  record Compacted(
      long schemaVersion,
      TabletView seen,
      int group,
      List<Link> inputs,
      Optional<DiskFragment> output)
      implements ChainEdit {
    public Compacted {
      inputs = List.copyOf(inputs);
    }

    @Override
    public Optional<TableView> apply(TableView view) {
      if (view.schemaVersion() != schemaVersion) {
        return Optional.empty();
      }
      Optional<TabletView> now =
          view.find(seen.tablet())
              .filter(each -> each.state() == TabletState.ACTIVE && each.hasRowsOf(seen));
      Optional<Chain> chain =
          now.flatMap(TabletView::chains)
              .flatMap(chains -> chains.get(group).replace(inputs, output.map(Link::whole)));
      String name = view.groups().get(group).schema().name();
      return chain.map(
          merged ->
              view.withTablets(
                  Set.of(seen.tablet())::contains,
                  tablet -> tablet.withChain(group, name, merged)));
    }

    @Override
    public void tell(TabletEvents events, TableView before, TableView after) {
      Chain chain = before.find(seen.tablet()).flatMap(TabletView::chains).orElseThrow().get(group);
      int begin = chain.links().indexOf(inputs.getFirst());
      events.fragmentsChanged(seen.tablet(), group, begin, begin + inputs.size());
    }
  }

  /**
   * The files of a tablet are open.
   *
   * @param seen the tablet as it was when they were opened
   * @param files as the schema has them, which may not be how they were saved
   */
  record Opened(
      long schemaVersion,
      TabletView seen,
      SortedMap<String, List<FragmentRef>> files,
      List<Chain> chains)
      implements ChainEdit {
    public Opened {
      chains = List.copyOf(chains);
    }

    @Override
    public Optional<TableView> apply(TableView view) {
      Optional<TabletView> now =
          view.find(seen.tablet())
              .filter(each -> !each.isWarm() && each.files().equals(seen.files()));
      return now.isEmpty() || view.schemaVersion() != schemaVersion
          ? Optional.empty()
          : Optional.of(
              view.withTablets(
                  Set.of(seen.tablet())::contains,
                  tablet -> tablet.withFiles(files, Optional.of(chains))));
    }
  }

  /** The files of tablets are not needed for the time being. */
  record Closed(Set<Tablet> tablets) implements ChainEdit {
    public Closed {
      tablets = Set.copyOf(tablets);
    }

    @Override
    public Optional<TableView> apply(TableView view) {
      return Optional.of(
          view.withTablets(
              tablets::contains, tablet -> tablet.withFiles(tablet.files(), Optional.empty())));
    }
  }

  /**
   * Logs of servers that had the tablets before are in files now, and the tablets can be read. Each
   * change of a log belongs in front of what the next server flushed.
   */
  record Replayed(List<Part> parts) implements ChainEdit {
    /**
     * What is new in one tablet.
     *
     * @param logs that were read. A tablet that is owed others was emptied meanwhile: what was in
     *     them does not count
     * @param inserts by group, the last in the chain first
     */
    public record Part(Tablet tablet, List<LogRef> logs, Map<String, List<Insert>> inserts) {}

    /** Files that come in front of the one that is at an index of the chain. */
    public record Insert(int at, List<FragmentRef> files) {}

    public Replayed {
      parts = List.copyOf(parts);
    }

    @Override
    public Optional<TableView> apply(TableView view) {
      TableView next = view;
      for (Part part : parts) {
        next =
            next.withTablets(
                Set.of(part.tablet())::contains,
                tablet ->
                    tablet.state() == TabletState.FRAGMENTS_LOADING
                        ? active(tablet, part)
                        : tablet); // others had nothing to read for it, either
      }
      return Optional.of(next);
    }

    private static TabletView active(TabletView tablet, Part part) {
      TabletView active = tablet.withState(TabletState.ACTIVE);
      if (!tablet.owedLogs().equals(part.logs())) {
        return active;
      }
      SortedMap<String, List<FragmentRef>> files = new TreeMap<>(tablet.files());
      part.inserts()
          .forEach(
              (group, inserts) -> {
                List<FragmentRef> chain = new ArrayList<>(files.getOrDefault(group, List.of()));
                inserts.forEach(insert -> chain.addAll(insert.at(), insert.files()));
                files.put(group, List.copyOf(chain));
              });
      return active
          .withLog(0, List.of(), active.schemaRevision())
          .withFiles(files, tablet.chains());
    }
  }

  /**
   * All tablets forget their files, and what they have in memory.
   *
   * @param txn the newest one: cells in memory up to it do not count
   */
  record Emptied(long txn) implements ChainEdit {
    @Override
    public Optional<TableView> apply(TableView view) {
      return Optional.of(
          view.withTablets(
              _ -> true,
              tablet ->
                  tablet
                      .withLog(txn, List.of(), tablet.schemaRevision())
                      .withFiles(new TreeMap<>(), Optional.empty())));
    }

    @Override
    public void tell(TabletEvents events, TableView before, TableView after) {
      after.tablets().forEach(tablet -> events.fragmentsChanged(tablet.tablet(), 0, 0, 0));
    }
  }
}
