package io.stele.tables;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.FencedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.file.FilePath;
import io.stele.base.table.TabletInfo;
import io.stele.tables.master.LiveServer;
import io.stele.tables.master.ServerReport;
import io.stele.tables.master.ServerReport.TabletReport;
import io.stele.tables.master.TabletControl;
import io.stele.tables.master.TabletOutcome;
import io.stele.tables.meta.Futures;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.tablet.FragmentFiles;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.tablet.ViewHolder.Borrowed;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** A tablet server of a cluster as its master, and the other servers, see it. */
final class ControlledTablets implements TabletControl {
  private final Machinery machinery;
  private final AdminOperations admin;
  private final LiveServer self;
  private final AtomicLong newestToken = new AtomicLong();

  ControlledTablets(Machinery machinery, AdminOperations admin, LiveServer self) {
    this.machinery = machinery;
    this.admin = admin;
    this.self = self;
  }

  /** Orders of masters that have been replaced are not carried out, nor any without the lease. */
  private void check(long token) {
    long newest = newestToken.accumulateAndGet(token, Math::max);
    if (token < newest) {
      throw new FencedException(
          "the order of a master with token "
              + token
              + " is refused: there is one with token "
              + newest);
    }
    machinery.parts().sequencer().checkLease();
  }

  // ---- orders

  @Override
  public List<TabletOutcome> load(long token, List<TabletKey> tablets) {
    check(token);
    return outcomes(tablets, machinery.assignments().load(tablets));
  }

  @Override
  public List<TabletOutcome> unload(long token, List<TabletKey> tablets) {
    check(token);
    return outcomes(tablets, machinery.assignments().unload(tablets));
  }

  private List<TabletOutcome> outcomes(
      List<TabletKey> tablets, Map<TabletKey, Optional<SteleException>> found) {
    machinery.parts().sequencer().checkLease();
    return tablets.stream()
        .map(tablet -> new TabletOutcome(tablet, found.getOrDefault(tablet, Optional.empty())))
        .toList();
  }

  @Override
  public void join(long token, TabletKey lower) {
    check(token);
    Table table = machinery.tables().get(lower.table());
    Tablet tablet = here(table, lower);
    machinery.flusher().flush(table); // as they may have come here at different times
    machinery.splitter().join(table, tablet);
  }

  @Override
  public Bytes split(long token, TabletKey tablet, Optional<Bytes> row) {
    check(token);
    Table table = machinery.tables().get(tablet.table());
    return machinery.splitter().split(table, here(table, tablet), row);
  }

  private static Tablet here(Table table, TabletKey key) {
    return table.view().tablets().stream()
        .filter(tablet -> tablet.last().equals(key.last()))
        .map(TabletView::tablet)
        .findFirst()
        .orElseThrow(() -> new NotServingException(key + " is not loaded here"));
  }

  @Override
  public void reloadSchema(long token, String table) {
    check(token);
    machinery.lifecycle().reloadSchemaIfHere(table);
    machinery.parts().sequencer().checkLease();
  }

  @Override
  public void truncate(long token, String table) {
    check(token);
    ifHere(table, _ -> machinery.lifecycle().truncate(table));
  }

  @Override
  public List<TabletConfig> snapshot(long token, String table) {
    check(token);
    List<TabletConfig> tablets = new ArrayList<>();
    ifHere(table, here -> tablets.addAll(machinery.lifecycle().snapshot(here, _ -> {})));
    return tablets;
  }

  @Override
  public void flush(String table) {
    ifHere(table, machinery.flusher()::flush);
  }

  @Override
  public void compact(String table) {
    ifHere(table, machinery.compactor()::compactAll);
  }

  /** A table of which nothing is here, or that has left meanwhile, has nothing to be done. */
  private void ifHere(String name, Consumer<Table> action) {
    Optional<Table> table = machinery.tables().find(name);
    if (table.isPresent()) {
      try {
        action.accept(table.get());
      } catch (NotServingException e) {
        if (machinery.tables().find(name).isPresent()) {
          throw e;
        }
      }
      machinery.parts().sequencer().checkLease();
    }
  }

  @Override
  public List<TabletInfo> tablets(String table) {
    return machinery.tables().find(table).map(admin::tablets).orElse(List.of());
  }

  @Override
  public long applyMeta(String metaTable, CellBatch cells, long commitMaxTxn) {
    if (!TableNames.isReserved(metaTable)) {
      throw new InvalidRequestException(
          "table \""
              + metaTable
              + "\": must be \""
              + TableNames.META0
              + "\" or \""
              + TableNames.META1
              + "\"");
    }
    return Futures.await(
        machinery.writes().apply(machinery.tables().get(metaTable), cells, commitMaxTxn, true));
  }

  // ---- the report

  /**
   * The order counts: a file that is no longer under way is named by a tablet's view or by META by
   * the time that these are looked at.
   */
  @Override
  public ServerReport report() {
    FragmentFiles.Range unsettled = machinery.parts().names().unsettled();
    Set<FilePath> inUse = new HashSet<>(machinery.tables().openFiles());
    Set<FilePath> named = new HashSet<>();
    List<TabletReport> tablets = new ArrayList<>();
    for (Table table : machinery.tables().all()) {
      try (Borrowed borrowed = table.borrow()) {
        for (TabletView tablet : borrowed.view().tablets()) {
          named.addAll(tablet.paths());
          tablets.add(
              new TabletReport(
                  new TabletKey(table.name(), tablet.last()),
                  tablet.first(),
                  tablet.state().number(),
                  bytes(tablet),
                  tablet.tablet().reads(),
                  tablet.tablet().writes()));
        }
      }
    }
    inUse.addAll(named);
    machinery.parts().sequencer().checkLease();
    return new ServerReport(
        self, tablets, unsettled.oldest(), unsettled.next(), inUse, machinery.memoryBytes());
  }

  private long bytes(TabletView tablet) {
    return machinery.sizes().atMost(tablet).orElse(0);
  }
}
