package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.error.SteleException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.MemoryFileStore;
import io.stele.engine.commitlog.CommitLogSettings;
import io.stele.engine.compaction.CompactionSettings;
import io.stele.engine.disk.Codec;
import io.stele.engine.disk.FragmentSettings;
import io.stele.engine.model.Version;
import io.stele.testkit.run.LongRun;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Promise 1, "an acknowledged write is durable", at every moment at which a machine can stop: after
 * reopening every acknowledged write is there, the others are whole or absent, and later never
 * survive earlier.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class StoreCrashTest {
  /** Nothing happens but what the driver asks for: a seed gives the same sync points each time. */
  private static final int STEPS = 40;

  private static final StoreSettings QUIET =
      StoreSettings.DEFAULT
          .withAutoCompact(false)
          .withFragments(new FragmentSettings(Codec.LZ4, 256))
          .withCommitLog(new CommitLogSettings(2_000, 512, 10_000, Duration.ofMinutes(1)));

  /** Mem fragments fill up after a few batches, and are flushed and compacted in the background. */
  private static final StoreSettings BUSY =
      QUIET
          .withAutoCompact(true)
          .withMemory(16_900, 60_000)
          .withCompaction(CompactionSettings.DEFAULT.withWidths(2, 4).withMaxFragments(3))
          .withCommitLog(new CommitLogSettings(700, 0, 10_000, Duration.ofMillis(1)));

  @ParameterizedTest
  @ValueSource(longs = {1})
  void aCrashAtAnySyncPointLosesNoAcknowledgedWrite(long seed) {
    crashEverywhere(QUIET, seed, STEPS);
  }

  @ParameterizedTest
  @ValueSource(longs = {5})
  void aCrashAtAnySyncPointOfAStoreWithBackgroundWorkLosesNoAcknowledgedWrite(long seed) {
    crashEverywhere(BUSY, seed, STEPS);
  }

  @Test
  @Tag(LongRun.TAG)
  void manyHistoriesCrashedEverywhere() throws Exception {
    LongRun.repeat(
        StoreCrashTest.class,
        3,
        seed -> {
          ofManyWritersAPrefixOfTheTransactionsSurvives(seed);
          return crashEverywhere(QUIET, seed, 4 * STEPS) + crashEverywhere(BUSY, seed, 4 * STEPS);
        });
  }

  /** Returns the number of crashes. */
  private static long crashEverywhere(StoreSettings settings, long seed, int steps) {
    MemoryFileStore whole = new MemoryFileStore();
    CrashDriver rehearsal = new CrashDriver(settings, seed, "seed " + seed);
    try (Store store = rehearsal.open(whole)) {
      assertThat(rehearsal.run(store, steps)).as("seed %d without a crash", seed).isNull();
    }
    long points = whole.syncPoints();
    assertThat(points).as("sync points, seed %d", seed).isGreaterThan(steps / 2);
    for (long point = 1; point <= points; point++) {
      String about = "seed " + seed + ", crash at sync point " + point + " of " + points;
      MemoryFileStore files = new MemoryFileStore();
      files.crashAtSync(point);
      CrashDriver driver = new CrashDriver(settings, seed, about);
      crash(driver, files, steps);
      SplittableRandom random = new SplittableRandom(seed + point);
      for (CrashMode mode : modes(random, point)) {
        driver.copy(random.nextLong(), about + ", " + mode).checkCrash(files, mode);
      }
    }
    return points;
  }

  private static void crash(CrashDriver driver, MemoryFileStore files, int steps) {
    try (Store store = driver.open(files)) {
      driver.run(store, steps);
      files.crash(CrashMode.dropUnsynced()); // before it can be closed in good order
    } catch (SteleException e) {
      // It crashed while it was opened.
      assertThat(e).hasMessageContaining("cannot be opened");
    }
  }

  /** Always the loss of all that was not synced; the other kinds take turns. */
  private static List<CrashMode> modes(SplittableRandom random, long point) {
    CrashMode.Tail[] tails = CrashMode.Tail.values();
    CrashMode other =
        switch ((int) (point % 3)) {
          case 0 -> CrashMode.scattered(random.nextLong());
          case 1 -> CrashMode.processKilled();
          default -> CrashMode.tornTails(random.nextLong(), tails[random.nextInt(tails.length)]);
        };
    return List.of(CrashMode.dropUnsynced(), other);
  }

  /**
   * Each write of each thread is a row of its own, with a cell in each of three families: the rows
   * that are left tell exactly which transactions are.
   */
  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13})
  void ofManyWritersAPrefixOfTheTransactionsSurvives(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    MemoryFileStore files = new MemoryFileStore();
    files.crashAtSync(random.nextInt(5, 120));
    Map<Long, String> acknowledged = new ConcurrentHashMap<>();
    CountDownLatch crashed = new CountDownLatch(1);
    Store doomed =
        new Store.Builder(files)
            .settings(BUSY)
            .events(
                event -> {
                  if (event instanceof StoreEvent.BackgroundFailed) {
                    crashed.countDown();
                  }
                })
            .open();
    List<Thread> writers =
        LongStream.range(0, 8)
            .mapToObj(
                n ->
                    Thread.ofPlatform()
                        .start(
                            () -> {
                              write(doomed, n, acknowledged);
                              crashed.countDown();
                            }))
            .toList();
    assertThat(crashed.await(60, TimeUnit.SECONDS)).as("seed %d: crashed", seed).isTrue();
    doomed.close(); // for writers that wait for a flush to succeed
    for (Thread writer : writers) {
      writer.join();
    }
    long attempted = doomed.assignedTxn();
    CrashMode mode = CrashMode.tornTails(seed, CrashMode.Tail.GARBAGE);
    for (CrashMode each : List.of(CrashMode.dropUnsynced(), mode)) {
      MemoryFileStore left = files.crash(each);
      try (Store store = new Store.Builder(left).settings(BUSY).open()) {
        checkPrefix(store, acknowledged, attempted, "seed " + seed + ", " + each);
      }
    }
  }

  private static void write(Store store, long writer, Map<Long, String> acknowledged) {
    try {
      for (int i = 0; ; i++) {
        String row = writer + "/" + i;
        Cell[] cells = new Cell[3];
        for (int k = 0; k < cells.length; k++) {
          cells[k] = Cell.put(Bytes.utf8(row), Bytes.utf8("f" + k), Bytes.EMPTY, i, Bytes.EMPTY);
        }
        acknowledged.put(store.apply(TestCells.batch(cells)), row);
      }
    } catch (SteleException e) {
      // The crash.
    }
  }

  private static void checkPrefix(
      Store store, Map<Long, String> acknowledged, long attempted, String about) {
    Map<Long, List<Version>> byTxn =
        TestCells.readAll(store).stream()
            .collect(Collectors.groupingBy(Version::txn, TreeMap::new, Collectors.toList()));
    long last = store.assignedTxn();
    assertThat(last).as(about).isLessThanOrEqualTo(attempted);
    assertThat(byTxn.keySet())
        .as("%s: the transactions that survived are the first", about)
        .containsExactlyElementsOf(LongStream.rangeClosed(1, last).boxed().toList());
    byTxn.forEach(
        (txn, cells) -> {
          assertThat(cells).as("%s: transaction %d is whole", about, txn).hasSize(3);
          assertThat(cells.stream().map(Version::row).distinct()).as(about).hasSize(1);
        });
    acknowledged.forEach(
        (txn, row) ->
            assertThat(byTxn.getOrDefault(txn, List.of()))
                .as("%s: acknowledged transaction %d of %d", about, txn, last)
                .anySatisfy(version -> assertThat(version.row()).isEqualTo(Bytes.utf8(row))));
  }
}
