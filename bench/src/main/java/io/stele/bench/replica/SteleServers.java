package io.stele.bench.replica;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.Tables;
import io.stele.client.Stele;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** What both kinds of tables have in common: processes, and a client at each server. */
abstract class SteleServers implements TableServers {
  private static final Bytes FAMILY = Bytes.utf8("f");
  private static final Bytes QUALIFIER = Bytes.utf8("q");
  private static final Duration START_PATIENCE = Duration.ofSeconds(90);
  private static final Duration PAUSE = Duration.ofMillis(20);

  private final SteleProcesses processes;
  private final List<Stele> clients = new ArrayList<>();

  SteleServers(SteleProcesses processes) {
    this.processes = processes;
    for (int first = 0; first < SERVERS; first++) {
      List<String> addresses = new ArrayList<>(processes.addresses());
      addresses.addAll(addresses.subList(0, first));
      clients.add(Stele.builder().endpoints(addresses.subList(first, addresses.size())).connect());
    }
  }

  /** The client that asks a server first. */
  final Stele client(int server) {
    return clients.get(server);
  }

  final SteleProcesses running() {
    return processes;
  }

  @Override
  public final List<ProcessHandle> processes() {
    return processes.handles();
  }

  /** Newer values take the place of older ones, as in RocksDB. */
  static TableSchema schema() {
    return TableSchema.of(
        GroupSchema.of("default", FAMILY.toUtf8()).withPurge(new PurgePolicy.MaxHistory(1)));
  }

  /** Tries until it works: servers that have just been started do not know each other yet. */
  final void await(String what, BooleanSupplier attempt) throws InterruptedException {
    long start = System.nanoTime();
    while (true) {
      processes.checkAlive();
      try {
        if (attempt.getAsBoolean()) {
          return;
        }
      } catch (SteleException e) {
        if (System.nanoTime() - start > START_PATIENCE.toNanos()) {
          throw new UnavailableException(what + ": not within " + START_PATIENCE, e);
        }
      }
      if (System.nanoTime() - start > START_PATIENCE.toNanos()) {
        throw new UnavailableException(what + ": not within " + START_PATIENCE);
      }
      Thread.sleep(PAUSE);
    }
  }

  @Override
  public final void drop(String table) {
    client(0).tables().drop(table);
  }

  static CompletableFuture<Long> apply(Tables tables, String table, Bytes row, Bytes value) {
    return tables.apply(table, batch(row, value), Tables.ANY_TXN, true);
  }

  private static CellBatch batch(Bytes row, Bytes value) {
    return new CellBatchBuilder().put(row, FAMILY, QUALIFIER, Cell.SERVER_TIME, value).build();
  }

  @Override
  public final CompletableFuture<?> writeAll(String table, List<Bytes> rows, List<Bytes> values) {
    List<CellBatch> batches = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      batches.add(batch(rows.get(i), values.get(i)));
    }
    return client(0).rows().applyRows(table, batches).thenAccept(SteleServers::requireDone);
  }

  private static void requireDone(List<RowOutcome> outcomes) {
    for (RowOutcome outcome : outcomes) {
      if (outcome.failure().isPresent()) {
        throw outcome.failure().get();
      }
    }
  }

  @Override
  public final boolean has(String table, Bytes row) {
    try {
      return client(0).table(table).get(row).isPresent();
    } catch (SteleException e) {
      return false; // not yet
    }
  }

  @Override
  public final void pause() throws Exception {
    processes.pauseLast();
  }

  @Override
  public final void resume() throws Exception {
    processes.resumeLast();
  }

  @Override
  public final void startSpare() throws Exception {
    processes.startSpare();
    awaitSpare();
  }

  /** Returns when the spare server counts as live. */
  abstract void awaitSpare() throws Exception;

  @Override
  public final void killLast() throws InterruptedException {
    processes.killLast();
  }

  @Override
  public final void close() throws InterruptedException {
    clients.forEach(Stele::close);
    processes.close();
  }
}
