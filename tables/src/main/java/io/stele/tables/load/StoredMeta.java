package io.stele.tables.load;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellView;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.recordlog.RecordLogReader;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.Link;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.fragment.CellCursor;
import io.stele.engine.fragment.Fragment.TimeBounds;
import io.stele.engine.memory.BulkFragment;
import io.stele.engine.merge.VisibleCursor;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.LogRef;
import io.stele.tables.meta.MetaAccess;
import io.stele.tables.meta.MetaSchema;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletCells;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.write.LogHead;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * META as it lies in files and logs, read while no server runs. It says what a server finds that
 * loads META's tablets from here: the fragments that their configurations name, and on top of them
 * what the logs have above the transactions from which these count. Nothing is written.
 */
final class StoredMeta implements MetaAccess {
  private final FileStore files;
  private final FileStore logs;
  private final TabletConfig root;
  private final Map<String, List<TabletConfig>> tablets = new HashMap<>(); // of META tables
  private final Map<FilePath, Map<Bytes, List<Cell>>> read = new HashMap<>(); // logs, by table

  /**
   * Reads nothing yet.
   *
   * @param root the configuration of META0's tablet
   */
  StoredMeta(FileStore files, FileStore logs, TabletConfig root) {
    this.files = files;
    this.logs = logs;
    this.root = root;
  }

  @Override
  public CompletableFuture<Long> apply(
      String metaTable, CellBatch cells, long commitMaxTxn, boolean waitForSync) {
    throw new InvalidRequestException(
        metaTable + " is read from files while no server has it: it cannot be changed there");
  }

  @Override
  public List<List<Bytes>> together(String metaTable, List<Bytes> rows) {
    return rows.isEmpty() ? List.of() : List.of(rows);
  }

  @Override
  public long scan(
      String metaTable, ReadPredicate predicate, boolean latest, Predicate<Cell> each) {
    for (TabletConfig tablet : tabletsOf(metaTable)) {
      List<RowRange> rows =
          predicate.rows().stream()
              .flatMap(range -> range.intersect(tablet.range()).stream())
              .toList();
      try {
        if (!rows.isEmpty() && !scan(tablet, predicate.withRows(rows), each)) {
          break;
        }
      } catch (IOException e) {
        throw new UnavailableException(tablet.key() + " cannot be read from its files: " + e, e);
      }
    }
    return 0;
  }

  private List<TabletConfig> tabletsOf(String metaTable) {
    if (metaTable.equals(TableNames.META0)) {
      return List.of(root);
    }
    List<TabletConfig> known = tablets.get(metaTable);
    if (known == null) {
      List<Cell> cells = new ArrayList<>();
      scan(TableNames.META0, ReadPredicate.ALL.withHistory(1), false, cells::add);
      known = TabletCells.loadRows(cells);
      tablets.put(metaTable, known);
    }
    return known;
  }

  /** False if it was ended. */
  private boolean scan(TabletConfig tablet, ReadPredicate predicate, Predicate<Cell> each)
      throws IOException {
    List<DiskFragment> open = new ArrayList<>();
    try {
      List<Link> links = new ArrayList<>();
      for (List<FragmentRef> chain : tablet.fragments().values()) {
        for (FragmentRef ref : chain) {
          DiskFragment fragment = DiskFragment.open(files, ref.path(), new BlockCache(0));
          open.add(fragment);
          links.add(new Link(fragment, ref.families()));
        }
      }
      BulkFragment logged = logged(tablet);
      if (!logged.isEmpty()) {
        logged.freeze();
        links.add(Link.whole(logged));
      }
      try (CellCursor cells =
          new VisibleCursor(
              Chain.cursor(links, TimeBounds.ALL),
              true,
              Long.MAX_VALUE,
              predicate,
              MetaSchema.table().groups().getFirst().purge(),
              0)) {
        while (cells.next()) {
          if (!each.test(cells.cell().toCell())) {
            return false;
          }
        }
        return true;
      }
    } finally {
      for (DiskFragment fragment : open) {
        fragment.close();
      }
    }
  }

  /** What the tablet's logs say that may not be in its fragments; see {@link TabletConfig#logs}. */
  private BulkFragment logged(TabletConfig tablet) throws IOException {
    BulkFragment gathered = new BulkFragment();
    List<LogRef> all = tablet.logs();
    for (int i = 0; i < all.size(); i++) {
      long fromTxn = all.get(i).fromTxn();
      long upToTxn = i + 1 < all.size() ? all.get(i + 1).fromTxn() : Long.MAX_VALUE;
      for (Cell cell :
          log(all.get(i).directory()).getOrDefault(Bytes.utf8(tablet.table()), List.of())) {
        if (cell.txn() > fromTxn && cell.txn() <= upToTxn && tablet.holds(cell.row())) {
          gathered.add(cell.view());
        }
      }
    }
    return gathered;
  }

  /** The cells of META tables in a log. */
  private Map<Bytes, List<Cell>> log(FilePath directory) throws IOException {
    Optional<Map<Bytes, List<Cell>>> known = Optional.ofNullable(read.get(directory));
    if (known.isPresent()) {
      return known.get();
    }
    Map<Bytes, List<Cell>> found = new HashMap<>();
    found.put(Bytes.utf8(TableNames.META0), new ArrayList<>());
    found.put(Bytes.utf8(TableNames.META1), new ArrayList<>());
    for (FilePath path : new DeadLog(logs, directory).files()) {
      try (RecordLogReader reader = RecordLogReader.open(logs, path)) {
        while (reader.next()) {
          LogHead.Parsed record = DeadLog.parse(reader);
          List<Cell> cells = found.get(record.head().table());
          if (cells != null) {
            CellBatch.Reader batch = record.batch().read();
            while (batch.next()) {
              CellView cell = batch.cell();
              cells.add(cell.toCell());
            }
          }
        }
      }
    }
    read.put(directory, found);
    return found;
  }
}
