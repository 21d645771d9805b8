package io.stele.tables.load;

import io.stele.base.bytes.Bytes;
import io.stele.base.file.FilePath;
import io.stele.engine.disk.DiskFragment;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.FamilyOrigins;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.MetaTable.StoredSchema;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.schema.ChainPlan;
import io.stele.tables.tablet.Edited;
import io.stele.tables.tablet.SchemaEdit.Regrouped;
import io.stele.tables.tablet.SchemaEdit.Settled;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
    var _ =
        table.commit(
            view -> {
              Map<Tablet, SortedMap<String, List<FragmentRef>>> counting = new HashMap<>();
              for (TabletView tablet : view.tablets()) {
                counting.put(
                    tablet.tablet(),
                    counting(table, origins, tablet.schemaRevision(), tablet.files()));
              }
              return Optional.of(
                  new Settled(
                      view.tablets(), counting, origins.revision(), server.sequencer().assigned()));
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
  public Edited change(Table table, StoredSchema stored) {
    Map<FilePath, ChainPlan.Contents> contents = new HashMap<>();
    Edited edited;
    try (Table.Uses uses = table.uses()) {
      edited =
          table
              .commit(view -> Optional.of(regrouped(table, view, stored, uses, contents)))
              .orElseThrow();
    }
    server.report(new TableEvent.SchemaChanged(table.name(), edited.after().schemaVersion()));
    return edited;
  }

  private static Regrouped regrouped(
      Table table,
      TableView view,
      StoredSchema stored,
      Table.Uses uses,
      Map<FilePath, ChainPlan.Contents> contents) {
    TableView shape = TableView.empty(stored.schema(), stored.origins(), view.schemaVersion() + 1);
    Function<FilePath, ChainPlan.Contents> contentsOf =
        path -> contents.computeIfAbsent(path, _ -> contents(table, path));
    List<TabletView> tablets = new ArrayList<>();
    for (TabletView tablet : view.tablets()) {
      String name = new TabletKey(table.name(), tablet.last()).toString();
      // By the schema in force first: what a tablet that was on its way then was not told of, that
      // a family is gone, must count before the family may come back.
      SortedMap<String, List<FragmentRef>> now =
          ChainPlan.plan(name, view.schema(), tablet.files(), contentsOf);
      SortedMap<String, List<FragmentRef>> files =
          ChainPlan.plan(name, stored.schema(), now, contentsOf);
      tablets.add(tablet.withFiles(files, tablet.chains().map(_ -> uses.open(shape, files))));
    }
    return new Regrouped(view.tablets(), shape, tablets);
  }

  /** The same of one that need not be open before, nor afterwards. */
  static ChainPlan.Contents contents(Table table, FilePath path) {
    try (Table.Uses uses = table.uses()) {
      return contents(uses.open(path));
    }
  }

  /** What a file holds. */
  static ChainPlan.Contents contents(DiskFragment file) {
    return new ChainPlan.Contents(file.families(), file.mayHoldWideErasures(), file.maxTxn());
  }
}
