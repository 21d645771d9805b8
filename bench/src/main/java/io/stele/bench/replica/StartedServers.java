package io.stele.bench.replica;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.ConflictException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.process.ChildProcess;
import io.stele.base.process.ServerProcess;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.Tables;
import io.stele.bench.process.SteleServers;
import io.stele.client.Stele;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * What both kinds of tables have in common: a process that keeps the sessions, the servers, a
 * client at each of them, and room for one server more.
 */
abstract class StartedServers implements TableServers {
  private static final Bytes FAMILY = Bytes.utf8("f");
  private static final Bytes QUALIFIER = Bytes.utf8("q");
  private static final Duration START_PATIENCE = Duration.ofSeconds(90);
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final List<String> SMALL_HEAP = List.of("-Xms64m", "-Xmx512m");
  private static final List<String> SERVER_HEAP = List.of("-Xms64m", "-Xmx2g");

  private final ServerProcess home;
  private final List<ServerProcess> servers = new ArrayList<>();
  private final ServerProcess spare;
  private final List<Stele> clients = new ArrayList<>();

  /**
   * Starts all but the spare server; returns when they listen.
   *
   * @param homeRoles of the process that keeps the sessions
   * @param role of servers
   * @param settings of all of them
   */
  StartedServers(Path directory, String homeRoles, String role, List<String> settings)
      throws Exception {
    home = SteleServers.server(directory, "home", SMALL_HEAP, arguments(homeRoles, settings));
    try {
      List<String> arguments = new ArrayList<>(arguments(role, settings));
      arguments.add("--metastore=" + home.start().of("native"));
      for (int i = 0; i < SERVERS; i++) {
        servers.add(SteleServers.server(directory, role + i, SERVER_HEAP, arguments));
        servers.getLast().launch();
      }
      servers.forEach(ServerProcess::awaitReady);
      spare = SteleServers.server(directory, "spare", SERVER_HEAP, arguments);
    } catch (Exception e) {
      servers.forEach(ServerProcess::kill);
      home.kill();
      throw e;
    }
    for (int first = 0; first < SERVERS; first++) {
      List<String> addresses = new ArrayList<>(addresses());
      addresses.addAll(addresses.subList(0, first));
      clients.add(Stele.builder().endpoints(addresses.subList(first, addresses.size())).connect());
    }
  }

  private static List<String> arguments(String roles, List<String> settings) {
    List<String> arguments = new ArrayList<>(List.of("server", "--roles=" + roles));
    settings.forEach(setting -> arguments.add("--set=" + setting));
    return arguments;
  }

  /** What stands above the results. */
  static String flags() {
    return "%s, what keeps the sessions with %s"
        .formatted(String.join(" ", SteleServers.flags(SERVER_HEAP)), String.join(" ", SMALL_HEAP));
  }

  final List<String> addresses() {
    return servers.stream().map(ServerProcess::address).toList();
  }

  /** The client that asks a server first. */
  final Stele client(int server) {
    return clients.get(server);
  }

  @Override
  public final List<ProcessHandle> servers() {
    List<ChildProcess> all = new ArrayList<>(servers);
    all.addAll(List.of(home, spare));
    return all.stream().filter(ChildProcess::isAlive).map(ChildProcess::handle).toList();
  }

  /** Newer values take the place of older ones, as in RocksDB. */
  static TableSchema schema() {
    return TableSchema.of(
        GroupSchema.of("default", FAMILY.toUtf8()).withPurge(new PurgePolicy.MaxHistory(1)));
  }

  /** Tries until it works: servers that have just been started do not know each other yet. */
  final void await(String what, BooleanSupplier attempt) throws InterruptedException {
    long start = System.nanoTime();
    while (!holds(attempt)) {
      home.checkAlive();
      if (System.nanoTime() - start > START_PATIENCE.toNanos()) {
        throw new UnavailableException(what + ": not within " + START_PATIENCE);
      }
      Thread.sleep(PAUSE);
    }
  }

  /** A question that fails has no answer yet. */
  static boolean holds(BooleanSupplier question) {
    try {
      return question.getAsBoolean();
    } catch (SteleException e) {
      return false;
    }
  }

  /** Creates a table, unless an attempt whose answer was lost did. */
  final boolean create(String table, TableSchema schema, List<Bytes> splits) {
    try {
      client(0).tables().create(table, schema, splits);
    } catch (ConflictException e) {
      // By an attempt whose answer was lost.
    }
    return true;
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
    return client(0).rows().applyRows(table, batches).thenAccept(StartedServers::requireDone);
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
    return holds(() -> client(0).table(table).get(row).isPresent());
  }

  @Override
  public final void pause() {
    servers.getLast().pause();
  }

  @Override
  public final void resume() {
    servers.getLast().resume();
  }

  @Override
  public final void startSpare() throws Exception {
    var _ = spare.start();
    awaitSpare();
  }

  /** Returns when the spare server counts as live. */
  abstract void awaitSpare() throws Exception;

  @Override
  public final void killLast() {
    servers.getLast().kill();
  }

  @Override
  public final void close() {
    clients.forEach(Stele::close);
    servers.forEach(ServerProcess::kill);
    spare.kill();
    home.kill();
  }
}
