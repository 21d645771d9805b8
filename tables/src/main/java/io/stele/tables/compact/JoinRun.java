package io.stele.tables.compact;

import io.stele.base.error.ConflictException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.RowRange;
import io.stele.engine.chain.Chain;
import io.stele.engine.disk.DiskFragment;
import io.stele.tables.compact.MetaChange.Correction;
import io.stele.tables.compact.MetaChange.Made;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.schema.JoinPlan;
import io.stele.tables.tablet.Edited;
import io.stele.tables.tablet.GroupView;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.tablet.TabletsEdit.Joined;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** One join. The upper tablet stays the one it was, with more rows; the lower one is no more. */
final class JoinRun {
  private final MetaChange meta;

  JoinRun(MetaChange meta) {
    this.meta = meta;
  }

  /**
   * Joins two active tablets, neighbours whose files are open, in a view that the caller has
   * borrowed; under the {@link SwapGuard}.
   *
   * @throws ConflictException if their files do not go together as they are
   */
  Made join(Table table, TableView view, TabletView lower, TabletView upper) {
    TabletConfig lowerConfig = meta.configOf(table, lower);
    TabletConfig upperConfig = meta.configOf(table, upper);
    try (Table.Uses uses = table.uses()) {
      SortedMap<String, List<FragmentRef>> files =
          JoinPlan.join(lowerConfig, upperConfig, path -> rowsOf(uses.open(path)))
              .orElseThrow(
                  () ->
                      new ConflictException(
                          lowerConfig.key()
                              + " and "
                              + upperConfig.key()
                              + " share files that one of them has compacted since: compact the"
                              + " table, then they can be joined"));
      TabletView both = both(view, lower, upper, files, uses.open(view, files));
      TabletConfig written = meta.configOf(table, both);
      long revision =
          Math.max(
              written.revision(), Math.max(lowerConfig.revision(), upperConfig.revision()) + 1);
      Correction undo =
          new Correction(table, List.of(lower.tablet(), upper.tablet()), List.of(), revision);
      Edited edited =
          meta.save(
              undo,
              List.of(written.withRevision(revision)),
              List.of(lowerConfig.key()),
              new Joined(lower, upper, both));
      return new Made(
          edited,
          new TableEvent.Joined(upperConfig.key().toString(), lowerConfig.key().toString()));
    }
  }

  private static RowRange rowsOf(DiskFragment file) {
    return new RowRange(file.properties().firstRow(), file.properties().lastRow().successor());
  }

  private static TabletView both(
      TableView view,
      TabletView lower,
      TabletView upper,
      SortedMap<String, List<FragmentRef>> files,
      List<Chain> chains) {
    return new TabletView(
        upper.tablet(),
        lower.first(),
        upper.last(),
        upper.state(),
        floor(view, lower, upper),
        Math.max(lower.sinceTxn(), upper.sinceTxn()),
        files,
        Optional.of(chains),
        List.of(),
        Math.min(lower.schemaRevision(), upper.schemaRevision()));
  }

  /**
   * Cells in memory at or below this are not the tablet's. If the two differ in that, none may be
   * left between: one of them has those, and the other does not.
   */
  private static long floor(TableView view, TabletView lower, TabletView upper) {
    long floor = Math.max(lower.fromTxn(), upper.fromTxn());
    if (lower.fromTxn() != upper.fromTxn()) {
      for (GroupView group : view.groups()) {
        if (group.minTxn() <= floor) {
          throw new UnavailableException(
              "tablets that came to this server at different times cannot be joined while changes"
                  + " from before are in memory: flush the table, and try again");
        }
      }
    }
    return floor;
  }
}
