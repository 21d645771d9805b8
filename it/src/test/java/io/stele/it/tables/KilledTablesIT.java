package io.stele.it.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.base.process.ServerProcess;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.client.Stele;
import io.stele.it.process.LongestGap;
import io.stele.it.process.Servers;
import io.stele.testkit.run.LongRun;
import io.stele.testkit.run.Seed;
import io.stele.testkit.table.EqualColumns;
import io.stele.testkit.table.LinkedNodes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code stele up} is killed with -9 again and again while clients write and read: no node of a
 * list is undefined, and columns that are written together are never seen to differ.
 */
class KilledTablesIT {
  private static final int NODES_PER_LIFE = 200; // at least, before it is killed
  private static final int ROWS = 20;
  private static final Duration PATIENT = Duration.ofSeconds(30);

  /** For those whose server is killed: they wait so long for one that does not come back. */
  private static final Duration IMPATIENT = Duration.ofSeconds(2);

  @TempDir Path folder;

  private final LinkedNodes nodes = new LinkedNodes();
  private final EqualColumns equal = new EqualColumns();
  private final LongestGap gap = new LongestGap(Clock.system());

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void nothingIsLostOrTornWhenTheServerIsKilled() throws Exception {
    killAgainAndAgain(Seed.of(KilledTablesIT.class, 1), killed -> killed >= 2);
  }

  @Test
  @Tag(LongRun.TAG)
  void nothingIsLostOrTornWhenTheServerIsKilledManyTimes() throws Exception {
    long seed = Seed.varied(KilledTablesIT.class);
    Duration time = LongRun.share(10);
    long start = Clock.system().nanos();
    AtomicInteger faults = new AtomicInteger();
    long violations = 1; // until it is over
    try {
      killAgainAndAgain(
          seed,
          killed -> {
            faults.set(killed);
            return Clock.system().nanos() - start > time.toNanos();
          });
      violations = 0;
    } finally {
      LongRun.record(
          new LongRun.Outcome(
              KilledTablesIT.class.getSimpleName(),
              seed,
              Duration.ofNanos(Clock.system().nanos() - start),
              nodes.acknowledgedCount() + equal.verdict().checked(),
              faults.get(),
              violations,
              gap.longest()));
    }
  }

  private void killAgainAndAgain(long seed, IntPredicate over) throws Exception {
    int killed = 0;
    try (ServerProcess up = Servers.up(folder.resolve("data"))) {
      up.start();
      createTables(up.address());
      do {
        liveAndDie(up, seed, killed);
        killed++;
        up.start();
        check(up.address());
      } while (!over.test(killed));
    }
    assertThat(nodes.acknowledgedCount()).isGreaterThanOrEqualTo(killed * NODES_PER_LIFE);
    assertThat(equal.verdict().checked()).isGreaterThan(killed * (long) ROWS);
  }

  private static Stele connect(String address, Duration timeout) {
    return Stele.builder().endpoints(address).timeout(timeout).connect();
  }

  private static void createTables(String address) {
    try (Stele stele = connect(address, PATIENT)) {
      stele
          .tables()
          .create("list", TableSchema.ofFamilies("f"), List.of(Bytes.utf8("5"), Bytes.utf8("a")));
      stele
          .tables()
          .create(
              "equal",
              TableSchema.of(GroupSchema.of("one", "f"), GroupSchema.of("two", "g")),
              List.of());
    }
  }

  /** What is there after a start, before anybody writes again. */
  private void check(String address) {
    try (Stele stele = connect(address, PATIENT)) {
      nodes.check(LinkedNodes.read(stele.rows(), "list")).requireValid();
      equal.scan(stele.rows(), "equal");
      for (int row = 0; row < ROWS; row++) {
        equal.get(stele.rows(), "equal", "row" + row);
      }
      equal.verdict().requireValid();
      assertThat(stele.tables().verifyMeta("")).isEmpty();
    }
  }

  /** Writers, readers and upkeep, until it has done some work and is killed in the midst of it. */
  private void liveAndDie(ServerProcess up, long seed, int life) throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    int goal = nodes.acknowledgedCount() + NODES_PER_LIFE + life % 5 * 50;
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    try (Stele stele = connect(up.address(), IMPATIENT)) {
      List<CompletableFuture<Void>> workers = new ArrayList<>();
      for (int w = 0; w < 4; w++) {
        RandomGenerator random = RandomSource.seeded(seed + life * 10L + w);
        int first = w;
        workers.add(
            loop(
                threads,
                over,
                () -> {
                  if (nodes.write(stele.rows(), "list", random)) {
                    gap.happened();
                  }
                }));
        workers.add(
            loop(
                threads,
                over,
                () -> {
                  String row = "row" + (first + 4 * random.nextInt(ROWS / 4));
                  equal.write(stele.rows(), "equal", row);
                  equal.get(stele.rows(), "equal", row);
                }));
      }
      workers.add(loop(threads, over, () -> equal.scan(stele.rows(), "equal")));
      workers.add(
          loop(
              threads,
              over,
              () -> {
                stele.tables().flush("list");
                stele.tables().flush("equal");
                stele.tables().compact("equal");
              }));
      await("work that was acknowledged")
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(5))
          .until(() -> nodes.acknowledgedCount() >= goal);
      up.kill();
      over.set(true);
      for (CompletableFuture<Void> worker : workers) {
        worker.get(60, TimeUnit.SECONDS);
      }
    } finally {
      over.set(true);
      threads.shutdownNow();
    }
    equal.verdict().requireValid();
  }

  /** Does something again and again; what fails because the server is gone is of no interest. */
  private static CompletableFuture<Void> loop(
      ExecutorService threads, AtomicBoolean over, Runnable step) {
    return CompletableFuture.runAsync(
        () -> {
          while (!over.get()) {
            try {
              step.run();
            } catch (SteleException e) {
              // The next check tells what it has come to.
            }
          }
        },
        threads);
  }
}
