package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.ConflictException;
import io.stele.tables.meta.MetaTable.StoredSchema;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Tables whose rows in META are not all written at once, because they depend on what servers say:
 *
 * <pre>
 *   begin    schema, marked with the maker      nobody else makes it; no file is deleted
 *   finish   tablets                            not served, not listed
 *            schema without the mark            now there is such a table
 *   give up  tablets, then the schema, erased   where its maker failed, or is no longer the master
 * </pre>
 *
 * <p>A maker that was replaced and does not know it finds its mark gone, and writes nothing.
 */
public final class UnfinishedTables {
  /**
   * A table that is being made.
   *
   * @param token of the master that makes it
   */
  public record Unfinished(String table, long token) {}

  private final MetaAccess access;
  private final MetaTable meta;

  UnfinishedTables(MetaAccess access, MetaTable meta) {
    this.access = access;
    this.meta = meta;
  }

  /**
   * Begins to make a table: nobody else can make it meanwhile. Whoever deletes files that META does
   * not name waits for its end, so what its tablets are going to name stays.
   *
   * @throws ConflictException if there is one of this name
   */
  public void begin(Unfinished made, StoredSchema schema) {
    TableNames.checkNew(made.table());
    if (meta.rows(made.table()).value().exists()) {
      throw new ConflictException("table \"" + made.table() + "\" exists, or is being made");
    }
    RowChanges rows = new RowChanges();
    rows.add(MetaRows.schema(made.table()), batch -> save(made, schema, batch));
    rows.apply(
        access,
        TableNames.META1,
        (_, cells) -> {
          if (!cells.isEmpty()) {
            throw new ConflictException("table \"" + made.table() + "\" exists");
          }
        });
  }

  private static void save(Unfinished made, StoredSchema schema, CellBatchBuilder batch) {
    SchemaCells.save(made.table(), schema.schema(), schema.origins(), batch);
    SchemaCells.saveMaker(made.table(), made.token(), schema.revision(), batch);
  }

  /**
   * Adds all tablets, and then says that the table is made: in one change of one row.
   *
   * @throws ConflictException if another master gave it up meanwhile
   */
  public void finish(Unfinished made, StoredSchema schema, Collection<TabletConfig> tablets) {
    Bytes schemaRow = MetaRows.schema(made.table());
    RowChanges.Check ours =
        (row, cells) -> {
          if (row.equals(schemaRow) ? !isMarked(cells, made) : !cells.isEmpty()) {
            throw new ConflictException(
                "table \"" + made.table() + "\" was given up by another master: try again");
          }
        };
    RowChanges contents = new RowChanges();
    contents.add(schemaRow, batch -> save(made, schema, batch));
    tablets.forEach(
        config -> contents.add(config.metaRow(), batch -> TabletCells.save(config, batch)));
    contents.apply(access, TableNames.META1, ours);
    RowChanges end = new RowChanges();
    FamilyOrigins last = schema.origins().withRevision(schema.revision() + 1);
    end.add(schemaRow, batch -> SchemaCells.save(made.table(), schema.schema(), last, batch));
    end.apply(access, TableNames.META1, ours);
  }

  private static boolean isMarked(List<Cell> cells, Unfinished made) {
    OptionalLong maker = SchemaCells.maker(cells);
    return maker.isPresent() && maker.getAsLong() == made.token();
  }

  /** Removes what there is of a table; nothing if it was made or given up meanwhile. */
  public void giveUp(Unfinished made) {
    Map<Bytes, List<Cell>> before = new HashMap<>();
    meta.rows(made.table(), before);
    Bytes schemaRow = MetaRows.schema(made.table());
    if (!isMarked(before.getOrDefault(schemaRow, List.of()), made)) {
      return;
    }
    RowChanges tablets = new RowChanges();
    RowChanges schema = new RowChanges();
    for (Bytes row : before.keySet()) {
      (row.equals(schemaRow) ? schema : tablets).add(row, batch -> batch.add(Cell.eraseRow(row)));
    }
    if (!tablets.isNone()) {
      tablets.apply(access, TableNames.META1, MetaTable.unchanged(before));
    }
    schema.apply(access, TableNames.META1, MetaTable.unchanged(before));
  }
}
