package io.stele.tables.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellKind;
import io.stele.base.cell.CellView;
import io.stele.base.cell.RequestMark;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.schema.TableSchema;
import io.stele.base.time.Clock;
import io.stele.engine.commitlog.CommitLog;
import io.stele.engine.memory.MemFragment;
import io.stele.engine.memory.MemoryBudget;
import io.stele.tables.tablet.ChainEdit.Rotated;
import io.stele.tables.tablet.CommitLock;
import io.stele.tables.tablet.GroupView;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableState;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.txn.Sequencer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The way of a change into a table:
 *
 * <pre>
 *   throttle ─► lock ─► tablets here and writable? families known? rows old enough?
 *                        │ no: an answer, nothing is changed        (deferred: wait, look again)
 *                        ▼ yes
 *                       transaction ─► mem fragments ─► log queue ─► unlock ─► wait for the sync
 * </pre>
 *
 * Everything between the locks is one step for all others, so transactions are in memory and in the
 * log in their order.
 *
 * <p>A batch with the {@link RequestMark mark} of a request that was carried out before changes
 * nothing, and is answered as the first time.
 */
public final class WritePath {
  /**
   * A first attempt that had to wait for longer may be overtaken by a second one, which another
   * server carries out if the tablet goes there and comes back meanwhile.
   */
  private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final CommitLock lock;
  private final Sequencer sequencer;
  private final CommitLog log;
  private final MemoryBudget memory;
  private final DiskRoom room;

  @GuardedBy("lock")
  private final RowTxns rows;

  private final Clock clock;
  private final long deferNanos;
  private final long memFragmentBytes;
  private final Runnable wakeFlusher;
  private final Consumer<Throwable> broken;

  @GuardedBy("lock")
  private final Requests requests = new Requests(Requests.MOST);

  private volatile StoredRequests stored = (_, _, _) -> Optional.empty();
  private final ConcurrentHashMap<String, Bytes> names = new ConcurrentHashMap<>();

  private volatile long lastLogged; // written under the lock

  WritePath(
      CommitLock lock,
      Sequencer sequencer,
      CommitLog log,
      MemoryBudget memory,
      DiskRoom room,
      RowTxns rows,
      Clock clock,
      WriteSettings settings,
      Runnable wakeFlusher,
      Consumer<Throwable> broken) {
    this.lock = lock;
    this.sequencer = sequencer;
    this.log = log;
    this.memory = memory;
    this.room = room;
    this.rows = rows;
    this.clock = clock;
    this.deferNanos = settings.deferLimit().toNanos();
    this.memFragmentBytes = settings.memFragmentBytes();
    this.wakeFlusher = wakeFlusher;
    this.broken = broken;
  }

  /** Finds the marks of requests that tablets brought along. */
  public interface StoredRequests {
    /**
     * The request of this id that a row has the mark of.
     *
     * @throws UnavailableException if the row cannot be read yet
     */
    Optional<Done> find(Table table, Bytes row, Bytes id);
  }

  /**
   * What became of a request that was carried out before.
   *
   * @param answer as far as its mark says it
   */
  public record Done(long txn, Bytes answer) {}

  /** Where to look for requests that this server did not carry out itself; before the first one. */
  public void findRequestsIn(StoredRequests rows) {
    stored = rows;
  }

  /** Commits a batch; see {@link io.stele.base.table.Tables#apply}. */
  public CompletableFuture<Long> apply(
      Table table, CellBatch batch, long commitMaxTxn, boolean waitForSync) {
    long txn = commit(table, batch, commitMaxTxn, waitForSync);
    if (waitForSync) {
      return sequencer.whenDurable(txn).thenApply(_ -> txn);
    }
    sequencer.checkLease();
    return CompletableFuture.completedFuture(txn);
  }

  /**
   * Commits a batch and returns its transaction, which may not be durable yet; that of the first
   * time if the batch is marked and was committed before.
   */
  public long commit(Table table, CellBatch batch, long commitMaxTxn, boolean waitedFor) {
    long arrived = clock.nanos();
    if (!sequencer.mayAnswer()) { // for certain nothing is done, so another server may be asked
      throw new NotServingException(
          "table \"" + table.name() + "\" is no longer served here: the server lost its session");
    }
    if (table.isMeta()) { // what frees memory and disks writes to META
      return commitAdmitted(table, batch, commitMaxTxn, waitedFor, arrived);
    }
    long bytes = batch.length();
    room.check(bytes);
    memory.admit(bytes);
    boolean inLogQueue = false;
    try {
      long txn = commitAdmitted(table, batch, commitMaxTxn, waitedFor, arrived);
      if (bytes >= MemoryBudget.LARGE) {
        // Of those that are in memory twice, few may be on their way.
        inLogQueue = true;
        var _ = whenDurable(txn).whenComplete((_, _) -> memory.arrived(bytes));
      }
      return txn;
    } finally {
      if (!inLogQueue) {
        memory.arrived(bytes);
      }
    }
  }

  private long commitAdmitted(
      Table table, CellBatch batch, long commitMaxTxn, boolean waitedFor, long arrived) {
    Optional<RequestMark.InRow> mark = RequestMark.of(batch);
    log.throttle();
    long deadline = clock.nanos() + deferNanos;
    @Nullable Tablet looked = null; // at whose rows no mark was found
    while (true) {
      TabletView tablet;
      lock.lock();
      try {
        TableView view = awaitReady(table, batch, deadline);
        if (mark.isEmpty()) {
          return commitNow(table, view, batch, mark, commitMaxTxn, waitedFor);
        }
        Optional<Done> done = requests.find(table.name(), mark.get().mark().id());
        if (done.isPresent()) {
          return done.get().txn();
        }
        tablet = view.find(mark.get().row()).orElseThrow();
        boolean first = mark.get().first() && clock.nanos() - arrived < SOON_NANOS;
        if (first || tablet.tablet() == looked || knowsAll(tablet, mark.get().mark())) {
          return commitNow(table, view, batch, mark, commitMaxTxn, waitedFor);
        }
      } finally {
        lock.unlock();
      }
      Optional<Done> done = stored.find(table, mark.get().row(), mark.get().mark().id());
      if (done.isPresent()) {
        return done.get().txn();
      }
      looked = tablet.tablet();
    }
  }

  @GuardedBy("lock")
  private boolean knowsAll(TabletView tablet, RequestMark mark) {
    return requests.knowsAll(tablet.sinceTxn(), mark, clock.nanos());
  }

  /**
   * What became of a request, if it was carried out before; for those who read a row before they
   * know what to commit. It may not be durable yet.
   */
  public Optional<Done> find(Table table, Bytes row, RequestMark mark) {
    lock.lock();
    try {
      Optional<Done> done = requests.find(table.name(), mark.id());
      Optional<TabletView> tablet = table.view().find(row);
      if (done.isPresent() || tablet.isEmpty() || knowsAll(tablet.get(), mark)) {
        return done;
      }
    } finally {
      lock.unlock();
    }
    return stored.find(table, row, mark.id());
  }

  /** Waits while a tablet of a batch is on its way here; under the lock. */
  private TableView awaitReady(Table table, CellBatch batch, long deadline) {
    while (true) {
      TableView view = table.view();
      if (isReady(table, view, batch)) {
        return view;
      }
      long left = deadline - clock.nanos();
      if (left <= 0) {
        throw new UnavailableException(
            "a tablet of table \"" + table.name() + "\" is still being loaded: try again");
      }
      lock.await(Math.min(left, TimeUnit.MILLISECONDS.toNanos(100)));
    }
  }

  /** False if a tablet is on its way here. */
  private static boolean isReady(Table table, TableView view, CellBatch batch) {
    if (table.state() == TableState.UNKNOWN) {
      throw new NotServingException("table \"" + table.name() + "\" is no longer served here");
    }
    CellBatch.Reader reader = batch.read();
    TabletView tablet = null;
    while (reader.next()) {
      CellView cell = reader.cell();
      if (tablet != null && isIn(tablet, cell)) {
        continue;
      }
      Bytes row = cell.row();
      tablet = view.find(row).orElse(null);
      if (tablet == null) {
        throw notHere(table, row);
      }
      switch (tablet.state().writes()) {
        case SERVED -> tablet.tablet().countWrite();
        case DEFERRED -> {
          return false;
        }
        case REFUSED -> throw notWritable(table, row, tablet.state());
      }
    }
    return true;
  }

  private static boolean isIn(TabletView tablet, CellView cell) {
    // Cells ascend, so the row is at or behind one that is in the tablet.
    Optional<Bytes> last = tablet.last();
    return last.isEmpty()
        || last.get().compareTo(cell.rowArray, cell.rowOffset, cell.rowLength) >= 0;
  }

  private static NotServingException notHere(Table table, Bytes row) {
    return new NotServingException(
        "no tablet of table \"" + table.name() + "\" with row \"" + row + "\" is loaded here");
  }

  private static NotServingException notWritable(Table table, Bytes row, TabletState state) {
    return new NotServingException(
        "the tablet of table \""
            + table.name()
            + "\" with row \""
            + row
            + "\" takes no writes: it is "
            + state.text());
  }

  @GuardedBy("lock")
  private long commitNow(
      Table table,
      TableView view,
      CellBatch batch,
      Optional<RequestMark.InRow> mark,
      long commitMaxTxn,
      boolean waitedFor) {
    log.checkOpen(); // before anything is changed
    long seed = table.name().hashCode() * 0x9e3779b97f4a7c15L;
    boolean several = view.groups().size() > 1;
    check(table, view, batch, mark.isPresent(), commitMaxTxn, seed);
    long micros = sequencer.stamp(clock.micros());
    batch.stamp(micros);
    long txn = sequencer.next();
    CellBatch committed = batch.committed(txn);
    Bytes name = names.computeIfAbsent(table.name(), Bytes::utf8);
    try {
      addToMemory(view, committed, several);
      noteRows(committed, seed, txn);
      sequencer.allocate(); // not before: those who read the latest take no lock
      log.enqueue(LogHead.encode(lastLogged, micros, name), committed, waitedFor);
    } catch (SteleException e) {
      throw e; // the log is being closed
    } catch (RuntimeException | Error e) {
      broken.accept(e); // half of it may be in memory: the next commit would bring it to light
      throw e;
    }
    lastLogged = txn;
    mark.ifPresent(
        request ->
            requests.add(
                table.name(), request.mark(), new Done(txn, request.answer()), clock.nanos()));
    rotateIfFull(table, view);
    return txn;
  }

  @GuardedBy("lock")
  private void check(
      Table table, TableView view, CellBatch batch, boolean marked, long commitMaxTxn, long seed) {
    CellBatch.Reader reader = batch.read();
    CellView cell = reader.cell();
    boolean unconditional = commitMaxTxn == Long.MAX_VALUE;
    TabletView tablet = null;
    boolean markFound = !marked;
    while (reader.next()) {
      if (RequestMark.is(cell)) {
        if (markFound) {
          throw new InvalidRequestException(
              "row \"%s\" of table \"%s\" has the mark of a request that is not the batch's: a"
                      .formatted(cell.row(), table.name())
                  + " batch has one at most, before all changes but erasures of rows");
        }
        markFound = true;
      } else if (cell.kind != CellKind.ERASE_ROW
          && view.families().groupOf(cell.familyArray, cell.familyOffset, cell.familyLength) < 0) {
        throw new InvalidRequestException(
            "family \""
                + cell.family()
                + "\" of row \""
                + cell.row()
                + "\": table \""
                + table.name()
                + "\" has "
                + describe(view.schema()));
      }
      if (!unconditional) {
        if (tablet == null || !isIn(tablet, cell)) {
          tablet = view.find(cell.row()).orElse(null);
        }
        // What is remembered of a row may be of before its tablet went elsewhere and came back.
        long came = tablet == null ? 0 : tablet.sinceTxn();
        long newest =
            Math.max(
                came,
                rows.newest(RowTxns.hash(seed, cell.rowArray, cell.rowOffset, cell.rowLength)));
        if (newest > commitMaxTxn) {
          throw new ConflictException(
              "row \""
                  + cell.row()
                  + "\" of table \""
                  + table.name()
                  + "\" was or may have been changed by transaction "
                  + newest
                  + ", after "
                  + commitMaxTxn);
        }
      }
    }
  }

  private static String describe(TableSchema schema) {
    return schema.groups().stream()
        .flatMap(group -> group.families().stream())
        .collect(Collectors.joining("\", \"", "only the families \"", "\""));
  }

  private void addToMemory(TableView view, CellBatch committed, boolean several) {
    long added = 0;
    for (int g = 0; g < view.groups().size(); g++) {
      MemFragment active = view.groups().get(g).active();
      long before = active.bytes();
      if (several) {
        int group = g;
        active.add(
            committed,
            cell ->
                cell.kind == CellKind.ERASE_ROW
                    || (RequestMark.is(cell)
                            ? 0
                            : view.families()
                                .groupOf(cell.familyArray, cell.familyOffset, cell.familyLength))
                        == group);
      } else {
        active.add(committed);
      }
      added += active.bytes() - before;
    }
    memory.add(added);
  }

  @GuardedBy("lock")
  private void noteRows(CellBatch committed, long seed, long txn) {
    CellBatch.Reader reader = committed.read();
    CellView cell = reader.cell();
    int noted = -1;
    while (reader.next()) {
      if (cell.rowOffset != noted) { // a row that is repeated stands in the batch once
        noted = cell.rowOffset;
        rows.note(RowTxns.hash(seed, cell.rowArray, cell.rowOffset, cell.rowLength), txn);
      }
    }
  }

  private void rotateIfFull(Table table, TableView view) {
    Map<String, MemFragment> fresh = new HashMap<>();
    for (GroupView group : view.groups()) {
      if (group.active().bytes() >= memFragmentBytes) {
        fresh.put(group.schema().name(), new MemFragment());
      }
    }
    if (!fresh.isEmpty()) {
      var _ = table.commit(new Rotated(fresh));
      wakeFlusher.run();
    }
  }

  /** Completed when all up to a transaction is on disk. */
  public CompletableFuture<Long> whenDurable(long txn) {
    log.hurry(Math.min(txn, lastLogged));
    return sequencer.whenDurable(txn);
  }

  /** Waits until all up to a transaction is on disk. */
  public void awaitDurable(long txn) {
    log.hurry(Math.min(txn, lastLogged));
    sequencer.awaitDurable(txn);
  }

  /** The server's time, for cells that a server writes by itself. */
  public long micros() {
    lock.lock();
    try {
      return sequencer.stamp(clock.micros());
    } finally {
      lock.unlock();
    }
  }
}
