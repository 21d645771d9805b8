package io.stele.replicas.serve;

import static io.stele.replicas.serve.ReplicaCluster.FAMILY;
import static io.stele.replicas.serve.ReplicaCluster.address;
import static io.stele.replicas.serve.ReplicaCluster.result;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Acks;
import io.stele.base.table.Consistency.Reads;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.Tables;
import io.stele.base.time.RandomSource;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.MetadataChange;
import io.stele.replicas.metadata.Partition;
import io.stele.replicas.metadata.RandomNames;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.random.RandomGenerator;

/**
 * One run of a cluster under faults that a seed chooses, with writers and readers at a majority all
 * the while. Messages are lost, repeated and late, each by chance, so that they come in any order;
 * servers are cut off, crash, lose their disks and are replaced, and their clocks are minutes
 * apart; partitions split and move; the metastore is away, or loses everything and is told again.
 *
 * <p>At most one disk is lost at a time: the next goes when no partition and no METADATA file
 * counts on the last one. In some runs none is, and some changes are then acknowledged by one
 * replica: they must be there in the end. What threads make of it all is not drawn from the seed.
 */
final class ReplicaSimulation implements AutoCloseable {
  private static final List<String> NAMES = List.of("a", "b", "c", "d", "e");
  private static final Consistency MAJORITY = Consistency.DEFAULT.withReads(Reads.MAJORITY);
  private static final int ROWS_OF_WRITER = 3;
  private static final int WRITERS = 3;
  private static final long MOST_AHEAD_MILLIS = TimeUnit.MINUTES.toMillis(5);
  private static final String COUNTER = "counter";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final RandomGenerator random;
  private final ReplicaCluster cluster = new ReplicaCluster();
  private final SeenRows seen = new SeenRows();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final boolean keepsDisks;
  private final AtomicLong attempts = new AtomicLong();
  private final ConcurrentLinkedQueue<String> steps = new ConcurrentLinkedQueue<>();

  // Who starts and stops servers has it alone; who uses them shares it.
  private final ReentrantReadWriteLock membership = new ReentrantReadWriteLock();

  ReplicaSimulation(long seed) {
    this.random = RandomSource.seeded(seed);
    this.keepsDisks = random.nextBoolean();
  }

  /** Runs some faults, and checks; answers how many operations were acknowledged. */
  long run(int faults) throws InterruptedException {
    cluster.settings =
        cluster
            .settings
            .withTimeouts(Duration.ofMillis(500), Duration.ofMillis(500))
            .withKeeper(
                cluster
                    .settings
                    .keeper()
                    .withDeadAfter(Duration.ofMillis(300), Duration.ofMillis(300))
                    .withMoves(1));
    NAMES.forEach(each -> cluster.aheadMillis.put(each, random.nextLong(MOST_AHEAD_MILLIS)));
    cluster.start(NAMES.toArray(String[]::new));
    cluster.create("t", 3);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      int writer = i;
      long own = random.nextLong();
      threads.add(Thread.ofPlatform().start(() -> write(writer, RandomSource.seeded(own))));
    }
    long reading = random.nextLong();
    threads.add(Thread.ofPlatform().start(() -> read(RandomSource.seeded(reading))));
    try {
      for (int i = 0; i < faults && seen.violations().isEmpty(); i++) {
        fault();
        awaitAttempts();
      }
    } finally {
      stop.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
    }
    heal();
    check();
    return seen.reads() + seen.writes();
  }

  /** Lets a few operations be tried. */
  private void awaitAttempts() {
    long before = attempts.get();
    await()
        .pollInterval(Duration.ofMillis(2))
        .atMost(PATIENCE)
        .until(() -> attempts.get() >= before + 2 * WRITERS);
  }

  // ---- writers and readers

  private static String row(int writer, int number) {
    return "%d%d".formatted(number * 9 / ROWS_OF_WRITER, writer);
  }

  /** Adds and erases elements, and counts. */
  private void write(int writer, RandomGenerator own) {
    Deque<String> elements = new ArrayDeque<>(); // "row element", acknowledged
    for (int i = 0; !stop.get(); i++) {
      String row = row(writer, own.nextInt(ROWS_OF_WRITER));
      int kind = own.nextInt(4);
      String name = i + "-" + writer;
      boolean erases = kind == 0 && !elements.isEmpty();
      String erased = erases ? elements.poll() : "";
      attempt(
          own,
          erases ? erased.split(" ")[0] : row,
          server -> {
            if (erases) {
              erase(server, erased.split(" ")[0], erased.split(" ")[1]);
            } else if (kind == 1) {
              count(server, row);
            } else {
              boolean atOne = keepsDisks && kind == 2;
              add(server, row, name, atOne);
              if (!atOne) {
                elements.add(row + " " + name);
              }
            }
          });
    }
  }

  private static Cell put(String row, String qualifier, String value) {
    return Cell.put(
        Bytes.utf8(row), FAMILY, Bytes.utf8(qualifier), Cell.SERVER_TIME, Bytes.utf8(value));
  }

  private static void apply(ReplicaServer server, CellBatch cells) {
    result(server.apply("t", cells, Tables.ANY_TXN, true));
  }

  private void add(ReplicaServer server, String row, String element, boolean atOne) {
    CellBatch cells = new CellBatchBuilder().add(put(row, element, element)).build();
    seen.beginAdd(row, element);
    if (atOne) {
      Tables one = server.at(Consistency.DEFAULT.withAcks(Acks.ONE));
      result(one.apply("t", cells, Tables.ANY_TXN, true));
      seen.keptByOne(row, element);
    } else {
      apply(server, cells);
      seen.added(row, element);
    }
  }

  /** A change that must come after what is there: its server has read that. */
  private void erase(ReplicaServer server, String row, String element) {
    observe(server, row);
    seen.beginErase(row, element);
    apply(
        server,
        new CellBatchBuilder()
            .add(Cell.eraseColumn(Bytes.utf8(row), FAMILY, Bytes.utf8(element)))
            .build());
    seen.erased(row, element);
  }

  private void count(ReplicaServer server, String row) {
    observe(server, row);
    long value = seen.beginCount(row);
    apply(server, new CellBatchBuilder().add(put(row, COUNTER, Long.toString(value))).build());
    seen.counted(row, value);
  }

  private void read(RandomGenerator own) {
    while (!stop.get()) {
      String row = row(own.nextInt(WRITERS), own.nextInt(ROWS_OF_WRITER));
      attempt(own, row, server -> observe(server, row));
    }
  }

  /** Reads a row at a majority, and compares it with what must be seen. */
  private Set<String> observe(ReplicaServer server, String row) {
    long begun = seen.now();
    List<Cell> cells =
        ReplicaCluster.cells(
            result(
                server
                    .at(MAJORITY)
                    .read(
                        "t",
                        ReadPredicate.rows(RowRange.row(Bytes.utf8(row))).withHistory(1),
                        ScanOptions.DEFAULT,
                        1 << 20)));
    Set<String> found = new HashSet<>();
    long counter = 0;
    for (Cell cell : cells) {
      if (cell.qualifier().toUtf8().equals(COUNTER)) {
        counter = Long.parseLong(cell.value().toUtf8());
      } else {
        found.add(cell.qualifier().toUtf8());
      }
    }
    seen.read("at " + server.id(), row, begun, found, counter);
    return found;
  }

  private interface Task {
    void run(ReplicaServer server);
  }

  /** Does something at a server that has a row, by what any of them knows. */
  private void attempt(RandomGenerator own, String row, Task task) {
    membership.readLock().lock();
    try {
      List<ReplicaServer> live = List.copyOf(cluster.servers.values());
      ReplicaServer any = live.get(own.nextInt(live.size()));
      String address = any.locate("t", Bytes.utf8(row), 1).getFirst().address();
      ReplicaServer server = cluster.servers.get(address.replace("host-", ""));
      if (server != null) {
        task.run(server);
      }
    } catch (SteleException | CompletionException e) {
      Thread.yield(); // as things are, it cannot be done, or nobody knows whether it was
    } finally {
      attempts.incrementAndGet();
      membership.readLock().unlock();
    }
  }

  // ---- faults

  private void fault() {
    String one = NAMES.get(random.nextInt(NAMES.size()));
    String other = NAMES.get(random.nextInt(NAMES.size()));
    int kind = random.nextInt(20);
    steps.add(kind + " " + one + " " + other);
    switch (kind) {
      case 0, 1 -> cluster.network.cut(address(one), address(other));
      case 2 -> cluster.network.isolate(address(one));
      case 3 -> cluster.network.heal();
      case 4, 5 -> disturb();
      case 6, 16 -> crash(one);
      case 7, 17 -> NAMES.forEach(this::startIfDown);
      case 8 -> split();
      case 9, 10, 11 -> move();
      case 12 -> cluster.aheadMillis.put(one, random.nextLong(MOST_AHEAD_MILLIS));
      case 13 -> cluster.coordination.everybodyAway(random.nextBoolean());
      case 14 -> forgetEverything();
      case 18, 19 -> deafen(one, other);
      default -> wipeUnlessKept(one);
    }
  }

  /** From now on some messages are lost, repeated or late. */
  private void disturb() {
    RandomGenerator own = RandomSource.seeded(random.nextLong()); // calls ask one at a time
    int often = 3 + random.nextInt(10);
    cluster.network.on(_ -> own.nextInt(often) == 0).loseRequest(Integer.MAX_VALUE);
    cluster.network.on(_ -> own.nextInt(often) == 0).loseAnswer(Integer.MAX_VALUE);
    cluster.network.on(_ -> own.nextInt(often) == 0).repeat(Integer.MAX_VALUE);
    cluster.network.on(_ -> own.nextInt(often) == 0).delay(Duration.ofMillis(30));
  }

  /** One gets no changes from now on, and another answers no reads; all else works. */
  private void deafen(String one, String other) {
    cluster
        .network
        .on(call -> call.is("push") && call.to().equals(address(one)))
        .loseRequest(Integer.MAX_VALUE);
    cluster
        .network
        .on(call -> call.is("stored") && call.to().equals(address(other)))
        .loseRequest(Integer.MAX_VALUE);
  }

  private void crash(String name) {
    membership.writeLock().lock();
    try {
      if (cluster.servers.containsKey(name) && cluster.servers.size() > 3) {
        cluster.crash(name);
        cluster.coordination.lead(cluster.servers.values().iterator().next().id());
      }
    } finally {
      membership.writeLock().unlock();
    }
  }

  private void startIfDown(String name) {
    membership.writeLock().lock();
    try {
      if (!cluster.servers.containsKey(name)) {
        cluster.start(name);
      }
    } finally {
      membership.writeLock().unlock();
    }
  }

  private void wipeUnlessKept(String name) {
    if (!keepsDisks) {
      wipe(name);
    }
  }

  /** Takes a disk, if no other that was taken counts for anything any more. */
  private void wipe(String name) {
    membership.writeLock().lock();
    try {
      heal();
      awaitLostReplaced();
      cluster.wipe(name);
      cluster.coordination.lead(cluster.servers.values().iterator().next().id());
      cluster.start(name);
    } finally {
      membership.writeLock().unlock();
    }
  }

  private void awaitLostReplaced() {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(10))
        .ignoreExceptions()
        .until(
            () -> {
              anyServer().adopt(false);
              Set<String> needed = new HashSet<>(cluster.metadata("t").servers());
              List<String> files = cluster.coordination.config("t").metadataServers();
              needed.addAll(files);
              cluster.servers.values().forEach(each -> needed.remove(each.id()));
              return needed.isEmpty() && files.size() >= 3; // fewer, after they were listed again
            });
  }

  /** The metastore is another one, without any table; somebody lists them again sometime. */
  private void forgetEverything() {
    cluster.coordination.loseEverything();
    if (random.nextBoolean()) {
      tryTo(() -> anyServer().adopt(false));
    }
  }

  private void heal() {
    cluster.network.heal();
    cluster.coordination.everybodyAway(false);
    NAMES.forEach(this::startIfDown);
  }

  private void split() {
    tryTo(() -> anyServer().split("t", Bytes.utf8("%d".formatted(random.nextInt(9))), Bytes.EMPTY));
  }

  private ReplicaServer anyServer() {
    List<ReplicaServer> all = List.copyOf(cluster.servers.values());
    return all.get(random.nextInt(all.size()));
  }

  /** Moves a replica to a server that has none. */
  private void move() {
    tryTo(
        () -> {
          Metadata metadata = cluster.metadata("t");
          Partition partition =
              metadata.partitions().get(random.nextInt(metadata.partitions().size()));
          Assignment from = partition.members().get(random.nextInt(partition.members().size()));
          Optional<String> to =
              cluster.servers.values().stream()
                  .map(ReplicaServer::id)
                  .filter(
                      id ->
                          partition.assignments().stream()
                              .noneMatch(each -> each.server().equals(id)))
                  .findFirst();
          if (to.isPresent()) {
            anyServer()
                .machinery()
                .change(
                    metadata.table(),
                    metadata,
                    new MetadataChange.Join(
                        partition.id(),
                        new Assignment(to.get(), RandomNames.next(RandomSource.system())),
                        Optional.of(from.id())));
          }
        });
  }

  private static void tryTo(Runnable change) {
    try {
      change.run();
    } catch (RuntimeException | AssertionError e) {
      // As things are, it cannot be done.
    }
  }

  // ---- the end

  private void check() {
    try {
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(50))
          .ignoreExceptions()
          .until(
              () -> {
                anyServer().adopt(false);
                return cluster.metadata("t").partitions().stream()
                    .allMatch(each -> each.split().isEmpty() && each.joining().isEmpty());
              });
      cluster.awaitReplicas("t");
      cluster.awaitEqual("t");
      for (int writer = 0; writer < WRITERS; writer++) {
        for (int number = 0; number < ROWS_OF_WRITER; number++) {
          seen.readInTheEnd(row(writer, number), found(row(writer, number)));
        }
      }
      if (!seen.violations().isEmpty()) {
        throw new AssertionError(String.join("\n", seen.violations()));
      }
    } catch (AssertionError | RuntimeException e) {
      List<String> events = List.copyOf(cluster.events);
      throw new AssertionError(
          e.getMessage()
              + "\nsteps "
              + steps
              + "\n"
              + String.join("\n", events.subList(Math.max(0, events.size() - 60), events.size())),
          e);
    }
  }

  /** A row at a majority; replicas may still be moved to balance servers. */
  private Set<String> found(String row) {
    return await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(10))
        .ignoreExceptions()
        .until(
            () -> {
              String address = anyServer().locate("t", Bytes.utf8(row), 1).getFirst().address();
              return Optional.of(observe(cluster.server(address.replace("host-", "")), row));
            },
            Optional::isPresent)
        .orElseThrow();
  }

  @Override
  public void close() {
    cluster.network.heal();
    cluster.close();
  }
}
