package io.stele.replicas.serve;

import static io.stele.replicas.serve.ReplicaCluster.address;
import static io.stele.replicas.serve.ReplicaCluster.get;
import static io.stele.replicas.serve.ReplicaCluster.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.table.CellPage;
import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Reads;
import io.stele.base.table.ScanOptions;
import io.stele.base.table.TableScan;
import io.stele.base.table.Tables;
import io.stele.base.time.RandomSource;
import io.stele.replicas.metadata.Assignment;
import io.stele.replicas.metadata.MetadataChange;
import io.stele.replicas.metadata.Partition;
import io.stele.replicas.metadata.RandomNames;
import io.stele.testkit.run.LongRun;
import io.stele.testkit.run.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.random.RandomGenerator;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Writers and readers at a majority while servers are cut off, crash and lose their disks, and
 * partitions split and move. A read that is answered returns what was acknowledged before it. At
 * the end all replicas are equal, every acknowledged write is there, and nothing is there that
 * nobody wrote. What happens is drawn from a seed; what threads make of it is not.
 */
class RandomFaultsTest {
  private static final List<String> NAMES = List.of("a", "b", "c", "d", "e");
  private static final int WRITERS = 3;
  private static final int STEPS = 40;
  private static final Consistency MAJORITY = Consistency.DEFAULT.withReads(Reads.MAJORITY);

  private final Map<String, String> acknowledged = new ConcurrentSkipListMap<>();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicLong compared = new AtomicLong(); // reads
  private final Queue<String> missed = new ConcurrentLinkedQueue<>(); // by reads
  private ReplicaCluster cluster = new ReplicaCluster();

  /** The newest acknowledged row of each writer, and the partition map it was written under. */
  private final Map<Integer, Written> newest = new ConcurrentHashMap<>();

  private record Written(String row, String metadataTxn) {}

  // Who starts and stops servers has it alone; who uses them shares it.
  private final ReentrantReadWriteLock membership = new ReentrantReadWriteLock();

  @Test
  void allAcknowledgedWritesAreThereAndAllReplicasEqual() throws Exception {
    run(Seed.of(RandomFaultsTest.class, 1), STEPS);
  }

  @Test
  @Tag(LongRun.TAG)
  void manySeeds() throws Exception {
    LongRun.repeat(
        RandomFaultsTest.class,
        1,
        seed -> {
          run(seed, 4 * STEPS);
          return acknowledged.size() + compared.get();
        });
  }

  private void run(long seed, int steps) throws Exception {
    cluster = new ReplicaCluster();
    acknowledged.clear();
    newest.clear();
    compared.set(0);
    stop.set(false);
    cluster.settings =
        cluster
            .settings
            .withTimeouts(Duration.ofMillis(400), Duration.ofSeconds(1))
            .withKeeper(
                cluster
                    .settings
                    .keeper()
                    .withDeadAfter(Duration.ofMillis(400), Duration.ofMillis(400))
                    .withMoves(1));
    cluster.start(NAMES.toArray(String[]::new));
    cluster.create("t", 3);
    List<Thread> writers = new ArrayList<>();
    try {
      for (int i = 0; i < WRITERS; i++) {
        int writer = i;
        writers.add(Thread.ofPlatform().start(() -> write(writer)));
      }
      writers.add(Thread.ofPlatform().start(this::read));
      RandomGenerator random = RandomSource.seeded(seed);
      for (int step = 0; step < steps; step++) {
        fault(random);
        awaitWrites();
      }
      awaitEnough();
    } finally {
      stop.set(true);
      for (Thread writer : writers) {
        writer.join();
      }
      heal();
    }
    check(seed);
    cluster.close();
  }

  /** Lets a few writes be made, if they can be. */
  private void awaitWrites() {
    int before = acknowledged.size();
    try {
      await()
          .pollInterval(Duration.ofMillis(5))
          .atMost(Duration.ofMillis(100))
          .until(() -> acknowledged.size() >= before + 5);
    } catch (ConditionTimeoutException e) {
      // As things are, none can be.
    }
  }

  /** A run that wrote or read almost nothing would prove nothing: then it goes on for a while. */
  private void awaitEnough() {
    if (!hasEnough()) {
      heal();
      await().atMost(Duration.ofSeconds(60)).until(this::hasEnough);
    }
  }

  private boolean hasEnough() {
    return acknowledged.size() > STEPS && compared.get() > STEPS;
  }

  // ---- writers

  private void write(int writer) {
    RandomGenerator random = RandomSource.seeded(writer);
    for (int i = 0; !stop.get(); i++) {
      String row = "%04d-%d-%d".formatted(random.nextInt(10_000), writer, i);
      membership.readLock().lock();
      try {
        Optional<ReplicaServer> member = member(row, random);
        if (member.isPresent()) {
          String metadataTxn = metadataTxn();
          member.get().apply("t", put(row, value(row)), Tables.ANY_TXN, true).join();
          acknowledged.put(row, value(row));
          newest.put(writer, new Written(row, metadataTxn));
        }
      } catch (SteleException | CompletionException e) {
        Thread.yield(); // not acknowledged; it may be there all the same
      } finally {
        membership.readLock().unlock();
      }
    }
  }

  /** A server that has the row, by what any of them knows. */
  private Optional<ReplicaServer> member(String row, RandomGenerator random) {
    List<ReplicaServer> live = List.copyOf(cluster.servers.values());
    ReplicaServer any = live.get(random.nextInt(live.size()));
    String address = any.locate("t", Bytes.utf8(row), 1).getFirst().address();
    return Optional.ofNullable(cluster.servers.get(address.replace("host-", "")));
  }

  /** Which partition map is valid. */
  private String metadataTxn() {
    return cluster.coordination.config("t").metadataTxn();
  }

  /**
   * Reads what a writer was acknowledged last. It must be there unless the partition map was
   * replaced meanwhile: then the read may come from members that are still being filled.
   */
  private void read() {
    RandomGenerator random = RandomSource.seeded(17);
    while (!stop.get()) {
      membership.readLock().lock();
      try {
        Optional<Written> written = Optional.ofNullable(newest.get(random.nextInt(WRITERS)));
        Optional<ReplicaServer> member = written.flatMap(each -> member(each.row, random));
        if (member.isPresent()) {
          String row = written.get().row;
          Optional<String> found = get(member.get().at(MAJORITY), "t", row);
          if (metadataTxn().equals(written.get().metadataTxn)) {
            compared.incrementAndGet();
            if (!found.equals(Optional.of(value(row)))) {
              missed.add(row + " at " + member.get().id() + ": " + found);
            }
          }
        }
      } catch (SteleException | CompletionException e) {
        Thread.yield(); // as things are, no majority answers
      } finally {
        membership.readLock().unlock();
      }
    }
  }

  private static String value(String row) {
    return "value of " + row;
  }

  // ---- faults

  private void fault(RandomGenerator random) {
    String one = NAMES.get(random.nextInt(NAMES.size()));
    String other = NAMES.get(random.nextInt(NAMES.size()));
    switch (random.nextInt(10)) {
      case 0, 1 -> cluster.network.cut(address(one), address(other));
      case 2 -> cluster.network.isolate(address(one));
      case 3, 4 -> cluster.network.heal();
      case 5 -> crash(one);
      case 6 -> NAMES.forEach(this::startIfDown);
      case 7 -> split(random);
      case 8 -> move(random);
      default -> wipe(one);
    }
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

  /** Takes a disk, once all that it and one other alone may have has got further. */
  private void wipe(String name) {
    membership.writeLock().lock(); // nobody writes meanwhile
    try {
      heal();
      cluster.awaitEqual("t");
      cluster.wipe(name);
      cluster.coordination.lead(cluster.servers.values().iterator().next().id());
      cluster.start(name);
    } finally {
      membership.writeLock().unlock();
    }
  }

  private void heal() {
    cluster.network.heal();
    NAMES.forEach(this::startIfDown);
  }

  private void split(RandomGenerator random) {
    attempt(
        () ->
            cluster
                .servers
                .values()
                .iterator()
                .next()
                .split("t", Bytes.utf8("%04d".formatted(random.nextInt(10_000))), Bytes.EMPTY));
  }

  /** Moves a replica to a server that has none. */
  private void move(RandomGenerator random) {
    attempt(
        () -> {
          ReplicaServer server = cluster.servers.values().iterator().next();
          var metadata = cluster.metadata("t");
          Partition partition =
              metadata.partitions().get(random.nextInt(metadata.partitions().size()));
          Assignment from = partition.members().get(random.nextInt(partition.members().size()));
          cluster.servers.values().stream()
              .map(ReplicaServer::id)
              .filter(
                  id ->
                      partition.assignments().stream().noneMatch(each -> each.server().equals(id)))
              .findFirst()
              .ifPresent(
                  id ->
                      server
                          .machinery()
                          .change(
                              metadata.table(),
                              metadata,
                              new MetadataChange.Join(
                                  partition.id(),
                                  new Assignment(id, RandomNames.next(RandomSource.system())),
                                  Optional.of(from.id()))));
        });
  }

  private static void attempt(Runnable change) {
    try {
      change.run();
    } catch (SteleException e) {
      // As things are, it cannot be done.
    }
  }

  // ---- the end

  private void check(long seed) {
    try {
      await()
          .atMost(Duration.ofSeconds(30))
          .pollInterval(Duration.ofMillis(50))
          .ignoreExceptions()
          .until(
              () ->
                  cluster.metadata("t").partitions().stream()
                      .allMatch(each -> each.split().isEmpty() && each.joining().isEmpty()));
      cluster.awaitReplicas("t");
      cluster.awaitEqual("t");
      Map<String, String> found =
          await() // replicas may still move
              .atMost(Duration.ofSeconds(30))
              .ignoreExceptionsInstanceOf(SteleException.class)
              .until(this::everything, _ -> true);
      assertThat(missed).as("what majority reads did not see").isEmpty();
      assertThat(compared).hasValueGreaterThan(STEPS);
      assertThat(found).containsAllEntriesOf(acknowledged);
      found.forEach((row, value) -> assertThat(value).isEqualTo(value(row)));
      assertThat(acknowledged).hasSizeGreaterThan(STEPS);
    } catch (AssertionError | RuntimeException e) {
      List<String> last = List.copyOf(cluster.events);
      throw new AssertionError(
          "seed "
              + seed
              + ": "
              + e.getMessage()
              + "\n"
              + String.join("\n", last.subList(Math.max(0, last.size() - 60), last.size())),
          e);
    }
  }

  private Map<String, String> everything() {
    Map<String, String> found = new TreeMap<>();
    for (Partition partition : cluster.metadata("t").partitions()) {
      String name = cluster.nameOf(partition.members().getFirst().server());
      ReadPredicate rows = ReadPredicate.rows(partition.rows());
      try (TableScan scan = cluster.server(name).scan("t", rows, ScanOptions.DEFAULT)) {
        CellPage page;
        do {
          page = scan.next(1 << 16);
          for (Cell cell : ReplicaCluster.cells(page)) {
            found.put(cell.row().toUtf8(), cell.value().toUtf8());
          }
        } while (page.more());
      }
    }
    return found;
  }
}
