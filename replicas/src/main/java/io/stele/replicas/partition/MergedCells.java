package io.stele.replicas.partition;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellView;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.TableSchema;
import io.stele.base.time.Clock;
import io.stele.engine.fragment.Fragment;
import io.stele.engine.memory.MemFragment;
import io.stele.engine.merge.VisibleCursor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What several replicas have stored of some rows, taken together: what a reader of a replica that
 * had all of it would see, and what each of them lacks of that.
 *
 * @see StoredCells
 */
public final class MergedCells {
  private final MemFragment all = new MemFragment();
  private final List<Set<Cell>> stored = new ArrayList<>(); // by replica, without transactions
  private final ReplicaSchema schema;
  private final PurgePolicy purge;
  private final long now;

  /** Nothing yet, of a table with this schema. */
  public MergedCells(TableSchema tableSchema, Clock clock) {
    this.schema = new ReplicaSchema(tableSchema);
    this.purge = ReplicaSchema.onlyGroup(tableSchema).purge();
    this.now = clock.micros();
  }

  /** Adds what the next replica has of some rows. */
  public void add(Optional<CellBatch> cells, RowRange rows) {
    Set<Cell> own = new HashSet<>();
    stored.add(own);
    if (cells.isEmpty()) {
      return;
    }
    CellBatchBuilder inside = new CellBatchBuilder();
    CellBatch.Reader reader = cells.get().read();
    while (reader.next()) {
      CellView view = reader.cell();
      if (rows.contains(view.row()) && schema.takes(view)) {
        Cell cell = view.toCell().withTxn(0);
        own.add(cell);
        inside.add(cell);
      }
    }
    if (!own.isEmpty()) {
      all.add(inside.build().committed(stored.size()));
    }
  }

  /** What a reader sees. */
  public List<Cell> visible(ReadPredicate predicate) {
    List<Cell> cells = new ArrayList<>();
    try (VisibleCursor cursor =
        new VisibleCursor(
            all.cursor(Fragment.TimeBounds.ALL),
            schema.resolution(),
            true,
            Long.MAX_VALUE,
            predicate,
            purge,
            now)) {
      while (cursor.next()) {
        cells.add(cursor.cell().toCell().withTxn(0));
      }
    }
    return cells;
  }

  /**
   * What each replica lacks, in the order in which they were added: of the cells that a reader
   * sees, and of the erasures that are not about to be dropped everywhere.
   */
  public List<List<Cell>> missing() {
    Set<Cell> wanted = new HashSet<>(visible(ReadPredicate.ALL));
    for (Set<Cell> own : stored) {
      own.stream().filter(this::isErasureToKeep).forEach(wanted::add);
    }
    List<List<Cell>> missing = new ArrayList<>();
    for (Set<Cell> own : stored) {
      missing.add(wanted.stream().filter(cell -> !own.contains(cell)).sorted().toList());
    }
    return missing;
  }

  private boolean isErasureToKeep(Cell cell) {
    return switch (cell.kind()) {
      case PUT -> false;
      case ERASE_CELL -> cell.timestamp() > now - schema.graceMicros() / 2;
      case ERASE_COLUMN, ERASE_FAMILY, ERASE_ROW ->
          cell.view().rangeTo() > now - schema.graceMicros() / 2;
    };
  }

  /** Cells as a batch. */
  public static Bytes pack(List<Cell> cells) {
    CellBatchBuilder batch = new CellBatchBuilder();
    cells.forEach(batch::add);
    return Bytes.wrap(batch.build().toArray());
  }
}
