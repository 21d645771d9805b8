package io.stele.tables.compact;

import io.stele.base.file.FilePath;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.Link;
import io.stele.engine.compaction.CompactionPlan;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.merge.Older;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.tablet.ChainEdit.Compacted;
import io.stele.tables.tablet.EditSaver;
import io.stele.tables.tablet.Edited;
import io.stele.tables.tablet.FragmentGraph;
import io.stele.tables.tablet.FragmentOrigin;
import io.stele.tables.tablet.OrderedLock;
import io.stele.tables.tablet.OrderedLock.Place;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.TabletConfigs;
import io.stele.tables.tablet.TabletView;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * One compaction: adjacent files of a tablet's chain become one that has the tablet's rows only. It
 * takes their place if they are still there, in a tablet that has the same rows under the same
 * schema; then the tablet's configuration is saved.
 */
final class CompactionRun {
  private final ServerParts server;
  private final EditSaver saver;
  private final OrderedLock swapping = new OrderedLock(Place.SWAP); // taken before the commit lock

  CompactionRun(ServerParts server, TabletConfigs configs) {
    this.server = server;
    this.saver = new EditSaver(server, configs);
  }

  /**
   * What is to be merged.
   *
   * @param view borrowed by the caller for the whole run: it keeps the inputs open
   */
  record Work(Table table, TableView view, TabletView tablet, int group, CompactionPlan plan) {
    List<Link> inputs() {
      Chain chain = tablet.chains().orElseThrow().get(group);
      return chain.links().subList(plan.from(), plan.to());
    }

    Older older() {
      Chain chain = tablet.chains().orElseThrow().get(group);
      return Older.of(chain.fragments().subList(0, plan.from()));
    }

    String groupName() {
      return view.groups().get(group).schema().name();
    }

    String tabletName() {
      return new TabletKey(table.name(), tablet.last()).toString();
    }
  }

  /** Runs something while no output is put in place. */
  <T> T pausing(Supplier<T> action) {
    swapping.lock();
    try {
      return action.get();
    } finally {
      swapping.unlock();
    }
  }

  /**
   * Merges.
   *
   * @return false if it was for nothing, because something else changed the tablet meanwhile
   */
  boolean run(Work work, BooleanSupplier cancelled) throws IOException {
    Optional<FilePath> path =
        server.write(
            work.inputs(),
            cells -> new RangeCursor(cells, work.tablet().range()),
            work.older(),
            work.view().groups().get(work.group()).schema(),
            origin(work),
            cancelled);
    Optional<Edited> edited = Optional.empty();
    try (Table.Uses uses = work.table().uses()) {
      Optional<DiskFragment> output = path.map(uses::open);
      output.ifPresent(FragmentGraph::preload); // before readers come to it
      Compacted edit =
          new Compacted(
              work.view().schemaVersion(), work.tablet(), work.group(), work.inputs(), output);
      edited = pausing(() -> work.table().put(edit));
    } finally {
      if (edited.isEmpty()) {
        path.ifPresent(server::discard);
      }
    }
    server.report(
        new TableEvent.Compacted(
            work.table().name(),
            work.groupName(),
            work.tabletName(),
            path.map(FilePath::toString).orElse("nothing"),
            work.plan().reason(),
            edited.isPresent()));
    edited.ifPresent(Edited::tell);
    edited.ifPresent(done -> saver.save(List.of(done), path.stream().toList(), _ -> {}));
    return edited.isPresent();
  }

  private FragmentOrigin origin(Work work) {
    return new FragmentOrigin(
        FragmentOrigin.Kind.COMPACTION,
        work.table().name(),
        work.groupName(),
        work.tablet().first(),
        work.tablet().last(),
        server.clock().micros(),
        work.inputs().stream().map(link -> ((DiskFragment) link.fragment()).path()).toList());
  }
}
