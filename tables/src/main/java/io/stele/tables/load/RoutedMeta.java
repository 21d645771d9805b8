package io.stele.tables.load;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.ConflictException;
import io.stele.base.error.NotServingException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.Tables;
import io.stele.tables.meta.Futures;
import io.stele.tables.meta.MetaAccess;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.txn.Sequencer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * META as a server of a cluster sees it: those tablets that are here are asked here, all others
 * elsewhere. A tablet that leaves before it has answered is asked elsewhere too. Without its lease
 * a server has nothing to tell META, and asks nobody.
 */
public final class RoutedMeta implements MetaAccess {
  private final TableSet tables;
  private final MetaAccess here;
  private final MetaAccess others;
  private final Sequencer sequencer;

  /**
   * Puts them together.
   *
   * @param others finds the server of any row, be it this one
   */
  public RoutedMeta(TableSet tables, MetaAccess here, MetaAccess others, Sequencer sequencer) {
    this.tables = tables;
    this.here = here;
    this.others = others;
    this.sequencer = sequencer;
  }

  private MetaAccess elsewhere() {
    sequencer.checkLease();
    return others;
  }

  /** Is the tablet that has a row here, to be written, or on its way here? */
  private boolean isHere(String metaTable, Bytes row) {
    return tables
        .find(metaTable)
        .flatMap(table -> table.view().find(row))
        .filter(tablet -> tablet.state().writes() != TabletState.Access.REFUSED)
        .isPresent();
  }

  // ---- changes

  @Override
  public CompletableFuture<Long> apply(
      String metaTable, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    List<Bytes> rows = rows(cells);
    long count = rows.stream().filter(row -> isHere(metaTable, row)).count();
    if (count == 0) {
      return applyElsewhere(metaTable, cells, commitMaxTxn, waitForSync);
    }
    if (count == rows.size()) {
      return applyHere(metaTable, cells, commitMaxTxn, waitForSync);
    }
    if (commitMaxTxn != Tables.ANY_TXN) {
      return CompletableFuture.failedFuture(
          new ConflictException(
              "rows of "
                  + metaTable
                  + " came to this server or left it since transaction "
                  + commitMaxTxn));
    }
    return applyParts(metaTable, cells, waitForSync);
  }

  private CompletableFuture<Long> applyHere(
      String metaTable, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    byte[] kept = cells.toArray(); // a try that fails must leave the batch as it was
    try {
      return here.apply(metaTable, cells, commitMaxTxn, waitForSync);
    } catch (NotServingException e) {
      return applyElsewhere(
          metaTable, CellBatch.trusted(kept, 0, kept.length), commitMaxTxn, waitForSync);
    }
  }

  /** What is durable elsewhere is no transaction of this server. */
  private CompletableFuture<Long> applyElsewhere(
      String metaTable, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    return elsewhere().apply(metaTable, cells, commitMaxTxn, waitForSync).thenApply(_ -> 0L);
  }

  private CompletableFuture<Long> applyParts(
      String metaTable, CellBatch cells, boolean waitForSync) {
    long newest = 0;
    for (List<Bytes> part : together(metaTable, rows(cells))) {
      CellBatchBuilder batch = new CellBatchBuilder();
      CellBatch.Reader reader = cells.read();
      while (reader.next()) {
        Cell cell = reader.cell().toCell();
        if (part.contains(cell.row())) {
          batch.add(cell);
        }
      }
      long txn = Futures.await(apply(metaTable, batch.build(), Tables.ANY_TXN, waitForSync));
      newest = Math.max(newest, txn);
    }
    return CompletableFuture.completedFuture(newest);
  }

  private static List<Bytes> rows(CellBatch cells) {
    List<Bytes> rows = new ArrayList<>();
    CellBatch.Reader reader = cells.read();
    while (reader.next()) {
      Bytes row = reader.cell().row();
      if (rows.isEmpty() || !rows.getLast().equals(row)) {
        rows.add(row);
      }
    }
    return rows;
  }

  @Override
  public List<List<Bytes>> together(String metaTable, List<Bytes> rows) {
    List<Bytes> local = new ArrayList<>();
    List<Bytes> remote = new ArrayList<>();
    rows.forEach(row -> (isHere(metaTable, row) ? local : remote).add(row));
    List<List<Bytes>> parts = new ArrayList<>();
    if (!local.isEmpty()) {
      parts.add(local);
    }
    if (!remote.isEmpty()) {
      parts.addAll(elsewhere().together(metaTable, remote));
    }
    parts.sort(Comparator.comparing(List::getFirst));
    return parts;
  }

  // ---- reads

  @Override
  public long scan(
      String metaTable, ReadPredicate predicate, boolean latest, Predicate<Cell> each) {
    return scan(metaTable, predicate, latest, 0, each);
  }

  @Override
  public long scan(
      String metaTable, ReadPredicate predicate, boolean latest, int rows, Predicate<Cell> each) {
    Walk walk = new Walk(metaTable, predicate, latest, rows, each);
    for (Piece piece : pieces(metaTable, predicate)) {
      if (!walk.go(piece)) {
        break;
      }
    }
    return walk.txn();
  }

  /** Ranges of rows that are all here or all elsewhere. */
  private record Piece(boolean isHere, List<RowRange> rows) {}

  private List<Piece> pieces(String metaTable, ReadPredicate predicate) {
    List<RowRange> local = tables.find(metaTable).map(RoutedMeta::served).orElse(List.of());
    List<Piece> pieces = new ArrayList<>();
    for (RowRange wanted : predicate.rows()) {
      Bytes from = wanted.from();
      for (RowRange served : local) {
        Optional<RowRange> common = served.intersect(wanted);
        if (common.isPresent()) {
          if (from.compareTo(common.get().from()) < 0) {
            add(pieces, false, new RowRange(from, common.get().from()));
          }
          add(pieces, true, common.get());
          from = common.get().to();
          if (from == null) {
            break;
          }
        }
      }
      if (from != null && (wanted.to() == null || from.compareTo(wanted.to()) < 0)) {
        add(pieces, false, new RowRange(from, wanted.to()));
      }
    }
    return pieces;
  }

  private static List<RowRange> served(Table table) {
    return table.view().tablets().stream()
        .filter(tablet -> tablet.state().reads() != TabletState.Access.REFUSED)
        .map(TabletView::range)
        .toList();
  }

  private static void add(List<Piece> pieces, boolean isHere, RowRange rows) {
    if (!pieces.isEmpty() && pieces.getLast().isHere() == isHere) {
      pieces.getLast().rows().add(rows);
    } else {
      pieces.add(new Piece(isHere, new ArrayList<>(List.of(rows))));
    }
  }

  /** A scan under way. */
  private final class Walk {
    private final String metaTable;
    private final ReadPredicate predicate;
    private final boolean latest;
    private final int rows; // of each piece; 0 for all
    private final Predicate<Cell> each;
    private boolean ended;
    private boolean began; // with the piece at hand
    private int servers;
    private long txn;

    Walk(
        String metaTable, ReadPredicate predicate, boolean latest, int rows, Predicate<Cell> each) {
      this.metaTable = metaTable;
      this.predicate = predicate;
      this.latest = latest;
      this.rows = rows;
      this.each = each;
    }

    /** False if no more is wanted. */
    boolean go(Piece piece) {
      ReadPredicate wanted = predicate.withRows(piece.rows());
      began = false;
      servers++;
      if (!piece.isHere()) {
        txn = elsewhere().scan(metaTable, wanted, latest, rows, this::take);
        return !ended;
      }
      try {
        txn = here.scan(metaTable, wanted, latest, rows, this::take);
      } catch (NotServingException e) {
        if (began) {
          throw e; // what was handed out cannot be taken back
        }
        txn = elsewhere().scan(metaTable, wanted, latest, rows, this::take);
      }
      return !ended;
    }

    private boolean take(Cell cell) {
      began = true;
      ended = !each.test(cell);
      return !ended;
    }

    /** What is on several servers has no transaction in common. */
    long txn() {
      return servers == 1 ? txn : 0;
    }
  }
}
