package io.stele.tables.load;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.cell.RequestMark;
import io.stele.base.file.FilePath;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.engine.chain.Link;
import io.stele.engine.memory.BulkFragment;
import io.stele.engine.merge.Older;
import io.stele.tables.meta.FamilyOrigins;
import io.stele.tables.schema.FamilyMap;
import io.stele.tables.tablet.FragmentOrigin;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.write.LogHead;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;

/**
 * Reads the log of an earlier run of a server for the tablets that it had, and writes what it says
 * of them to new files: sorted, group by group, in pieces that fit in memory. While one piece is
 * written, by a thread of its own, the next one is gathered. The log stays as it is, and reading it
 * again does no harm: the cells keep their transactions, so a cell that is in two files counts
 * once.
 */
final class LogReplay {
  /**
   * What is wanted of a log for one tablet.
   *
   * @param first the row before the tablet's first
   * @param last its last row; none if it has no end
   * @param fromTxn what was committed up to it is in the tablet's files
   * @param upToTxn what was committed behind it does not count: another server had the tablet
   * @param schemaRevision the log is as of this revision of the table's schema
   */
  record Wanted(
      Bytes first, Optional<Bytes> last, long fromTxn, long upToTxn, long schemaRevision) {
    boolean endsBefore(CellView cell) {
      return last.isPresent()
          && last.get().compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) < 0;
    }

    boolean beginsBefore(CellView cell) {
      return first.compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) < 0;
    }
  }

  /** A table of which tablets are replayed. */
  private static final class Target {
    final String table;
    final TableSchema schema;
    final FamilyOrigins origins;
    final FamilyMap families;
    final List<Wanted> tablets; // in the order of their rows
    final List<BulkFragment> memory = new ArrayList<>(); // by group
    final Map<String, List<FilePath>> files = new HashMap<>(); // by group; of the writing thread
    private final boolean[] older; // by tablet: families were added since its log was written
    private int at; // the tablet that the last cell was looked for in

    Target(String table, TableView view, List<Wanted> tablets) {
      this.table = table;
      this.schema = view.schema();
      this.origins = view.origins();
      this.families = view.families();
      this.tablets = tablets.stream().sorted(Comparator.comparing(Wanted::first)).toList();
      this.older = new boolean[tablets.size()];
      for (int i = 0; i < older.length; i++) {
        older[i] = !origins.allCountIn(this.tablets.get(i).schemaRevision());
      }
      schema.groups().forEach(_ -> memory.add(new BulkFragment()));
    }

    boolean wants(CellView cell) {
      Wanted tablet = tablets.get(at);
      if (!tablet.beginsBefore(cell) || tablet.endsBefore(cell)) {
        at = find(cell);
        tablet = tablets.get(at);
      }
      return cell.txn > tablet.fromTxn()
          && cell.txn <= tablet.upToTxn()
          && tablet.beginsBefore(cell)
          && !tablet.endsBefore(cell);
    }

    /** The first tablet that ends at or behind the cell's row; the last one if none does. */
    private int find(CellView cell) {
      int low = 0;
      int high = tablets.size() - 1;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (tablets.get(middle).endsBefore(cell)) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    /**
     * Takes a cell if it is wanted. Row erasures concern all groups; families that the schema has
     * no more, or that were added since, are left out.
     *
     * @return by how much memory has grown
     */
    long add(CellView cell) {
      if (!wants(cell)) {
        return 0;
      }
      if (cell.kind == CellKind.ERASE_ROW) {
        long grown = 0;
        for (BulkFragment group : memory) {
          grown += add(group, cell);
        }
        return grown;
      }
      if (RequestMark.is(cell)) {
        return add(memory.getFirst(), cell);
      }
      int group = families.groupOf(cell.familyArray, cell.familyOffset, cell.familyLength);
      return group < 0 || isOfARemovedFamily(cell) ? 0 : add(memory.get(group), cell);
    }

    /** Has the family been removed, and added again, since the cell was written? */
    private boolean isOfARemovedFamily(CellView cell) {
      return older[at] // the tablet that wants it
          && !origins.countsIn(
              Bytes.copyOf(cell.familyArray, cell.familyOffset, cell.familyLength),
              tablets.get(at).schemaRevision());
    }

    private static long add(BulkFragment group, CellView cell) {
      long before = group.bytes();
      group.add(cell);
      return group.bytes() - before;
    }
  }

  private final ServerParts server;
  private final LogReader reader;
  private final long pieceBytes;
  private final Map<Bytes, Target> targets = new HashMap<>();
  private long gathered; // bytes in memory that are not yet being written
  private CompletableFuture<Void> writing = CompletableFuture.completedFuture(null);
  private long records;

  /**
   * Prepares a replay.
   *
   * @param pieceBytes how much is gathered in memory before it is written to a file, the piece that
   *     is being written included
   */
  LogReplay(ServerParts server, DeadLog log, long pieceBytes) {
    this.server = server;
    this.reader = new LogReader(log);
    this.pieceBytes = Math.max(1, pieceBytes / 2);
  }

  /** Adds tablets of a table, whose configurations name this log; at least one. */
  void want(Table table, List<Wanted> tablets) {
    targets.put(Bytes.utf8(table.name()), new Target(table.name(), table.view(), tablets));
  }

  /** Transactions that could not be read; after {@link #run}. */
  List<LogDamage> damages() {
    return reader.damages();
  }

  /** Reads the log, as far as it is whole. */
  void run() throws IOException {
    try (ExecutorService writer =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("stele-replay").factory())) {
      reader.read(parsed -> take(parsed, writer));
      for (Target target : targets.values()) {
        for (int group = 0; group < target.memory.size(); group++) {
          spill(target, group, writer);
        }
      }
      await(writing);
    }
  }

  private void take(LogHead.Parsed parsed, ExecutorService writer) throws IOException {
    CellBatch batch = parsed.batch();
    Target target = targets.get(parsed.head().table());
    if (target == null) {
      return;
    }
    records++;
    CellBatch.Reader cells = batch.read();
    while (cells.next()) {
      gathered += target.add(cells.cell());
    }
    if (gathered >= pieceBytes) {
      spillLargest(writer);
    }
  }

  /** The others go on growing, so that small groups do not become many small files. */
  private void spillLargest(ExecutorService writer) throws IOException {
    Target largest = null;
    int index = 0;
    for (Target target : targets.values()) {
      for (int group = 0; group < target.memory.size(); group++) {
        if (largest == null
            || target.memory.get(group).bytes() > largest.memory.get(index).bytes()) {
          largest = target;
          index = group;
        }
      }
    }
    spill(Objects.requireNonNull(largest, "something was gathered"), index, writer);
  }

  private void spill(Target target, int group, ExecutorService writer) throws IOException {
    BulkFragment full = target.memory.get(group);
    if (full.isEmpty()) {
      return;
    }
    target.memory.set(group, new BulkFragment());
    gathered -= full.bytes();
    await(writing);
    GroupSchema schema = target.schema.groups().get(group);
    writing = CompletableFuture.runAsync(() -> write(target, full, schema), writer);
  }

  private void write(Target target, BulkFragment full, GroupSchema schema) {
    full.freeze();
    FragmentOrigin origin =
        FragmentOrigin.shared(
            FragmentOrigin.Kind.REPLAY, target.table, schema.name(), server.clock().micros());
    try {
      server
          .write(
              List.of(Link.whole(full)),
              UnaryOperator.identity(),
              Older.UNKNOWN,
              schema,
              origin,
              () -> false)
          .ifPresent(
              path ->
                  target.files.computeIfAbsent(schema.name(), _ -> new ArrayList<>()).add(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void await(CompletableFuture<Void> writing) throws IOException {
    try {
      writing.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case UncheckedIOException io -> throw io.getCause();
        case RuntimeException other -> throw other;
        case null, default -> throw e;
      }
    }
  }

  /** The files that were written for a group of a table, oldest first; after {@link #run}. */
  List<FilePath> files(String table, String group) {
    return Objects.requireNonNull(targets.get(Bytes.utf8(table)))
        .files
        .getOrDefault(group, List.of());
  }

  /** All files that were written, also if {@link #run} failed. */
  List<FilePath> files() {
    return targets.values().stream()
        .flatMap(target -> target.files.values().stream())
        .flatMap(List::stream)
        .toList();
  }

  /** How many records were of the wanted tables. */
  long records() {
    return records;
  }
}
