package io.stele.testkit.table;

import io.stele.base.bytes.Binary;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.RequestMark;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CellPage;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.CheckOutcome;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.RowRule;
import io.stele.base.table.RowSample;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.base.table.TabletInfo;
import io.stele.base.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Tables in memory, as simple as can be: what is right is read off sorted maps. For tests of what
 * stands in front of tables, and to compare with.
 *
 * <p>Everything is durable at once, META is never wrong, and old transactions can be read as long
 * as a scan holds them open.
 *
 * <pre>{@code
 * MemoryTables tables = new MemoryTables();
 * tables.create("users", TableSchema.ofFamilies("name"), List.of());
 * Table users = new Table(tables, "users");
 * }</pre>
 */
public final class MemoryTables implements Tables, TableAdmin {
  private final Clock clock;
  private final NavigableMap<String, MemoryTable> tables = new TreeMap<>(); // guarded by this
  private final Set<MemoryScan> scans = new HashSet<>(); // guarded by this
  private final Map<Bytes, Object> requests = new HashMap<>(); // guarded by this: answers by id
  private long lastTxn; // guarded by this
  private String metaLocation = "";
  private volatile Consumer<String> hook = operation -> {};

  public MemoryTables() {
    this(Clock.system());
  }

  public MemoryTables(Clock clock) {
    this.clock = clock;
  }

  /**
   * Called with the operation's name, such as {@code apply} or {@code scan.next}, before anything
   * is done; what it throws is the answer.
   */
  public void onCall(Consumer<String> newHook) {
    hook = newHook;
  }

  public synchronized int openScans() {
    return scans.size();
  }

  public synchronized long lastTxn() {
    return lastTxn;
  }

  public synchronized String metaLocation() {
    return metaLocation;
  }

  Clock clock() {
    return clock;
  }

  void before(String operation) {
    hook.accept(operation);
  }

  private MemoryTable known(String table) {
    MemoryTable known = tables.get(table);
    if (known == null) {
      throw new NotFoundException("table \"" + table + "\": there is none of this name");
    }
    return known;
  }

  MemoryTable serving(String table) {
    MemoryTable known = known(table);
    if (!known.loaded) {
      throw new NotServingException("table \"" + table + "\" is not loaded here");
    }
    return known;
  }

  private <T> CompletableFuture<T> answer(String operation, Supplier<T> work) {
    try {
      before(operation);
      synchronized (this) {
        return CompletableFuture.completedFuture(work.get());
      }
    } catch (SteleException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  // ---- writing

  @Override
  public CompletableFuture<Long> apply(
      String table, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    return answer("apply", () -> commit(table, cells, commitMaxTxn));
  }

  /** The answer of a request that was carried out before, or that of carrying it out. */
  @SuppressWarnings("unchecked") // the same request is answered in the same way
  private <T> T once(Optional<RequestMark> mark, Supplier<T> work) {
    if (mark.isEmpty()) {
      return work.get();
    }
    Object done = requests.get(mark.get().id());
    if (done == null) {
      done = work.get();
      requests.put(mark.get().id(), done);
    }
    return (T) done;
  }

  private long commit(String name, CellBatch batch, long commitMaxTxn) {
    return once(
        RequestMark.of(batch).map(RequestMark.InRow::mark),
        () -> commitNow(name, RequestMark.without(batch), commitMaxTxn));
  }

  private long commitNow(String name, CellBatch batch, long commitMaxTxn) {
    MemoryTable table = serving(name);
    List<Cell> cells = cells(batch);
    for (Cell cell : cells) {
      if (cell.kind() != CellKind.ERASE_ROW && table.schema.groupOf(cell.family()).isEmpty()) {
        throw new InvalidRequestException(
            "family \"" + cell.family() + "\" is not in the schema of table \"" + name + "\"");
      }
      if (table.newestTxn(cell.row()) > commitMaxTxn) {
        throw new ConflictException(
            "row "
                + cell.row()
                + " was changed by transaction "
                + table.newestTxn(cell.row())
                + ", after "
                + commitMaxTxn);
      }
    }
    long txn = ++lastTxn;
    long now = clock.micros();
    cells.forEach(cell -> table.add(committed(cell, txn, now)));
    return txn;
  }

  private static Cell committed(Cell cell, long txn, long now) {
    long time =
        cell.kind() == CellKind.PUT && cell.timestamp() == Cell.SERVER_TIME
            ? now
            : cell.timestamp();
    return new Cell(
        cell.row(), cell.family(), cell.qualifier(), time, txn, cell.kind(), cell.value());
  }

  private static List<Cell> cells(CellBatch batch) {
    List<Cell> cells = new ArrayList<>();
    CellBatch.Reader reader = batch.read();
    while (reader.next()) {
      cells.add(reader.cell().toCell());
    }
    return cells;
  }

  @Override
  public CompletableFuture<List<RowOutcome>> applyRows(String table, List<CellBatch> rows) {
    return answer(
        "applyRows",
        () -> {
          serving(table);
          return rows.stream().map(row -> outcome(table, row)).toList();
        });
  }

  private RowOutcome outcome(String table, CellBatch row) {
    try {
      before("applyRows.row");
      List<Cell> cells = cells(row);
      checkOneRow(cells.getFirst().row(), row);
      return RowOutcome.committed(commit(table, row, ANY_TXN));
    } catch (SteleException e) {
      return RowOutcome.failed(e);
    }
  }

  private static void checkOneRow(Bytes row, CellBatch batch) {
    for (Cell cell : cells(batch)) {
      if (!cell.row().equals(row)) {
        throw new InvalidRequestException(
            "cells of the rows " + row + " and " + cell.row() + ": must be of one row");
      }
    }
  }

  @Override
  public CompletableFuture<Long> sync(long txn) {
    return answer("sync", () -> lastTxn);
  }

  @Override
  public CompletableFuture<CheckOutcome> checkAndMutate(String table, CheckAndMutate request) {
    return answer(
        "checkAndMutate",
        () -> {
          request.whenMet().ifPresent(cells -> checkOneRow(request.row(), cells));
          request.otherwise().ifPresent(cells -> checkOneRow(request.row(), cells));
          return once(
              request
                  .whenMet()
                  .or(request::otherwise)
                  .flatMap(RequestMark::of)
                  .map(RequestMark.InRow::mark),
              () -> check(table, request));
        });
  }

  private CheckOutcome check(String table, CheckAndMutate request) {
    List<Cell> found =
        serving(table).row(request.row(), request.condition(), lastTxn, clock.micros());
    boolean met =
        !found.isEmpty()
            && request
                .comparison()
                .map(c -> c.operator().holds(found.getFirst().value().compareTo(c.value())))
                .orElse(true);
    Optional<CellBatch> change = met ? request.whenMet() : request.otherwise();
    return new CheckOutcome(
        met, change.map(cells -> commitNow(table, RequestMark.without(cells), ANY_TXN)).orElse(0L));
  }

  @Override
  public CompletableFuture<CellPage> readModifyWrite(String table, Bytes row, List<RowRule> rules) {
    return answer(
        "readModifyWrite",
        () ->
            once(
                rules.stream()
                    .filter(RowRule.Once.class::isInstance)
                    .map(rule -> ((RowRule.Once) rule).mark())
                    .findFirst(),
                () ->
                    modify(
                        table,
                        row,
                        rules.stream().filter(rule -> !(rule instanceof RowRule.Once)).toList())));
  }

  private CellPage modify(String table, Bytes row, List<RowRule> rules) {
    if (rules.isEmpty()) {
      throw new InvalidRequestException("a change of row " + row + " without rules");
    }
    long now = clock.micros();
    CellBatchBuilder written = new CellBatchBuilder();
    NavigableMap<Cell, Bytes> values = new TreeMap<>(); // by column
    for (RowRule rule : rules) {
      Cell column = Cell.eraseColumn(row, rule.family(), rule.qualifier());
      Optional<Bytes> current =
          Optional.ofNullable(values.get(column)).or(() -> newest(table, row, rule));
      Bytes value = changed(rule, current);
      values.put(column, value);
      long time = Math.max(now, newestTime(table, row, rule));
      written.put(row, rule.family(), rule.qualifier(), time, value);
    }
    CellBatch cells = written.build();
    long txn = commit(table, cells, ANY_TXN);
    return new CellPage(txn, Optional.of(cells), false);
  }

  private Optional<Bytes> newest(String table, Bytes row, RowRule rule) {
    return newestCell(table, row, rule).map(Cell::value);
  }

  private long newestTime(String table, Bytes row, RowRule rule) {
    return newestCell(table, row, rule).map(Cell::timestamp).orElse(0L);
  }

  private Optional<Cell> newestCell(String table, Bytes row, RowRule rule) {
    return serving(table).row(row, ReadPredicate.ALL, lastTxn, clock.micros()).stream()
        .filter(c -> c.family().equals(rule.family()) && c.qualifier().equals(rule.qualifier()))
        .findFirst();
  }

  private static Bytes changed(RowRule rule, Optional<Bytes> current) {
    return switch (rule) {
      case RowRule.Once _ -> throw new IllegalArgumentException("not a change: " + rule);
      case RowRule.Append append -> current.orElse(Bytes.EMPTY).concat(append.value());
      case RowRule.Increment increment -> {
        long base = 0;
        if (current.isPresent()) {
          if (current.get().length() != Long.BYTES) {
            throw new InvalidRequestException(
                "value of "
                    + current.get().length()
                    + " bytes of "
                    + rule.family()
                    + ":"
                    + rule.qualifier()
                    + " cannot be added to: must have 8");
          }
          base = Binary.getLongBigEndian(current.get().sharedArray(), 0);
        }
        byte[] sum = new byte[Long.BYTES];
        Binary.putLongBigEndian(sum, 0, base + increment.amount());
        yield Bytes.wrap(sum);
      }
    };
  }

  @Override
  public synchronized long deleteRows(String table, RowRange rows) {
    before("deleteRows");
    MemoryTable known = serving(table);
    long deleted = 0;
    for (Bytes row : known.rowKeys(rows)) {
      if (!known.row(row, ReadPredicate.ALL, lastTxn, clock.micros()).isEmpty()) {
        known.add(Cell.eraseRow(row).withTxn(++lastTxn));
        deleted++;
      }
    }
    return deleted;
  }

  @Override
  public synchronized void truncate(String table) {
    before("truncate");
    serving(table).clear();
  }

  // ---- reading

  @Override
  public CompletableFuture<CellPage> read(
      String table, ReadPredicate predicate, ScanOptions options, int maxBytes) {
    return answer(
        "read",
        () -> {
          MemoryScan scan = open(table, predicate, options);
          try {
            return scan.next(maxBytes);
          } finally {
            scan.close();
          }
        });
  }

  @Override
  public synchronized TableScan scan(String table, ReadPredicate predicate, ScanOptions options) {
    before("scan");
    return open(table, predicate, options);
  }

  private MemoryScan open(String name, ReadPredicate predicate, ScanOptions options) {
    MemoryTable table = serving(name);
    long txn = options.atTxn() == 0 ? lastTxn : options.atTxn();
    if (txn != lastTxn && scans.stream().noneMatch(open -> open.txn() == txn)) {
      throw new NotFoundException("transaction " + txn + " is not held open by any scan");
    }
    MemoryScan scan = new MemoryScan(this, name, table, predicate, options, txn);
    scans.add(scan);
    return scan;
  }

  synchronized void release(MemoryScan scan) {
    scans.remove(scan);
  }

  @Override
  public synchronized List<RowSample> sampleRows(String table) {
    before("sampleRows");
    MemoryTable known = serving(table);
    List<RowSample> samples = new ArrayList<>();
    long offset = 0;
    for (RowRange tablet : known.tablets()) {
      for (Bytes row : known.rowKeys(tablet)) {
        for (Cell cell : known.row(row, ReadPredicate.ALL, lastTxn, clock.micros())) {
          offset += cell.view().size();
        }
      }
      Bytes end = tablet.to();
      samples.add(new RowSample(end == null ? Bytes.EMPTY : end, offset));
    }
    return samples;
  }

  // ---- between servers of a cluster

  /** Gives rows away: what is there to be read, and no more. */
  synchronized List<Cell> take(String table, RowRange rows) {
    MemoryTable known = known(table);
    List<Cell> taken = new ArrayList<>();
    for (Bytes row : known.rowKeys(rows)) {
      taken.addAll(known.row(row, ReadPredicate.ALL, lastTxn, clock.micros()));
      known.add(Cell.eraseRow(row).withTxn(++lastTxn));
    }
    return taken;
  }

  /** Gets rows of another server. */
  synchronized void give(String table, List<Cell> cells) {
    MemoryTable known = known(table);
    long txn = ++lastTxn;
    cells.forEach(cell -> known.add(cell.withTxn(txn)));
  }

  // ---- tables as a whole

  @Override
  public synchronized void create(String table, TableSchema schema, List<Bytes> splits) {
    before("create");
    if (table.isBlank()) {
      throw new InvalidRequestException("a table without a name");
    }
    for (int i = 1; i < splits.size(); i++) {
      if (splits.get(i - 1).compareTo(splits.get(i)) >= 0) {
        throw new InvalidRequestException(
            "splits " + splits.get(i - 1) + " and " + splits.get(i) + ": must ascend");
      }
    }
    if (tables.putIfAbsent(table, new MemoryTable(schema, splits)) != null) {
      throw new ConflictException("table \"" + table + "\" exists");
    }
  }

  @Override
  public synchronized List<String> list(boolean withMeta) {
    before("list");
    List<String> names = new ArrayList<>(withMeta ? List.of("META0", "META1") : List.of());
    names.addAll(tables.keySet());
    return names.stream().sorted().toList();
  }

  @Override
  public synchronized TableSchema schema(String table) {
    before("schema");
    return known(table).schema;
  }

  @Override
  public synchronized List<TabletInfo> tablets(String table) {
    before("tablets");
    MemoryTable known = known(table);
    List<TabletInfo> tablets = new ArrayList<>();
    Bytes first = Bytes.EMPTY;
    List<Optional<Bytes>> ends = new ArrayList<>(known.splits.stream().map(Optional::of).toList());
    ends.add(Optional.empty());
    for (Optional<Bytes> last : ends) {
      tablets.add(
          new TabletInfo(
              table,
              first,
              last,
              known.loaded ? 5 : 0,
              known.loaded ? "active" : "not loaded",
              known.loaded ? "memory:0" : "",
              0,
              0,
              List.of()));
      first = last.orElse(Bytes.EMPTY);
    }
    return tablets;
  }

  @Override
  public synchronized void alter(String table, Optional<TableSchema> expected, TableSchema schema) {
    before("alter");
    if (expected.isPresent() && !expected.get().equals(known(table).schema)) {
      throw new ConflictException("the schema of table \"" + table + "\" is another");
    }
    known(table).schema = schema;
  }

  @Override
  public synchronized void drop(String table) {
    before("drop");
    known(table);
    tables.remove(table);
  }

  @Override
  public synchronized void copy(String source, String target) {
    before("copy");
    MemoryTable copied = serving(source).copy();
    if (tables.putIfAbsent(target, copied) != null) {
      throw new ConflictException("table \"" + target + "\" exists");
    }
  }

  @Override
  public synchronized Bytes split(String table, Bytes at, Bytes row) {
    before("split");
    MemoryTable known = serving(table);
    RowRange tablet =
        known.tablets().stream().filter(range -> range.contains(at)).findFirst().orElseThrow();
    Bytes chosen = row;
    if (row.isEmpty()) {
      List<Bytes> rows = known.rowKeys(tablet);
      if (rows.size() < 2) {
        throw new InvalidRequestException(
            "tablet of row " + at + " of table \"" + table + "\" has no row to split at");
      }
      chosen = rows.get(rows.size() / 2 - 1);
    }
    if (!tablet.contains(chosen) || !known.splits.add(chosen)) {
      throw new InvalidRequestException(
          "row " + chosen + " to split at is not inside the tablet of row " + at);
    }
    return chosen;
  }

  @Override
  public synchronized void join(String table, Bytes row) {
    before("join");
    Bytes last = serving(table).splits.ceiling(row);
    if (last == null) {
      throw new InvalidRequestException(
          "tablet of row " + row + " of table \"" + table + "\" is the last: none is behind it");
    }
    serving(table).splits.remove(last);
  }

  @Override
  public synchronized void flush(String table) {
    before("flush");
    serving(table);
  }

  @Override
  public synchronized void compact(String table) {
    before("compact");
    serving(table);
  }

  @Override
  public synchronized List<MetaProblem> verifyMeta(String table) {
    before("verifyMeta");
    if (!table.isEmpty()) {
      known(table);
    }
    return List.of();
  }

  @Override
  public synchronized List<MetaProblem> repairMeta(String table, boolean apply) {
    before("repairMeta");
    if (!table.isEmpty()) {
      known(table);
    }
    return List.of();
  }

  @Override
  public synchronized void loadFixedTable(String table, String configFile) {
    before("loadFixedTable");
    throw new NotFoundException(
        "configuration " + configFile + " of table \"" + table + "\": tables in memory have none");
  }

  @Override
  public synchronized void unloadTable(String table) {
    before("unloadTable");
    known(table).loaded = false;
  }

  @Override
  public synchronized void loadTable(String table) {
    before("loadTable");
    known(table).loaded = true;
  }

  @Override
  public synchronized void setMetaLocation(String address) {
    before("setMetaLocation");
    metaLocation = address;
  }
}
