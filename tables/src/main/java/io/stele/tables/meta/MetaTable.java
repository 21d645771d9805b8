package io.stele.tables.meta;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellKind;
import io.stele.base.error.ConflictException;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.SteleException;
import io.stele.base.file.FilePath;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.Tables;
import io.stele.tables.meta.MetaRows.MetaRow;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * All that is read from and written to META goes through here: the tablets and schemas of every
 * table, and the root.
 *
 * <p>Rows that belong together are written in one batch, which is committed as a whole: both halves
 * of a split, a new table's schema and tablets. The rows of both halves are neighbours, and they
 * are in one tablet of META1 as long as that was split at rows it had, and no join has since
 * removed such a row. Where they are not, and their servers differ, they are written one after the
 * other, and a crash in between leaves what {@link MetaRepair} repairs.
 *
 * <p>Methods block while META is read, and while the root is written.
 */
public final class MetaTable {
  /**
   * Something read, and when.
   *
   * @param txn of the META table; a change that names it fails if another came in between
   */
  public record AsOf<T>(T value, long txn) {}

  /**
   * A schema as META has it.
   *
   * @param origins since when it has its families, and the revision, which grows with every change
   */
  public record StoredSchema(TableSchema schema, FamilyOrigins origins) {
    /** The schema of a table that is created now. */
    public static StoredSchema created(TableSchema schema) {
      return new StoredSchema(schema, FamilyOrigins.CREATED);
    }

    public long revision() {
      return origins.revision();
    }

    /** Another one in its place. */
    public StoredSchema next(TableSchema after) {
      return new StoredSchema(after, origins.next(schema, after, revision() + 1));
    }

    /**
     * Fails if a schema is not the one that somebody has made another from.
     *
     * @throws ConflictException if they differ
     */
    public static void checkExpected(
        String table, Optional<TableSchema> expected, TableSchema found) {
      if (expected.isPresent() && !expected.get().equals(found)) {
        throw new ConflictException(
            "the schema of table \""
                + table
                + "\" was changed since it was read: read it again, and change what it is now");
      }
    }
  }

  /**
   * Tablets that are saved and removed together, all in one META table.
   *
   * @param erased tablets that are no more
   */
  public record Change(List<TabletConfig> saved, List<TabletKey> erased) {
    public Change {
      saved = List.copyOf(saved);
      erased = List.copyOf(erased);
    }

    boolean isNone() {
      return saved.isEmpty() && erased.isEmpty();
    }
  }

  private static final int READS_BEFORE_A_HOLE_IS_REPORTED = 3;

  private final MetaAccess access;
  private final RootTablet root;
  private final boolean latest;

  public MetaTable(MetaAccess access, RootStore root) {
    this(access, new RootTablet(root), true);
  }

  private MetaTable(MetaAccess access, RootTablet root, boolean latest) {
    this.access = access;
    this.root = root;
    this.latest = latest;
  }

  /**
   * The same, but what it reads is durable: for those who destroy what META does not name. (Others
   * see what is not durable yet, because what they write comes behind it.)
   */
  public MetaTable durable() {
    return new MetaTable(access, root, false);
  }

  /** Tables that are made in steps. */
  public UnfinishedTables unfinished() {
    return new UnfinishedTables(access, this);
  }

  // ---- tablets

  /** A tablet by its name. */
  public Optional<TabletConfig> tablet(TabletKey key) {
    MetaLevel level = MetaLevel.of(key.table());
    if (level == MetaLevel.ROOT) {
      return root.read().filter(config -> config.key().equals(key));
    }
    List<TabletConfig> found = new ArrayList<>();
    scan(
        level,
        RowRange.row(key.metaRow()),
        cells -> {
          found.add(TabletCells.load(cells));
          return false;
        });
    return found.stream().findFirst();
  }

  /** The tablet that holds a row, unless META has a hole there. */
  public Optional<TabletConfig> tabletOf(String table, Bytes row) {
    return first(table, row, 1).stream().filter(config -> config.holds(row)).findFirst();
  }

  /** The tablets of a table in the order of their rows. */
  public List<TabletConfig> tablets(String table) {
    return first(table, Bytes.EMPTY, Integer.MAX_VALUE);
  }

  /** The tablets of a table in the order of their rows, from the one that holds a row on. */
  public List<TabletConfig> tabletsFrom(String table, Bytes row, int most) {
    return first(table, row, most);
  }

  /**
   * The tablets of all tables of a level, in the order of META; not those of tables that are being
   * made.
   *
   * @param unreadable is told of rows that cannot be read: they must not keep the others from being
   *     served
   */
  public List<TabletConfig> tablets(MetaLevel level, Consumer<TableRows.UnreadableRow> unreadable) {
    return tablets(level, unreadable, _ -> {});
  }

  /**
   * The same.
   *
   * @param unfinished is told of tables that are being made, in the same reading: their schema,
   *     which says so, comes before their tablets, so none of these is passed over unseen
   */
  public List<TabletConfig> tablets(
      MetaLevel level,
      Consumer<TableRows.UnreadableRow> unreadable,
      Consumer<UnfinishedTables.Unfinished> unfinished) {
    List<TabletConfig> found = new ArrayList<>();
    Set<String> skipped = new HashSet<>();
    if (level == MetaLevel.ROOT) {
      root.read().ifPresent(found::add);
    } else {
      scan(
          level,
          RowRange.ALL,
          cells -> {
            Bytes row = cells.getFirst().row();
            try {
              switch (MetaRows.parse(row)) {
                case MetaRow.Schema(String table) ->
                    SchemaCells.maker(cells)
                        .ifPresent(
                            token -> {
                              skipped.add(table);
                              unfinished.accept(new UnfinishedTables.Unfinished(table, token));
                            });
                case MetaRow.Tablet(String table, _) -> {
                  if (!skipped.contains(table)) {
                    found.add(TabletCells.load(cells));
                  }
                }
              }
            } catch (CorruptDataException e) {
              unreadable.accept(new TableRows.UnreadableRow(row, String.valueOf(e.getMessage())));
            }
            return true;
          });
    }
    return found;
  }

  /** Makes the one tablet that META1 begins with, if META0 has none of it. */
  public void makeMeta1() {
    TableRows before = rows(TableNames.META1).value();
    if (before.tablets().isEmpty() && before.unreadable().isEmpty()) {
      TabletConfig whole = TabletConfig.empty(TableNames.META1, Bytes.EMPTY, Optional.empty());
      RowChanges rows = new RowChanges();
      rows.add(whole.metaRow(), batch -> TabletCells.save(whole, batch));
      rows.apply(
          access,
          TableNames.META0,
          (_, cells) -> {
            if (!cells.isEmpty()) {
              throw new ConflictException("META1 exists");
            }
          });
    }
  }

  /**
   * Reads a tablet that is to be loaded, and makes sure that META is whole around it. A hole may be
   * a change that is under way, so it is looked for again before it is reported. Whoever reads
   * META0's tablet this way can save it until somebody else does.
   *
   * @throws NotFoundException if there is no such tablet
   * @throws CorruptDataException if there is a gap before it or another tablet overlaps it
   */
  public TabletConfig loadable(TabletKey key) {
    if (MetaLevel.of(key.table()) == MetaLevel.ROOT) {
      return root.take().orElseThrow(() -> new NotFoundException("the root store is empty"));
    }
    for (int reads = 1; ; reads++) {
      TabletConfig config =
          tablet(key).orElseThrow(() -> new NotFoundException("META has no " + key));
      Optional<MetaProblem> problem =
          LoadCheck.check(config, first(key.table(), config.first(), 3));
      if (problem.isEmpty()) {
        return config;
      }
      if (reads == READS_BEFORE_A_HOLE_IS_REPORTED) {
        throw new CorruptDataException(
            "META", 0, "neither gaps nor overlaps", problem.get().explanation());
      }
    }
  }

  private List<TabletConfig> first(String table, Bytes row, int count) {
    MetaLevel level = MetaLevel.of(table);
    if (level == MetaLevel.ROOT) {
      return root.read().stream().toList();
    }
    List<TabletConfig> found = new ArrayList<>();
    scan(
        level,
        MetaRows.tabletsFrom(table, row),
        count == Integer.MAX_VALUE ? 0 : count,
        cells -> {
          found.add(TabletCells.load(cells));
          return found.size() < count;
        });
    return found;
  }

  /**
   * Saves and removes tablets of one level, together. For the root it returns when that is durable.
   *
   * @return completed when it is durable, with the transaction of the META table; 0 for the root
   */
  public CompletableFuture<Long> apply(MetaLevel level, Change change) {
    if (level == MetaLevel.ROOT) {
      root.save(change);
      return CompletableFuture.completedFuture(0L);
    }
    return access.apply(level.table(), rowsOf(level, change).batch().build(), Tables.ANY_TXN, true);
  }

  private static RowChanges rowsOf(MetaLevel level, Change change) {
    RowChanges rows = new RowChanges();
    for (TabletKey key : change.erased()) {
      checkLevel(level, key.table());
      rows.erase(key.metaRow(), batch -> TabletCells.erase(key, batch));
    }
    for (TabletConfig config : change.saved()) {
      checkLevel(level, config.table());
      rows.add(config.metaRow(), batch -> TabletCells.save(config, batch));
    }
    return rows;
  }

  /**
   * Saves and removes tablets of one level, if what META says of each is as it must be. Returns
   * when that is durable.
   *
   * @return the transaction, if META is on this very server; else 0
   * @throws io.stele.base.error.FencedException or {@link ConflictException} as the guard says;
   *     then nothing was changed, or only rows on other servers, before these
   */
  @SuppressWarnings("ReferenceEquality") // that one guard, which never forbids anything
  public long apply(MetaLevel level, Change change, ConfigGuard guard) {
    if (guard == ConfigGuard.NONE) {
      return Futures.await(apply(level, change));
    }
    if (level == MetaLevel.ROOT) {
      ConfigGuard once =
          (tablet, stored) -> RowChanges.forbidding(() -> guard.check(tablet, stored));
      return RowChanges.untilNobodyInterferes(
          () -> {
            root.save(change, once);
            return 0L;
          });
    }
    return rowsOf(level, change)
        .apply(access, level.table(), (row, cells) -> check(row, cells, guard));
  }

  private static void check(Bytes row, List<Cell> cells, ConfigGuard guard) {
    if (MetaRows.parse(row) instanceof MetaRow.Tablet tablet) {
      guard.check(
          new TabletKey(tablet.table(), tablet.last()),
          cells.isEmpty() ? Optional.empty() : Optional.of(TabletCells.load(cells)));
    }
  }

  private static void checkLevel(MetaLevel level, String table) {
    if (MetaLevel.of(table) != level) {
      throw new InvalidRequestException(
          "table \"" + table + "\" is described in " + MetaLevel.of(table) + ", not in " + level);
    }
  }

  // ---- tables

  /** The names of all tables but META0 and META1, in order; not of those that are being made. */
  public List<String> tables() {
    List<String> names = new ArrayList<>();
    Set<String> unfinished = new HashSet<>();
    scan(
        MetaLevel.META1,
        RowRange.ALL,
        cells -> {
          MetaRow row = MetaRows.parse(cells.getFirst().row());
          if (row instanceof MetaRow.Schema(String table) && SchemaCells.maker(cells).isPresent()) {
            unfinished.add(table);
          } else if (!unfinished.contains(row.table())
              && (names.isEmpty() || !names.getLast().equals(row.table()))) {
            names.add(row.table());
          }
          return true;
        });
    return names;
  }

  /**
   * A table's schema; none if there is no such table.
   *
   * @throws InvalidRequestException if what META has is no valid schema
   */
  public AsOf<Optional<StoredSchema>> schema(String table) {
    if (TableNames.isReserved(table)) {
      return new AsOf<>(Optional.of(StoredSchema.created(MetaSchema.table())), 0);
    }
    List<StoredSchema> found = new ArrayList<>();
    long txn =
        scan(
            MetaLevel.META1,
            RowRange.row(MetaRows.schema(table)),
            cells -> {
              if (SchemaCells.maker(cells).isPresent()) {
                return false;
              }
              found.add(
                  new StoredSchema(
                      SchemaCells.load(table, cells), SchemaCells.origins(table, cells)));
              return false;
            });
    return new AsOf<>(found.stream().findFirst(), txn);
  }

  /**
   * Makes a table.
   *
   * @throws ConflictException if there is one of this name; also by the future, if another is
   *     quicker
   */
  public CompletableFuture<Long> create(
      String table, TableSchema schema, Collection<TabletConfig> tablets) {
    return create(table, StoredSchema.created(schema), tablets);
  }

  /** The same, of tablets with data, which are as of a schema's revision. */
  public CompletableFuture<Long> create(
      String table, StoredSchema schema, Collection<TabletConfig> tablets) {
    TableNames.checkNew(table);
    AsOf<TableRows> before = rows(table);
    if (before.value().exists()) {
      throw new ConflictException("table \"" + table + "\" exists");
    }
    RowChanges rows = new RowChanges();
    rows.add(
        MetaRows.schema(table),
        batch -> SchemaCells.save(table, schema.schema(), schema.origins(), batch));
    tablets.forEach(config -> rows.add(config.metaRow(), batch -> TabletCells.save(config, batch)));
    return attempt(
        () ->
            rows.apply(
                access,
                TableNames.META1,
                (_, cells) -> {
                  if (!cells.isEmpty()) {
                    throw new ConflictException("table \"" + table + "\" exists");
                  }
                }));
  }

  private static CompletableFuture<Long> attempt(Supplier<Long> change) {
    try {
      return CompletableFuture.completedFuture(change.get());
    } catch (SteleException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Changes a table's schema, unless it was changed since it was read.
   *
   * @param known what {@link #schema} answered
   * @throws ConflictException by the future, if it was changed
   */
  public CompletableFuture<Long> saveSchema(
      String table, TableSchema schema, AsOf<Optional<StoredSchema>> known) {
    TableNames.checkNew(table);
    StoredSchema next =
        known
            .value()
            .map(before -> before.next(schema))
            .orElseGet(() -> StoredSchema.created(schema));
    CellBatchBuilder batch = new CellBatchBuilder();
    SchemaCells.save(table, schema, next.origins(), batch);
    return access.apply(TableNames.META1, batch.build(), known.txn(), true);
  }

  /** Removes a table with all its tablets, unless one was changed since they were read. */
  public CompletableFuture<Long> drop(String table) {
    TableNames.checkNew(table);
    Map<Bytes, List<Cell>> before = new HashMap<>();
    durable().rows(table, before); // as they are looked at again before they are erased
    if (before.isEmpty()) {
      throw new NotFoundException("there is no table \"" + table + "\"");
    }
    RowChanges rows = new RowChanges();
    before.keySet().forEach(row -> rows.add(row, batch -> batch.add(Cell.eraseRow(row))));
    return attempt(() -> rows.apply(access, TableNames.META1, unchanged(before)));
  }

  static RowChanges.Check unchanged(Map<Bytes, List<Cell>> known) {
    return (row, cells) -> {
      if (!cells.equals(known.getOrDefault(row, List.of()))) {
        throw new ConflictException(MetaRows.describe(row) + " was changed since it was read");
      }
    };
  }

  // ---- verify and repair

  /** All rows of a table, right or wrong. */
  public AsOf<TableRows> rows(String table) {
    return rows(table, new HashMap<>());
  }

  /** The same, with the cells of each row. */
  AsOf<TableRows> rows(String table, Map<Bytes, List<Cell>> raw) {
    MetaLevel level = MetaLevel.of(table);
    if (level == MetaLevel.ROOT) {
      return new AsOf<>(rootRows(), 0);
    }
    TableRows.Builder rows = new TableRows.Builder(table, level == MetaLevel.META0);
    long txn =
        scan(
            level,
            MetaRows.ofTable(table),
            cells -> {
              rows.add(cells);
              raw.put(cells.getFirst().row(), cells);
              return true;
            });
    return new AsOf<>(rows.build(), txn);
  }

  private TableRows rootRows() {
    try {
      return TableRows.of(TableNames.META0, root.read().stream().toList());
    } catch (CorruptDataException e) {
      Bytes row = MetaRows.tablet(TableNames.META0, Optional.empty());
      return new TableRows(
          TableNames.META0,
          List.of(),
          List.of(new TableRows.UnreadableRow(row, String.valueOf(e.getMessage()))),
          Optional.empty());
    }
  }

  /** What is wrong with a table. */
  public List<MetaProblem> verify(String table, MetaVerifier verifier) {
    return verifier.verify(rows(table).value());
  }

  /**
   * Repairs what one cell can repair.
   *
   * @param apply false to be told only
   * @return every problem, with what was or would be done
   * @throws ConflictException if the table's rows were changed meanwhile; nothing was done then
   */
  public List<MetaProblem> repair(String table, MetaVerifier verifier, boolean apply) {
    Map<Bytes, List<Cell>> raw = new HashMap<>();
    List<MetaRepair.Step> steps = new MetaRepair(verifier).plan(rows(table, raw).value());
    RowChanges changes = new RowChanges();
    steps.forEach(
        step -> step.change().ifPresent(cell -> changes.add(cell.row(), batch -> batch.add(cell))));
    if (!apply || changes.isNone()) {
      return steps.stream().map(MetaRepair.Step::problem).toList();
    }
    changes.apply(access, MetaLevel.of(table).table(), unchanged(raw));
    return steps.stream().map(MetaRepair.Step::repaired).toList();
  }

  /**
   * Repairs what splits and joins have left whose servers are gone.
   *
   * <p>A write of such a server may still be on its way. Where the lower row is erased because the
   * upper one has its rows, the upper one is written first, though nothing in it changes: META then
   * refuses what the server decided by the row as it was, which would take those rows away from it.
   *
   * @param over whether a tablet's server is gone
   * @return what was done
   */
  public List<MetaProblem> repairHalves(
      String table, MetaVerifier verifier, Predicate<TabletConfig> over) {
    Map<Bytes, List<Cell>> raw = new HashMap<>();
    List<MetaRepair.Step> steps =
        new MetaRepair(verifier).planHalves(durable().rows(table, raw).value(), over);
    RowChanges changes = new RowChanges();
    Map<Bytes, Cell> fences = new HashMap<>();
    for (MetaRepair.Step step : steps) {
      Cell change = step.change().orElseThrow();
      TabletConfig beside = step.beside().orElseThrow();
      if (change.kind() == CellKind.PUT) {
        checkStillThere(beside);
        changes.add(change.row(), batch -> batch.add(change));
      } else {
        changes.erase(change.row(), batch -> batch.add(change));
        if (over.test(beside)) {
          fences.put(beside.metaRow(), TabletCells.firstCell(beside.withFirst(beside.first())));
        }
      }
    }
    steps.forEach(step -> fences.remove(step.change().orElseThrow().row()));
    fences.forEach((row, cell) -> changes.add(row, batch -> batch.add(cell)));
    if (!changes.isNone()) {
      changes.apply(access, MetaLevel.of(table).table(), unchanged(raw));
    }
    return steps.stream().map(MetaRepair.Step::repaired).toList();
  }

  /** Rows on two servers were not read at one moment; the first one must have been there then. */
  private void checkStillThere(TabletConfig tablet) {
    Optional<FilePath> log = tablet.log().map(LogRef::directory);
    if (durable()
        .tablet(tablet.key())
        .filter(now -> now.log().map(LogRef::directory).equals(log))
        .isEmpty()) {
      throw new ConflictException(tablet.key() + " was changed while META was read");
    }
  }

  // ---- reading rows

  private long scan(MetaLevel level, RowRange range, Predicate<List<Cell>> eachRow) {
    return scan(level, range, 0, eachRow);
  }

  private long scan(MetaLevel level, RowRange range, int rows, Predicate<List<Cell>> eachRow) {
    return RowChanges.scan(access, level.table(), List.of(range), latest, rows, eachRow);
  }
}
