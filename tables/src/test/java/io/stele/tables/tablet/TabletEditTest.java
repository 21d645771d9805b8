package io.stele.tables.tablet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.base.time.RandomSource;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.Link;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.disk.FragmentSettings;
import io.stele.engine.disk.FragmentWriter;
import io.stele.engine.memory.MemFragment;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.LogRef;
import io.stele.tables.schema.ChainPlan;
import io.stele.tables.tablet.ChainEdit.Closed;
import io.stele.tables.tablet.ChainEdit.Compacted;
import io.stele.tables.tablet.ChainEdit.Emptied;
import io.stele.tables.tablet.ChainEdit.Flushed;
import io.stele.tables.tablet.ChainEdit.Opened;
import io.stele.tables.tablet.ChainEdit.Replayed;
import io.stele.tables.tablet.ChainEdit.Replayed.Insert;
import io.stele.tables.tablet.ChainEdit.Replayed.Part;
import io.stele.tables.tablet.ChainEdit.Rotated;
import io.stele.tables.tablet.SchemaEdit.Regrouped;
import io.stele.tables.tablet.SchemaEdit.Settled;
import io.stele.tables.tablet.TabletsEdit.Added;
import io.stele.tables.tablet.TabletsEdit.Joined;
import io.stele.tables.tablet.TabletsEdit.Removed;
import io.stele.tables.tablet.TabletsEdit.Split;
import io.stele.tables.tablet.TabletsEdit.StateChanged;
import io.stele.tables.tablet.TabletsEdit.TakenOver;
import io.stele.testkit.run.Seed;
import io.stele.testkit.sim.Seeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * Random sequences of edits, some of them made for a view that has changed meanwhile. Whatever is
 * put in place leaves a view that is sound ({@link TableView#flaw}, which {@link Table#commit} asks
 * too); each file has as many uses as chains name it, and is closed with the last; listeners hear
 * of it without the lock; and the same edits make the same view of the first one again.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class TabletEditTest {
  private static final int RUNS = 150;
  private static final int STEPS = 60;
  private static final List<TableSchema> SCHEMAS =
      List.of(
          TableSchema.of(GroupSchema.of("one", "f"), GroupSchema.of("two", "g")),
          TableSchema.of(GroupSchema.of("one", "g"), GroupSchema.of("two", "f")),
          TableSchema.of(GroupSchema.of("all", "f", "g")));

  @Test
  void anyEditsKeepTheInvariantsAndCanBeReplayed() {
    Set<Class<?>> done = ConcurrentHashMap.newKeySet();
    Set<Class<?>> rejected = ConcurrentHashMap.newKeySet();
    long first = Seed.of(TabletEditTest.class, 1);
    Seeds.run(first, RUNS, 1, seed -> new Run(seed, done, rejected).run());
    assertThat(done).as("kinds of edits that were put in place").hasSize(15);
    assertThat(rejected)
        .as("kinds of edits that did not fit any more")
        .contains(
            Flushed.class, Compacted.class, Opened.class, Added.class, Split.class, Joined.class);
  }

  /** An edit and the files that it has open. */
  private record Prepared(TabletEdit edit, Table.Uses uses) {}

  private static final class Run {
    private final RandomGenerator random;
    private final Set<Class<?>> done;
    private final Set<Class<?>> rejected;
    private final MemoryFileStore store = new MemoryFileStore();
    private final CommitLock lock = new CommitLock();
    private final FragmentGraph graph =
        new FragmentGraph(store, new BlockCache(1 << 20), (_, _) -> {});
    private final Table table =
        new Table(
            "t",
            TableView.empty(SCHEMAS.getFirst()),
            lock,
            graph,
            Optional.empty(),
            failure -> {
              throw failure;
            });
    private final TableView start = table.view();
    private final List<TabletEdit> log = new ArrayList<>();
    private final List<Prepared> late = new ArrayList<>();
    private long txn;
    private int files;

    Run(long seed, Set<Class<?>> done, Set<Class<?>> rejected) {
      this.random = RandomSource.seeded(seed);
      this.done = done;
      this.rejected = rejected;
      table
          .events()
          .add(
              new TabletListener() {
                @Override
                public void onFragmentListUpdate(Tablet tablet, int group, int begin, int end) {
                  assertThatThrownBy(lock::checkHeld).as("without the lock").isNotNull();
                  assertThat(begin).isNotNegative().isLessThanOrEqualTo(end);
                }
              },
              null);
    }

    long run() {
      for (int step = 0; step < STEPS; step++) {
        Table.Uses uses = table.uses();
        Prepared next = new Prepared(edit(table.view(), uses), uses);
        if (random.nextInt(4) == 0) {
          late.add(next);
        } else {
          commit(next);
        }
        if (!late.isEmpty() && random.nextInt(4) == 0) {
          commit(late.remove(random.nextInt(late.size())));
        }
      }
      late.forEach(this::commit);
      late.clear();
      checkUses();
      assertThat(graph.openFiles()).isEqualTo(named().keySet());
      TableView again = start;
      for (TabletEdit edit : log) {
        again = edit.apply(again).orElseThrow();
      }
      assertThat(again.toString()).isEqualTo(table.view().toString());
      return log.size();
    }

    private void commit(Prepared next) {
      TableView before = table.view();
      Optional<Edited> edited = table.commit(next.edit);
      if (edited.isPresent()) {
        log.add(next.edit);
        done.add(next.edit.getClass());
        assertThat(table.view().flaw()).isEmpty();
      } else {
        rejected.add(next.edit.getClass());
        assertThat(table.view()).isSameAs(before);
      }
      next.uses.close();
      if (late.isEmpty()) {
        checkUses();
      }
    }

    /** How many chains have each file. */
    private Map<FilePath, Integer> named() {
      Map<FilePath, Integer> named = new HashMap<>();
      for (TabletView tablet : table.view().tablets()) {
        tablet.fragments().forEach(file -> named.merge(file.path(), 1, Integer::sum));
      }
      return named;
    }

    private void checkUses() {
      if (late.isEmpty()) {
        named().forEach((path, uses) -> assertThat(graph.uses(path)).isEqualTo(uses));
        assertThat(graph.openFiles()).isEqualTo(named().keySet());
      }
    }

    // ---- what may be done to a view

    private TabletEdit edit(TableView view, Table.Uses uses) {
      TabletEdit added = added();
      if (view.tablets().isEmpty()) {
        return added;
      }
      if (random.nextInt(3) == 0) {
        write(view);
      }
      TabletView tablet = pick(view.tablets());
      return switch (random.nextInt(16)) {
        case 0, 1 -> added;
        case 2 -> rotated(view);
        case 3, 4 -> flushed(view, uses);
        case 5 -> compacted(view, tablet, uses);
        case 6 -> opened(view, tablet, uses);
        case 7 -> new Closed(Set.of(tablet.tablet()));
        case 8 -> split(tablet);
        case 9 -> joined(view, tablet);
        case 10 -> pick(List.of(new Emptied(++txn), new Removed(Set.of(tablet.tablet()))));
        case 11 ->
            new Settled(
                view.tablets(), byTablet(view, TabletView::files), view.origins().revision(), txn);
        case 12 -> regrouped(view, uses);
        default -> moved(tablet);
      };
    }

    private <T> T pick(List<? extends T> all) {
      return all.get(random.nextInt(all.size()));
    }

    private Bytes row() {
      return Bytes.utf8(String.valueOf((char) ('b' + random.nextInt(24))));
    }

    private Added added() {
      Bytes first = random.nextInt(4) == 0 ? Bytes.EMPTY : row();
      int end = (first.isEmpty() ? 'a' : first.at(0)) + 1 + random.nextInt(5);
      Bytes last = Bytes.utf8(String.valueOf((char) end));
      List<LogRef> owed =
          random.nextBoolean() ? List.of() : List.of(new LogRef(FilePath.of("log/other"), 0));
      return new Added(
          List.of(
              new TabletView(
                  new Tablet("t"),
                  first,
                  random.nextInt(8) == 0 ? Optional.empty() : Optional.of(last),
                  TabletState.CONFIG_LOADING,
                  0,
                  0,
                  new TreeMap<>(),
                  Optional.empty(),
                  owed,
                  table.view().origins().revision())));
    }

    private void write(TableView view) {
      GroupView group = pick(view.groups());
      CellBatchBuilder batch = new CellBatchBuilder();
      String family = pick(List.copyOf(group.schema().families()));
      batch.add(Cell.put(row(), Bytes.utf8(family), Bytes.EMPTY, 1, Bytes.EMPTY));
      group.active().add(batch.build().committed(++txn));
    }

    private Rotated rotated(TableView view) {
      String group = pick(view.groups()).schema().name();
      return new Rotated(Map.of(group, new MemFragment()));
    }

    private Flushed flushed(TableView view, Table.Uses uses) {
      GroupView group = pick(view.groups());
      String family = pick(List.copyOf(group.schema().families()));
      Optional<DiskFragment> file =
          random.nextInt(5) == 0 ? Optional.empty() : Optional.of(uses.open(file(family)));
      return Flushed.of(view, group.schema().name(), group.frozen(), file);
    }

    /** A new one with cells in some rows. */
    private FilePath file(String family) {
      FilePath path = FilePath.of("fragments/" + files++);
      long now = ++txn;
      try (FragmentWriter writer =
          new FragmentWriter(store, path, FragmentSettings.DEFAULT, files)) {
        for (Bytes row : new TreeSet<>(List.of(row(), row(), row()))) {
          writer.add(
              Cell.put(row, Bytes.utf8(family), Bytes.EMPTY, 1, Bytes.EMPTY).withTxn(now).view());
        }
        writer.finish();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return path;
    }

    private TabletEdit compacted(TableView view, TabletView tablet, Table.Uses uses) {
      int group = random.nextInt(view.groups().size());
      List<Link> links = tablet.chains().map(chains -> chains.get(group).links()).orElse(List.of());
      if (links.isEmpty()) {
        return opened(view, tablet, uses);
      }
      int from = random.nextInt(links.size());
      List<Link> inputs = links.subList(from, from + 1 + random.nextInt(links.size() - from));
      String family = view.groups().get(group).schema().families().first();
      Optional<DiskFragment> output =
          random.nextInt(3) == 0 ? Optional.empty() : Optional.of(uses.open(file(family)));
      return new Compacted(view.schemaVersion(), tablet, group, inputs, output);
    }

    private TabletEdit opened(TableView view, TabletView tablet, Table.Uses uses) {
      if (tablet.isOwed()) {
        return moved(tablet);
      }
      SortedMap<String, List<FragmentRef>> planned =
          ChainPlan.plan("t", view.schema(), tablet.files(), path -> contents(uses.open(path)));
      return new Opened(view.schemaVersion(), tablet, planned, uses.open(view, planned));
    }

    private static ChainPlan.Contents contents(DiskFragment file) {
      return new ChainPlan.Contents(file.families(), false, file.maxTxn());
    }

    private TabletEdit split(TabletView tablet) {
      Bytes row = row();
      return tablet.contains(row) && !tablet.last().equals(Optional.of(row))
          ? new Split(tablet, row, new Tablet("t"))
          : moved(tablet);
    }

    /** Of neighbours that have different files, or none. */
    private TabletEdit joined(TableView view, TabletView lower) {
      Optional<TabletView> upper =
          view.tablets().stream()
              .filter(each -> lower.last().equals(Optional.of(each.first())))
              .findFirst();
      if (upper.isEmpty()
          || !Collections.disjoint(lower.paths(), upper.get().paths())
          || !lower.isWarm()
          || !upper.get().isWarm()) {
        return split(lower);
      }
      TabletView both = upper.get().part(upper.get().tablet(), lower.first(), upper.get().last());
      List<Chain> chains = lower.chains().orElseThrow();
      for (int g = 0; g < chains.size(); g++) {
        String name = view.groups().get(g).schema().name();
        List<Link> links = new ArrayList<>(chains.get(g).links());
        links.addAll(both.chains().orElseThrow().get(g).links());
        both = both.withChain(g, name, new Chain(links));
      }
      return new Joined(lower, upper.get(), both);
    }

    private Regrouped regrouped(TableView view, Table.Uses uses) {
      TableView shape = TableView.empty(pick(SCHEMAS), view.origins(), view.schemaVersion() + 1);
      List<TabletView> tablets = new ArrayList<>();
      for (TabletView tablet : view.tablets()) {
        SortedMap<String, List<FragmentRef>> planned =
            ChainPlan.plan("t", shape.schema(), tablet.files(), path -> contents(uses.open(path)));
        tablets.add(tablet.withFiles(planned, tablet.chains().map(_ -> uses.open(shape, planned))));
      }
      return new Regrouped(view.tablets(), shape, tablets);
    }

    /** The next step in the life of a tablet. */
    private TabletEdit moved(TabletView tablet) {
      Set<Tablet> only = Set.of(tablet.tablet());
      return switch (tablet.state()) {
        case LOG_REPLAYING -> new TakenOver(only, txn);
        case FRAGMENTS_LOADING ->
            new Replayed(
                List.of(
                    new Part(
                        tablet.tablet(),
                        tablet.owedLogs(),
                        tablet.isOwed()
                            ? Map.of(
                                "one",
                                List.of(new Insert(0, List.of(FragmentRef.whole(file("f"))))))
                            : Map.of())));
        case DISABLED -> new Removed(only);
        case UNKNOWN -> throw new AssertionError("a tablet that is here is not unknown");
        case READ_ONLY ->
            new StateChanged(
                only,
                TabletState.READ_ONLY,
                pick(List.of(TabletState.ACTIVE, TabletState.DISABLED)));
        case CONFIG_LOADING, CONFIG_SAVING, ACTIVE ->
            new StateChanged(
                only, tablet.state(), TabletState.values()[tablet.state().ordinal() + 1]);
      };
    }

    private static <T> Map<Tablet, T> byTablet(TableView view, Function<TabletView, T> value) {
      Map<Tablet, T> all = new HashMap<>();
      view.tablets().forEach(each -> all.put(each.tablet(), value.apply(each)));
      return all;
    }
  }

  @Test
  void aStateThatDoesNotFollowIsRefused() {
    Tablet tablet = new Tablet("t");
    assertThatThrownBy(
            () -> new StateChanged(Set.of(tablet), TabletState.DISABLED, TabletState.ACTIVE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no tablet goes from disabled to active");
  }
}
