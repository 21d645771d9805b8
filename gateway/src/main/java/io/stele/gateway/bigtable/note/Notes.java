package io.stele.gateway.bigtable.note;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.ConflictException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;

/**
 * What there is to be kept beside tables, as rows of a tablet table of its own: durable, and the
 * same for every server of a cluster. The table is made with the first note.
 *
 * <pre>
 *   row      KIND/NAME      see the constants
 *   column   note:          a message of Bigtable's API
 * </pre>
 */
public final class Notes {
  /** Not a name that Bigtable's clients can write, as all tables that are not for them. */
  public static final String TABLE = "bigtable/notes";

  /** A {@code Table}: what its schema does not hold. */
  public static final String TABLES = "table/";

  /** A {@code Table} that was deleted and can be had back. */
  public static final String DELETED = "deleted/";

  public static final String BACKUPS = "backup/";
  public static final String SNAPSHOTS = "snapshot/";
  public static final String INSTANCES = "instance/";
  public static final String PROFILES = "profile/";
  public static final String OPERATIONS = "operation/";

  private static final Bytes FAMILY = Bytes.utf8("note");
  private static final TableSchema SCHEMA =
      TableSchema.of(GroupSchema.of("default", "note").withPurge(new PurgePolicy.MaxHistory(1)));
  private static final int MOST_TRIES = 20;
  private static final int MOST_BYTES = 16 << 20;

  /** A note and where it is. */
  public record Note(String key, Bytes text) {}

  private record Read(Optional<Bytes> text, long txn) {}

  private final Tables tables;
  private final TableAdmin admin;

  public Notes(Tables tables, TableAdmin admin) {
    this.tables = tables;
    this.admin = admin;
  }

  public Optional<Bytes> get(String key) {
    try {
      return read(key).text();
    } catch (NotFoundException e) {
      return Optional.empty(); // nothing was ever noted
    }
  }

  private Read read(String key) {
    ReadPredicate row = ReadPredicate.rows(RowRange.row(Bytes.utf8(key))).withHistory(1);
    CellPage page = await(tables.read(TABLE, row, ScanOptions.DEFAULT, MOST_BYTES));
    List<Note> found = new ArrayList<>();
    page.cells().ifPresent(cells -> addTo(found, cells));
    return new Read(found.stream().map(Note::text).findFirst(), page.txn());
  }

  private static void addTo(List<Note> found, CellBatch cells) {
    CellBatch.Reader reader = cells.read();
    while (reader.next()) {
      Cell cell = reader.cell().toCell();
      found.add(new Note(cell.row().toUtf8(), cell.value()));
    }
  }

  /** All notes whose keys begin so, in the order of their keys. */
  public List<Note> list(String prefix) {
    List<Note> found = new ArrayList<>();
    ReadPredicate rows = ReadPredicate.rows(RowRange.prefix(Bytes.utf8(prefix))).withHistory(1);
    try (TableScan scan = tables.scan(TABLE, rows, ScanOptions.DEFAULT)) {
      boolean more = true;
      while (more) {
        CellPage page = scan.next(MOST_BYTES);
        page.cells().ifPresent(cells -> addTo(found, cells));
        more = page.more();
      }
    } catch (NotFoundException e) {
      // Nothing was ever noted.
    }
    return found;
  }

  public void put(String key, Bytes text) {
    change(key, _ -> Optional.of(text));
  }

  public void remove(String key) {
    if (get(key).isPresent()) {
      change(key, _ -> Optional.empty());
    }
  }

  /**
   * Changes a note by what it says; again if somebody else does so at the same time.
   *
   * @param change what it is to say, none for no note; what it throws ends it
   */
  public void change(String key, UnaryOperator<Optional<Bytes>> change) {
    for (int tries = 1; ; tries++) {
      try {
        attempt(key, change);
        return;
      } catch (NotFoundException e) {
        make(e);
      } catch (ConflictException e) {
        if (tries == MOST_TRIES) {
          throw new UnavailableException(
              "note \"" + key + "\" was changed by others each of " + tries + " times", e);
        }
      }
    }
  }

  private void attempt(String key, UnaryOperator<Optional<Bytes>> change) {
    Read before = read(key);
    Optional<Bytes> after = change.apply(before.text());
    if (after.equals(before.text())) {
      return;
    }
    Bytes row = Bytes.utf8(key);
    CellBatchBuilder batch = new CellBatchBuilder();
    after.ifPresentOrElse(
        text -> batch.put(row, FAMILY, Bytes.EMPTY, Cell.SERVER_TIME, text),
        () -> batch.add(Cell.eraseRow(row)));
    await(tables.apply(TABLE, batch.build(), before.txn(), true));
  }

  private void make(NotFoundException missing) {
    if (admin.list(false).contains(TABLE)) {
      throw missing;
    }
    try {
      admin.create(TABLE, SCHEMA, List.of());
    } catch (ConflictException e) {
      // Somebody else has made it.
    }
  }

  private static <T> T await(CompletableFuture<T> answer) {
    try {
      return answer.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof SteleException known) {
        throw known;
      }
      throw e;
    }
  }
}
