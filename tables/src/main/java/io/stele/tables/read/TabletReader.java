package io.stele.tables.read;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.base.cell.RequestMark;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.Link;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment.TimeBounds;
import io.stele.engine.memory.MemFragment;
import io.stele.engine.merge.MergeCursor;
import io.stele.engine.merge.VisibleCursor;
import io.stele.tables.tablet.FloorCursor;
import io.stele.tables.tablet.GroupView;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.TabletView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads one tablet at one transaction. Each group that may have what is wanted is read for itself,
 * by its own purge policy; the others are not touched.
 */
public final class TabletReader {
  private TabletReader() {}

  /**
   * What a predicate wants of a tablet that is warm.
   *
   * @param rows of the predicate, as far as they are in the tablet's range
   * @return nothing if there surely is none
   */
  public static Optional<CellCursor> open(
      TableView view,
      TabletView tablet,
      ReadPredicate predicate,
      List<RowRange> rows,
      long txn,
      long now) {
    ReadPredicate clipped = predicate.withRows(rows);
    List<Chain> chains = tablet.chains().orElseThrow();
    List<CellCursor> visible = new ArrayList<>(chains.size());
    for (int g = 0; g < chains.size(); g++) {
      GroupView group = view.groups().get(g);
      if (isWanted(group.schema(), clipped)) {
        openGroup(chains.get(g), group, tablet.fromTxn(), clipped, txn, now)
            .ifPresent(visible::add);
      }
    }
    return visible.isEmpty() ? Optional.empty() : Optional.of(MergeCursor.of(visible));
  }

  private static boolean isWanted(GroupSchema group, ReadPredicate predicate) {
    if (predicate.columns().isEmpty()
        || group.wildcard()
        || predicate.columns().getFirst().from().family().equals(RequestMark.FAMILY)) {
      return true; // marks of requests may be in any group after a change of the schema
    }
    for (String family : group.families()) {
      Bytes name = Bytes.utf8(family);
      for (ColumnRange range : predicate.columns()) {
        if (range.touchesFamily(name)) {
          return true;
        }
      }
    }
    return false;
  }

  private static Optional<CellCursor> openGroup(
      Chain chain, GroupView group, long fromTxn, ReadPredicate predicate, long txn, long now) {
    PurgePolicy purge = group.schema().purge();
    boolean oneRow = predicate.rows().size() == 1 && predicate.rows().getFirst().isOneRow();
    List<CellCursor> sources = new ArrayList<>(chain.links().size() + group.mems().size());
    boolean wide = false;
    if (oneRow) {
      CellView row = CellView.beforeRow(predicate.rows().getFirst().from());
      for (Link link : chain.links()) {
        Optional<CellCursor> source = link.rowCursor(row);
        if (source.isPresent()) {
          sources.add(source.get());
          wide |= link.fragment().mayHoldWideErasures();
        }
      }
    } else {
      // How many newer versions there are decides what max-history purges: none may be skipped.
      long to = purge.countsHistory() ? Long.MAX_VALUE : predicate.timeTo();
      TimeBounds bounds = new TimeBounds(predicate.timeFrom(), to);
      for (Link link : chain.links()) {
        sources.add(link.cursor(bounds));
        wide |= link.fragment().mayHoldWideErasures();
      }
    }
    for (Link link : group.mems()) {
      MemFragment mem = (MemFragment) link.fragment();
      if (!mem.isEmpty() && mem.maxTxn() > fromTxn) {
        CellCursor source = link.cursor(TimeBounds.ALL);
        sources.add(mem.minTxn() > fromTxn ? source : new FloorCursor(source, fromTxn));
        wide |= mem.mayHoldWideErasures();
      }
    }
    if (sources.isEmpty()) {
      return Optional.empty();
    }
    CellCursor merged = oneRow ? MergeCursor.ofRow(sources) : MergeCursor.of(sources);
    return Optional.of(new VisibleCursor(merged, wide, txn, predicate, purge, now));
  }
}
