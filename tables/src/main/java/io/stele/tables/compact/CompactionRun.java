package io.stele.tables.compact;

import io.stele.base.file.FilePath;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.Link;
import io.stele.engine.compaction.CompactionPlan;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.disk.FragmentProperties;
import io.stele.engine.merge.Older;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.tablet.ChainEdit;
import io.stele.tables.tablet.FragmentGraph;
import io.stele.tables.tablet.FragmentOrigin;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletConfigs;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * One compaction: adjacent files of a tablet's chain become one that has the tablet's rows only. It
 * takes their place if they are still there, in a tablet that has the same rows under the same
 * schema; then the tablet's configuration is saved.
 */
final class CompactionRun {
  private final ServerParts server;
  private final TabletConfigs configs;
  private final ReentrantLock swapping = new ReentrantLock(); // taken before the commit lock

  CompactionRun(ServerParts server, TabletConfigs configs) {
    this.server = server;
    this.configs = configs;
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
    FilePath path = server.names().create();
    Optional<DiskFragment> output = write(work, path, cancelled);
    OptionalInt place = pausing(() -> putInPlace(work, output));
    if (place.isEmpty()) {
      output.ifPresent(unused -> giveUp(work.table(), unused));
    }
    server.report(
        new TableEvent.Compacted(
            work.table().name(),
            work.groupName(),
            work.tabletName(),
            output.map(file -> file.path().toString()).orElse("nothing"),
            work.plan().reason(),
            place.isPresent()));
    if (place.isPresent()) {
      Tablet tablet = work.tablet().tablet();
      int begin = place.getAsInt();
      work.table()
          .events()
          .fragmentsChanged(tablet, work.group(), begin, begin + work.plan().width());
      save(work.table(), tablet, path);
    }
    return place.isPresent();
  }

  /** Writes the output and opens it; nothing if no cell had to be kept. */
  private Optional<DiskFragment> write(Work work, FilePath path, BooleanSupplier cancelled)
      throws IOException {
    boolean written = false;
    boolean open = false;
    try {
      Optional<FragmentProperties> properties =
          server.write(
              path,
              work.inputs(),
              cells -> new RangeCursor(cells, work.tablet().range()),
              work.older(),
              work.view().groups().get(work.group()).schema(),
              origin(work),
              cancelled);
      written = properties.isPresent();
      Optional<DiskFragment> output = properties.map(_ -> work.table().graph().use(path));
      open = output.isPresent();
      output.ifPresent(FragmentGraph::preload); // before readers come to it
      return output;
    } finally {
      if (written && !open) {
        delete(path);
      }
      if (!open) {
        server.names().settled(path);
      }
    }
  }

  private FragmentOrigin origin(Work work) {
    return new FragmentOrigin(
        FragmentOrigin.Kind.COMPACTION,
        work.table().name(),
        work.groupName(),
        work.tablet().first(),
        work.tablet().last(),
        server.clock().micros(),
        fragments(work.inputs()).stream().map(DiskFragment::path).toList());
  }

  /** Where the inputs stood in the chain; nothing if they do no more. */
  private OptionalInt putInPlace(Work work, Optional<DiskFragment> output) {
    List<Link> inputs = work.inputs();
    server.lock().lock();
    try {
      TableView view = work.table().view();
      Tablet tablet = work.tablet().tablet();
      Optional<TabletView> now = view.find(tablet).filter(each -> isSame(work, view, each));
      Optional<TabletView> replaced =
          now.flatMap(
              each -> ChainEdit.replace(each, work.group(), work.groupName(), inputs, output));
      if (now.isEmpty() || replaced.isEmpty()) {
        return OptionalInt.empty();
      }
      Chain before = now.get().chains().orElseThrow().get(work.group());
      work.table().replace(view.withTablet(tablet, _ -> replaced.get()), fragments(inputs));
      return OptionalInt.of(before.links().indexOf(inputs.getFirst()));
    } finally {
      server.lock().unlock();
    }
  }

  /**
   * After a split the output would have rows that are another tablet's now; after a join it would
   * lack some.
   */
  private static boolean isSame(Work work, TableView view, TabletView now) {
    return view.schemaVersion() == work.view().schemaVersion()
        && now.state() == TabletState.ACTIVE
        && now.first().equals(work.tablet().first())
        && now.last().equals(work.tablet().last());
  }

  private static List<DiskFragment> fragments(List<Link> links) {
    return links.stream().map(link -> (DiskFragment) link.fragment()).toList();
  }

  private void giveUp(Table table, DiskFragment output) {
    table.graph().release(List.of(output)).forEach(table.graph()::close);
    delete(output.path());
    server.names().settled(output.path());
  }

  /** What cannot be deleted now is found later, as a file that no configuration names. */
  private void delete(FilePath path) {
    try {
      server.files().delete(path);
    } catch (IOException e) {
      server.report(new TableEvent.BackgroundFailed("deletion of " + path, e));
    }
  }

  private void save(Table table, Tablet tablet, FilePath path) {
    var _ =
        configs
            .save(table, List.of(tablet))
            .whenComplete(
                (_, failure) -> {
                  if (failure == null) {
                    server.names().settled(path);
                  } else {
                    server.report(
                        new TableEvent.BackgroundFailed(
                            "saving the configuration of a tablet of table " + table.name(),
                            failure instanceof Exception e ? e : new RuntimeException(failure)));
                  }
                });
  }
}
