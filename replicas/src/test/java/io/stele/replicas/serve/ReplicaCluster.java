package io.stele.replicas.serve;

import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.event.Event;
import io.stele.base.file.CrashMode;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CellPage;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.engine.cache.BlockCache;
import io.stele.replicas.FakeCoordination;
import io.stele.replicas.FakePeers;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.MetadataSettings;
import io.stele.replicas.metadata.Partition;
import io.stele.replicas.partition.Digest;
import io.stele.replicas.placement.KeeperSettings;
import io.stele.replicas.push.LocalReplica;
import io.stele.replicas.push.PushSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Servers of replicated tables in one process, with a network and a coordination service that can
 * fail. Addresses are {@code host-NAME}; data directories are in memory and lose what was not
 * synced when a server crashes.
 */
final class ReplicaCluster implements AutoCloseable {
  static final Bytes FAMILY = Bytes.utf8("f");
  static final Bytes QUALIFIER = Bytes.utf8("q");

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  final FakeCoordination coordination = new FakeCoordination();
  final FakePeers network = new FakePeers();
  final Map<String, ReplicaServer> servers = new TreeMap<>();
  final ConcurrentLinkedQueue<String> events = new ConcurrentLinkedQueue<>();

  /** By how much the clocks of servers are ahead. */
  final Map<String, Long> aheadMillis = new ConcurrentHashMap<>();

  private final Map<String, MemoryFileStore> disks = new ConcurrentHashMap<>();
  private final BlockCache cache = new BlockCache(16 << 20);
  private final RandomGenerator random = RandomSource.system();
  ReplicaSettings settings = settings();

  static ReplicaSettings settings() {
    return ReplicaSettings.DEFAULT
        .withPush(
            PushSettings.DEFAULT
                .withRelayAfter(Duration.ofMillis(300))
                .withRetry(Duration.ofMillis(5), Duration.ofMillis(50))
                .withSave(Duration.ofMillis(50)))
        .withMetadata(
            MetadataSettings.DEFAULT
                .withPoll(Duration.ofMillis(200))
                .withTries(20, Duration.ofMillis(10)))
        .withKeeper(KeeperSettings.DEFAULT.withEvery(Duration.ofMillis(100)).withMoves(0))
        .withScrub(new ScrubSettings(Duration.ZERO, 1L << 30))
        .withTimeouts(Duration.ofSeconds(5), Duration.ofSeconds(2))
        .withUpkeep(Duration.ofMillis(50))
        .withMemoryBytes(16 << 20);
  }

  ReplicaCluster start(String... names) {
    for (String name : names) {
      start(name);
    }
    return this;
  }

  /** Starts a server on its disk, which is empty the first time. */
  ReplicaServer start(String name) {
    MemoryFileStore disk = disks.computeIfAbsent(name, _ -> new MemoryFileStore());
    String id = ServerId.of(disk, random);
    String address = address(name);
    coordination.live(id, address);
    if (servers.isEmpty()) {
      coordination.lead(id);
    }
    ReplicaServer server =
        ReplicaServer.builder(disk, coordination.of(id), network.from(address))
            .address(address)
            .settings(settings)
            .clock(clock(name))
            .random(random)
            .cache(cache)
            .events(event -> note(name, event))
            .open();
    network.serve(address, server.metadataPeer());
    network.serve(address, server.replicaPeer());
    servers.put(name, server);
    coordination.tell();
    return server;
  }

  /** The machine's clock, as far ahead as the test says. */
  private Clock clock(String name) {
    return new Clock() {
      @Override
      public long micros() {
        long ahead = aheadMillis.getOrDefault(name, 0L);
        return Clock.system().micros() + TimeUnit.MILLISECONDS.toMicros(ahead);
      }

      @Override
      public long nanos() {
        return Clock.system().nanos();
      }
    };
  }

  private void note(String name, Event event) {
    events.add(name + ": " + event.text());
  }

  static String address(String name) {
    return "host-" + name;
  }

  ReplicaServer server(String name) {
    return servers.get(name);
  }

  String id(String name) {
    return server(name).id();
  }

  String nameOf(String id) {
    return servers.entrySet().stream()
        .filter(each -> each.getValue().id().equals(id))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseThrow();
  }

  /** A server ends, and has written down all that it wants to. */
  void stop(String name) {
    ReplicaServer server = servers.remove(name);
    server.close();
    network.down(address(name));
    coordination.dead(server.id());
  }

  /** A server's process dies; what it had not synced is lost. Its session ends too. */
  void crash(String name) {
    ReplicaServer server = servers.remove(name);
    network.down(address(name));
    coordination.dead(server.id());
    disks.put(name, disks.get(name).crash(CrashMode.dropUnsynced()));
    server.abandon();
  }

  /** As {@link #crash}, with a disk that is empty afterwards. */
  void wipe(String name) {
    crash(name);
    disks.remove(name);
  }

  MemoryFileStore disk(String name) {
    return disks.get(name);
  }

  /** The names of the replicas on a server's disk. */
  List<String> replicaDirectories(String name) {
    List<String> names = new ArrayList<>();
    try {
      for (FileInfo table : disk(name).list(FilePath.of("tables"))) {
        disk(name).list(table.path()).forEach(each -> names.add(each.path().name()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return names;
  }

  // ---- tables

  static TableSchema schema(int replicas) {
    return TableSchema.ofFamilies("f").withReplication(Replication.of(replicas).withSplitBytes(0));
  }

  void create(String table, int replicas) {
    servers.values().iterator().next().create(table, schema(replicas), List.of());
    awaitReplicas(table);
    awaitServers();
  }

  /** Waits until every server knows of all others: until then it refuses writes to all of them. */
  void awaitServers() {
    await()
        .pollInterval(Duration.ofMillis(5))
        .until(
            () ->
                servers.values().stream()
                    .allMatch(
                        each ->
                            servers.values().stream()
                                .allMatch(other -> each.machinery().isLive(other.id()))));
  }

  /** Waits until every assignment of a table has its replica. */
  void awaitReplicas(String table) {
    await()
        .pollInterval(Duration.ofMillis(5))
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () ->
                metadata(table).partitions().stream()
                    .allMatch(
                        partition ->
                            partition.members().stream()
                                .allMatch(
                                    member ->
                                        servers.values().stream()
                                            .filter(each -> each.id().equals(member.server()))
                                            .allMatch(
                                                each -> replica(each, partition).isPresent()))));
  }

  /** Waits until every replica knows that all others have everything. */
  void awaitSettled(String table) {
    await()
        .pollInterval(Duration.ofMillis(10))
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () ->
                metadata(table).partitions().getFirst().members().stream()
                    .map(member -> replica(nameOf(member.server()), table).progress())
                    .allMatch(
                        progress ->
                            progress.confirmed().stream()
                                .allMatch(each -> each.sequence() >= progress.sequence())));
  }

  private static Optional<LocalReplica> replica(ReplicaServer server, Partition partition) {
    return server.machinery().host().replica(partition.id());
  }

  /** What is valid. */
  Metadata metadata(String table) {
    ReplicaServer any = servers.values().iterator().next();
    any.machinery().table(table);
    return any.machinery()
        .cache()
        .refresh(coordination.config(table).id())
        .orElseThrow()
        .metadata();
  }

  LocalReplica replica(String name, String table) {
    Partition partition = metadata(table).partitions().getFirst();
    return replica(server(name), partition).orElseThrow();
  }

  // ---- rows

  static CellBatch put(String row, long time, String value) {
    return new CellBatchBuilder()
        .put(Bytes.utf8(row), FAMILY, QUALIFIER, time, Bytes.utf8(value))
        .build();
  }

  static CellBatch put(String row, String value) {
    return put(row, Cell.SERVER_TIME, value);
  }

  static void write(Tables tables, String table, String row, String value) {
    result(tables.apply(table, put(row, value), Tables.ANY_TXN, true));
  }

  static <T> T result(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException known ? known : e;
    }
  }

  static Optional<String> get(Tables tables, String table, String row) {
    CellPage page =
        result(
            tables.read(
                table,
                ReadPredicate.rows(RowRange.row(Bytes.utf8(row))).withHistory(1),
                ScanOptions.DEFAULT,
                1 << 20));
    return cells(page).stream().map(cell -> cell.value().toUtf8()).findFirst();
  }

  static List<Cell> cells(CellPage page) {
    List<Cell> cells = new ArrayList<>();
    if (page.cells().isPresent()) {
      CellBatch.Reader reader = page.cells().get().read();
      while (reader.next()) {
        cells.add(reader.cell().toCell());
      }
    }
    return cells;
  }

  static Map<String, String> scan(Tables tables, String table) {
    Map<String, String> rows = new TreeMap<>();
    try (TableScan scan =
        tables.scan(table, ReadPredicate.ALL.withHistory(1), ScanOptions.DEFAULT)) {
      CellPage page;
      do {
        page = scan.next(1 << 16);
        cells(page).forEach(cell -> rows.put(cell.row().toUtf8(), cell.value().toUtf8()));
      } while (page.more());
    }
    return rows;
  }

  /** Waits until the replicas of all partitions are equal, and nothing is left to be done. */
  void awaitEqual(String table) {
    await()
        .pollInterval(Duration.ofMillis(20))
        .atMost(PATIENCE)
        .ignoreExceptions() // a replica that moves may be closed while it is read
        .untilAsserted(() -> checkEqual(table));
  }

  void checkEqual(String table) {
    for (Partition partition : metadata(table).partitions()) {
      List<Digest> digests = new ArrayList<>();
      partition
          .members()
          .forEach(
              member ->
                  servers.values().stream()
                      .filter(each -> each.id().equals(member.server()))
                      .forEach(
                          each ->
                              digests.addAll(
                                  replica(each, partition)
                                      .orElseThrow(() -> new AssertionError("no replica yet"))
                                      .store()
                                      .digests(RowRange.ALL, List.of()))));
      if (digests.stream().distinct().count() != 1
          || digests.size() != partition.members().size()) {
        throw new AssertionError("partition " + partition.id() + " has " + digests);
      }
    }
  }

  @Override
  public void close() {
    servers.values().forEach(ReplicaServer::close);
    servers.clear();
  }
}
