package io.stele.tables.load;

import io.stele.base.bytes.Bytes;
import io.stele.base.file.FilePath;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.Link;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.memory.MemFragment;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.FamilyOrigins;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.MetaTable.StoredSchema;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.schema.ChainPlan;
import io.stele.tables.schema.FamilyMap;
import io.stele.tables.tablet.GroupView;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletView;
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
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Gives a table another schema while it is in use. Nothing is rewritten: the fragments, in memory
 * and on disk, are shared out to the new groups, each restricted to the families that count there,
 * and later flushes and compactions separate them.
 */
public final class SchemaChanger {
  private final ServerParts server;

  public SchemaChanger(ServerParts server) {
    this.server = server;
  }

  /**
   * Makes tablets as of a schema that is about to come into force: what their files have of
   * families that it adds does not count, and what the log says counts from what is in memory on.
   * The caller has flushed the table, sees to what {@link #change} asks for, and saves the
   * configurations before that.
   */
  public void prepare(Table table, FamilyOrigins origins) {
    Map<Tablet, SortedMap<String, List<FragmentRef>>> files = new HashMap<>();
    for (TabletView tablet : table.view().tablets()) {
      files.put(tablet.tablet(), counting(table, origins, tablet.schemaRevision(), tablet.files()));
    }
    server
        .lock()
        .run(
            () -> {
              TableView view = table.view();
              long oldest = view.groups().stream().mapToLong(GroupView::minTxn).min().orElseThrow();
              long onDisk = Math.min(oldest - 1, server.sequencer().assigned());
              List<DiskFragment> ended = new ArrayList<>();
              List<TabletView> prepared = new ArrayList<>();
              for (TabletView tablet : view.tablets()) {
                SortedMap<String, List<FragmentRef>> counting =
                    Objects.requireNonNull(files.get(tablet.tablet()), "none comes meanwhile");
                TabletView next = tablet.withFromTxn(onDisk).withSchemaRevision(origins.revision());
                if (!counting.equals(tablet.files())) {
                  ended.addAll(tablet.fragments());
                  next = next.withFiles(counting, Optional.empty());
                }
                prepared.add(next);
              }
              table.replace(view.withTablets(prepared), ended);
            });
  }

  /** Chains without what they have of families that were added after they were made. */
  static SortedMap<String, List<FragmentRef>> counting(
      Table table, FamilyOrigins origins, long asOf, SortedMap<String, List<FragmentRef>> chains) {
    if (origins.allCountIn(asOf)) {
      return chains;
    }
    SortedMap<String, List<FragmentRef>> counting = new TreeMap<>();
    chains.forEach(
        (group, chain) ->
            counting.put(
                group, chain.stream().map(each -> counting(table, origins, asOf, each)).toList()));
    return counting;
  }

  private static FragmentRef counting(
      Table table, FamilyOrigins origins, long asOf, FragmentRef fragment) {
    Set<Bytes> all =
        fragment.families().orElseGet(() -> contents(table, fragment.path()).families());
    Set<Bytes> counting = new HashSet<>(all);
    counting.removeIf(family -> !origins.countsIn(family, asOf));
    return counting.size() == all.size()
        ? fragment
        : FragmentRef.restricted(fragment.path(), counting);
  }

  /**
   * Puts a schema into force. The caller sees to it that no flush and no compaction changes a chain
   * meanwhile, and that tablets are neither loaded nor unloaded; and saves the configurations
   * afterwards.
   */
  public void change(Table table, StoredSchema stored) {
    TableSchema schema = stored.schema();
    Map<FilePath, ChainPlan.Contents> contents = contents(table);
    TableView view = table.view();
    List<TabletView> tablets = new ArrayList<>();
    List<DiskFragment> used = new ArrayList<>();
    List<DiskFragment> ended = new ArrayList<>();
    FamilyMap families = new FamilyMap(schema);
    TableView shape =
        new TableView(
            schema, stored.origins(), view.schemaVersion() + 1, families, List.of(), List.of());
    boolean kept = false;
    try {
      for (TabletView tablet : view.tablets()) {
        SortedMap<String, List<FragmentRef>> files = plan(table, schema, tablet, contents);
        Optional<List<Chain>> chains = Optional.empty();
        if (tablet.isWarm()) {
          chains = Optional.of(Warmer.open(table, shape, files, used));
          ended.addAll(tablet.fragments());
        }
        tablets.add(tablet.withFiles(files, chains));
      }
      server
          .lock()
          .run(
              () ->
                  table.replace(
                      new TableView(
                          schema,
                          stored.origins(),
                          shape.schemaVersion(),
                          families,
                          groups(table.view(), schema, families),
                          tablets),
                      ended));
      kept = true;
      table.graph().setPriorities(families);
    } finally {
      if (!kept) {
        table.graph().release(used).forEach(table.graph()::close);
      }
    }
    for (TabletView tablet : tablets) {
      for (int group = 0; group < schema.groups().size(); group++) {
        int length =
            tablet.files().getOrDefault(schema.groups().get(group).name(), List.of()).size();
        table.events().fragmentsChanged(tablet.tablet(), group, 0, length);
      }
    }
    server.report(new TableEvent.SchemaChanged(table.name(), shape.schemaVersion()));
  }

  private static SortedMap<String, List<FragmentRef>> plan(
      Table table,
      TableSchema schema,
      TabletView tablet,
      Map<FilePath, ChainPlan.Contents> contents) {
    String name = new TabletKey(table.name(), tablet.last()).toString();
    Function<FilePath, ChainPlan.Contents> contentsOf =
        path -> Objects.requireNonNull(contents.get(path));
    // By the schema in force first: what a tablet that was on its way then was not told of, that a
    // family is gone, must count before the family may come back.
    SortedMap<String, List<FragmentRef>> now =
        ChainPlan.plan(name, table.view().schema(), tablet.files(), contentsOf);
    return ChainPlan.plan(name, schema, now, contentsOf);
  }

  /** What each file of a table holds. Files are opened for it where they are not. */
  static Map<FilePath, ChainPlan.Contents> contents(Table table) {
    Map<FilePath, ChainPlan.Contents> contents = new HashMap<>();
    for (TabletView tablet : table.view().tablets()) {
      for (FilePath path : tablet.paths()) {
        contents.computeIfAbsent(path, _ -> contents(table, path));
      }
    }
    return contents;
  }

  static ChainPlan.Contents contents(Table table, FilePath path) {
    DiskFragment fragment = table.graph().use(path);
    try {
      return new ChainPlan.Contents(
          fragment.families(), fragment.mayHoldWideErasures(), fragment.maxTxn());
    } finally {
      table.graph().release(List.of(fragment)).forEach(table.graph()::close);
    }
  }

  /** What is in memory, shared out; under the lock, as writers add to it. */
  private static List<GroupView> groups(TableView view, TableSchema schema, FamilyMap families) {
    Map<MemFragment, Set<Bytes>> counting = new HashMap<>();
    for (GroupView group : view.groups()) {
      if (!group.active().isEmpty()) {
        group.active().freeze();
      }
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
    for (int g = 0; g < schema.groups().size(); g++) {
      GroupSchema group = schema.groups().get(g);
      List<Link> mems = new ArrayList<>();
      for (MemFragment mem : oldestFirst) {
        Set<Bytes> own = new HashSet<>();
        for (Bytes family : counting.getOrDefault(mem, Set.of())) {
          if (families.groupOf(family) == g) {
            own.add(family);
          }
        }
        if (!own.isEmpty() || mem.mayHoldWideErasures()) {
          mems.add(new Link(mem, Optional.of(own)));
        }
      }
      mems.add(Link.whole(new MemFragment()));
      groups.add(new GroupView(group, mems));
    }
    return groups;
  }
}
