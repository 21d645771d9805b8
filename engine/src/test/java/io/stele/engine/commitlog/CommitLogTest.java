package io.stele.engine.commitlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.cell.CellBatch;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.StoreCall;
import io.stele.base.time.Clock;
import io.stele.engine.Gate;
import io.stele.engine.HookedFiles;
import io.stele.engine.TestCells;
import io.stele.engine.WaitingCall;
import io.stele.testkit.ManualClock;
import io.stele.testkit.run.LongRun;
import io.stele.testkit.sim.HoldPoints;
import io.stele.testkit.sim.HoldPoints.Hold;
import io.stele.testkit.sim.ProcessFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class CommitLogTest {
  private static final FilePath LOG = FilePath.of("log");
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final CommitLogSettings SETTINGS =
      new CommitLogSettings(1 << 20, 0, 1 << 20, Duration.ofHours(1));

  private final MemoryFileStore memory = new MemoryFileStore();
  private final HookedFiles files = new HookedFiles(memory);

  private CommitLog open() throws IOException {
    return open(SETTINGS, Clock.system());
  }

  private CommitLog open(CommitLogSettings settings, Clock clock) throws IOException {
    return new CommitLog(files, LOG, settings, clock, LogReplay.replay(files, LOG, 0, _ -> {}));
  }

  private static CellBatch batch(long txn) {
    return TestCells.put("row", txn, "value").committed(txn);
  }

  private static List<Long> replay(FileStore files) throws IOException {
    List<Long> txns = new ArrayList<>();
    LogReplay.replay(files, LOG, 0, batch -> txns.add(batch.txn()));
    return txns;
  }

  private static List<Long> upTo(long last) {
    return LongStream.rangeClosed(1, last).boxed().toList();
  }

  private List<String> names() throws IOException {
    return memory.list(LOG).stream().map(FileInfo::path).map(FilePath::name).toList();
  }

  /** Holds the sync of records; that of a new file's header is let through. */
  private Gate gateBeforeSync() {
    AtomicBoolean header = new AtomicBoolean(true);
    Gate gate =
        new Gate(call -> call.is(StoreCall.SYNC, "log/") && !header.compareAndSet(true, false));
    files.hook(gate);
    return gate;
  }

  /**
   * Two threads let files go at the same time. One that is slow with an older file must not be
   * overtaken: after a crash the log would have a hole.
   */
  @Test
  void filesAreDeletedInTheirOrder() throws Exception {
    HoldPoints points = new HoldPoints();
    FileStore slow = new ProcessFiles("server", points, () -> false, _ -> "file").of(files);
    CommitLogSettings oneRecord =
        new CommitLogSettings(1, 0, 1 << 20, CommitLogSettings.DEFAULT.lazySync());
    try (CommitLog log =
        new CommitLog(slow, LOG, oneRecord, Clock.system(), LogReplay.Result.none(0))) {
      for (long txn = 1; txn <= 4; txn++) {
        log.enqueue(batch(txn), true);
        log.await(txn);
      }
      Hold deletion = points.arm("server", "file delete");
      Thread first = Thread.ofVirtual().start(() -> release(log, 1));
      assertThat(deletion.awaitHolding(10, TimeUnit.SECONDS)).isTrue();
      Thread second = Thread.ofVirtual().start(() -> release(log, 2));
      while (second.getState() != Thread.State.WAITING && second.isAlive()) {
        Thread.onSpinWait();
      }
      assertThat(replay(files)).isEqualTo(upTo(4));
      deletion.release();
      first.join();
      second.join();
      assertThat(files.list(LOG)).as("files of transactions 3 and 4").hasSize(2);
    }
  }

  /**
   * A file that was deleted may come back after a power loss, but not without those after it: the
   * log would have a hole.
   */
  @Test
  void aDeletedFileDoesNotComeBackAlone() throws Exception {
    CommitLogSettings oneRecord =
        new CommitLogSettings(1, 0, 1 << 20, CommitLogSettings.DEFAULT.lazySync());
    List<String> all = LongStream.rangeClosed(1, 5).mapToObj("%010d.log"::formatted).toList();
    for (int crashAt = 1; crashAt <= 5; crashAt++) {
      MemoryFileStore store = new MemoryFileStore();
      try (CommitLog log =
          new CommitLog(store, LOG, oneRecord, Clock.system(), LogReplay.Result.none(0))) {
        for (long txn = 1; txn <= 5; txn++) {
          log.enqueue(batch(txn), true);
          log.await(txn);
        }
        store.crashAtSync(crashAt);
        try {
          log.release(4);
        } catch (IOException e) {
          // The power failed.
        }
        for (long seed = 0; seed < 10; seed++) {
          MemoryFileStore found = store.crash(CrashMode.tornTails(seed, CrashMode.Tail.NONE));
          List<String> left =
              found.list(LOG).stream().map(FileInfo::path).map(FilePath::name).toList();
          assertThat(left).isEqualTo(all.subList(5 - left.size(), 5));
        }
      }
    }
  }

  private static void release(CommitLog log, long txn) {
    try {
      log.release(txn);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void whoeverWaitsIsWokenByTheSyncAndNotBefore() throws Exception {
    Gate gate = gateBeforeSync();
    try (CommitLog log = open()) {
      log.enqueue(batch(1), true);
      WaitingCall<Boolean> waiter = WaitingCall.of(() -> log.await(1));
      gate.awaitCall();
      assertThat(log.durableTxn()).isZero();
      waiter.assertWaits("the sync is not done");
      gate.open();
      assertThat(waiter.result()).succeedsWithin(SOON);
      assertThat(log.durableTxn()).isEqualTo(1);
      assertThat(replay(memory.crash(CrashMode.dropUnsynced()))).containsExactly(1L);
    }
  }

  @Test
  void writersThatWaitTogetherShareOneSync() throws Exception {
    int writers = 50;
    Gate gate = gateBeforeSync();
    try (CommitLog log = open();
        ExecutorService threads = Executors.newFixedThreadPool(writers)) {
      List<Future<?>> waiting = new ArrayList<>();
      for (long txn = 1; txn <= writers; txn++) {
        long own = txn;
        log.enqueue(batch(txn), true);
        waiting.add(threads.submit(() -> log.await(own)));
        if (txn == 1) {
          gate.awaitCall(); // the first is alone; the others come while it is being synced
        }
      }
      gate.open();
      for (Future<?> writer : waiting) {
        writer.get();
      }
      assertThat(log.durableTxn()).isEqualTo(writers);
      assertThat(files.count(StoreCall.SYNC, "log/"))
          .as("the header's, the first writer's, that of all the others")
          .isEqualTo(3);
    }
  }

  @Test
  void manyThreadsAppendAndEachIsAcknowledgedInOrder() throws Exception {
    int writers = 8;
    int each = 200;
    try (CommitLog log =
            open(new CommitLogSettings(5_000, 512, 400, Duration.ofHours(1)), Clock.system());
        ExecutorService threads = Executors.newFixedThreadPool(writers)) {
      Object order = new Object();
      long[] newest = {0};
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < writers; i++) {
        running.add(
            threads.submit(
                () -> {
                  for (int n = 0; n < each; n++) {
                    log.throttle();
                    long txn;
                    synchronized (order) {
                      txn = ++newest[0];
                      log.enqueue(batch(txn), n % 3 > 0);
                    }
                    if (n % 3 > 0) {
                      log.await(txn);
                      assertThat(log.durableTxn()).isGreaterThanOrEqualTo(txn);
                    }
                  }
                }));
      }
      for (Future<?> writer : running) {
        writer.get();
      }
    }
    assertThat(names()).as("files roll by size").hasSizeGreaterThan(3);
    assertThat(replay(memory)).isEqualTo(upTo((long) writers * each));
  }

  @Test
  void anIdleLogHasNoFile() throws Exception {
    try (CommitLog log = open()) {
      log.roll();
      log.release(5);
    }
    assertThat(names()).isEmpty();
  }

  @Test
  void aRollEndsTheFileWithTheNewestTransactionSoThatItCanBeReleasedAsAWhole() throws Exception {
    try (CommitLog log = open()) {
      for (long txn = 1; txn <= 3; txn++) {
        log.enqueue(batch(txn), false);
      }
      log.roll();
      log.enqueue(batch(4), true);
      log.await(4);
      assertThat(names()).containsExactly("0000000001.log", "0000000002.log");
      log.release(2);
      assertThat(names()).hasSize(2);
      log.release(3);
      assertThat(names()).containsExactly("0000000002.log");
      log.release(4);
      assertThat(names()).as("the file being written stays").containsExactly("0000000002.log");
      log.roll();
      await().atMost(SOON).untilAsserted(() -> assertThat(names()).isEmpty());
    }
  }

  @Test
  void aFileThatIsReleasedWhileItIsStillBeingClosedGoesWhenItIs() throws Exception {
    try (CommitLog log = open()) {
      log.enqueue(batch(1), true);
      log.await(1);
      Gate gate = new Gate(call -> call.is(StoreCall.WRITE, "log/0000000001"));
      files.hook(gate);
      log.roll();
      gate.awaitCall(); // the seal
      log.release(1);
      assertThat(names()).containsExactly("0000000001.log");
      gate.open();
      await().atMost(SOON).untilAsserted(() -> assertThat(names()).isEmpty());
    }
  }

  @Test
  void aFileThatCannotBeDeletedIsTriedAgain() throws Exception {
    try (CommitLog log = open()) {
      log.enqueue(batch(1), true);
      log.await(1);
      log.roll();
      log.enqueue(batch(2), true);
      log.await(2);
      memory.failNth(StoreCall.DELETE, 1, () -> new IOException("busy"));
      assertThatThrownBy(() -> log.release(1)).isInstanceOf(IOException.class);
      log.release(1);
      assertThat(names()).containsExactly("0000000002.log");
      log.enqueue(batch(3), true);
      log.await(3);
    }
  }

  @Test
  void whatNobodyWaitsForIsSyncedWithinTheInterval() throws Exception {
    ManualClock clock = new ManualClock();
    CommitLogSettings lazy = new CommitLogSettings(1 << 20, 0, 1 << 20, Duration.ofMillis(20));
    try (CommitLog log = open(lazy, clock)) {
      for (long txn = 1; txn <= 100; txn++) {
        log.enqueue(batch(txn), false);
      }
      assertThat(log.durableTxn()).as("while the clock stands").isZero();
      clock.advance(Duration.ofMillis(20));
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                // The first may have been taken before the clock moved, the last after.
                clock.advance(Duration.ofMillis(20));
                assertThat(log.durableTxn()).isEqualTo(100);
              });
      assertThat(files.count(StoreCall.SYNC, "log/")).isLessThan(20);
    }
  }

  @Test
  void waitingForAnUnsyncedTransactionSyncsIt() throws Exception {
    try (CommitLog log = open()) {
      log.enqueue(batch(1), false);
      log.enqueue(batch(2), false);
      log.await(1);
      assertThat(log.durableTxn()).isGreaterThanOrEqualTo(1);
    }
  }

  @Test
  void aFullQueueHoldsWritersUntilTheLogThreadHasTakenIt() throws Exception {
    Gate gate = gateBeforeSync();
    try (CommitLog log =
        open(new CommitLogSettings(1 << 20, 0, 1, Duration.ofHours(1)), Clock.system())) {
      log.throttle();
      log.enqueue(batch(1), true);
      gate.awaitCall();
      log.throttle(); // the log thread has taken the first
      log.enqueue(batch(2), true);
      WaitingCall<Boolean> held = WaitingCall.of(log::throttle);
      held.assertWaits("the second fills the queue");
      gate.open();
      assertThat(held.result()).succeedsWithin(SOON);
    }
  }

  @Test
  void aWriterHeldByAFullQueueCanBeInterrupted() throws Exception {
    Gate gate = gateBeforeSync();
    try (CommitLog log =
        open(new CommitLogSettings(1 << 20, 0, 1, Duration.ofHours(1)), Clock.system())) {
      log.enqueue(batch(1), true);
      gate.awaitCall();
      log.enqueue(batch(2), true);
      WaitingCall<Boolean> held = WaitingCall.of(log::throttle);
      held.assertWaits("the second fills the queue");
      held.thread().interrupt();
      assertThat(held.result())
          .failsWithin(SOON)
          .withThrowableThat()
          .withCauseInstanceOf(ExhaustedException.class);
      gate.open();
    }
  }

  @Test
  void anInterruptDoesNotEndAWaitForDurability() throws Exception {
    Gate gate = gateBeforeSync();
    try (CommitLog log = open()) {
      log.enqueue(batch(1), true);
      WaitingCall<Boolean> interrupted =
          WaitingCall.of(
              () -> {
                log.await(1);
                return Thread.currentThread().isInterrupted();
              });
      gate.awaitCall();
      interrupted.thread().interrupt();
      interrupted.assertWaits("the sync is not done");
      gate.open();
      assertThat(interrupted.result()).as("and is kept").succeedsWithin(SOON).isEqualTo(true);
    }
  }

  @Test
  void closeSyncsWhatWasTakenAndSealsTheFile() throws Exception {
    CommitLog log = open();
    for (long txn = 1; txn <= 5; txn++) {
      log.enqueue(batch(txn), false);
    }
    log.close();
    log.close();
    assertThat(log.durableTxn()).isEqualTo(5);
    assertThatThrownBy(() -> log.enqueue(batch(6), false))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("commit log log is closed");
    assertThatThrownBy(log::checkOpen).isInstanceOf(UnavailableException.class);
    MemoryFileStore left = memory.crash(CrashMode.dropUnsynced());
    assertThat(replay(left)).isEqualTo(upTo(5));
  }

  @Test
  void aFailedSyncLeavesAllWaitersInDoubtAndEndsTheLog() throws Exception {
    Gate gate = gateBeforeSync();
    try (CommitLog log =
            open(new CommitLogSettings(1 << 20, 0, 1, Duration.ofHours(1)), Clock.system());
        ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<?>> waiting = new ArrayList<>();
      for (long txn = 1; txn <= 4; txn++) {
        long own = txn;
        log.enqueue(batch(txn), true);
        waiting.add(threads.submit(() -> log.await(own)));
      }
      gate.awaitCall();
      memory.failNth(StoreCall.SYNC, 1, () -> new IOException("the disk said no"));
      gate.open();
      for (Future<?> waiter : waiting) {
        assertThatThrownBy(waiter::get)
            .hasRootCauseMessage("the disk said no")
            .cause()
            .isInstanceOf(OutcomeUnknownException.class)
            .hasMessageContaining("may or may not be in the commit log");
      }
      assertThat(log.durableTxn()).isZero();
      assertThat(log.hasFailed()).isTrue();
      log.throttle();
      assertThatThrownBy(log::checkOpen)
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("has failed")
          .hasMessageContaining("the disk said no");
      log.enqueue(batch(5), true); // it had been let in before the failure
      assertThatThrownBy(() -> log.await(5)).isInstanceOf(OutcomeUnknownException.class);
    }
  }

  @Test
  void anUnexpectedExceptionInTheLogThreadEndsTheLogToo() throws Exception {
    try (CommitLog log = open()) {
      log.enqueue(batch(1), true);
      log.await(1);
      files.hook(
          call -> {
            throw new IllegalStateException("unexpected " + call);
          });
      log.enqueue(batch(2), true);
      assertThatThrownBy(() -> log.await(2))
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("unexpected");
      assertThatThrownBy(log::checkOpen).isInstanceOf(UnavailableException.class);
    }
    files.hook(_ -> {});
    assertThat(replay(memory)).startsWith(1L);
  }

  @Test
  void transactionsMustAscend() throws Exception {
    try (CommitLog log = open()) {
      log.enqueue(batch(1), false);
      assertThatThrownBy(() -> log.enqueue(batch(1), false))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("transaction 1 logged behind 1");
      assertThatThrownBy(() -> log.await(2))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("transaction 2");
      log.enqueue(batch(2), true);
      log.await(2);
    }
    assertThat(replay(memory)).isEqualTo(upTo(2));
  }

  @Test
  void settingsMustBePositive() {
    Duration lazy = Duration.ofMillis(1);
    for (CommitLogSettings good :
        List.of(CommitLogSettings.DEFAULT, new CommitLogSettings(1, 0, 1, Duration.ZERO))) {
      assertThat(good.fileBytes()).isPositive();
    }
    assertThatThrownBy(() -> new CommitLogSettings(0, 0, 1, lazy))
        .isInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(() -> new CommitLogSettings(1, -1, 1, lazy))
        .isInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(() -> new CommitLogSettings(1, 0, 0, lazy))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("queue 0");
    assertThatThrownBy(() -> new CommitLogSettings(1, 0, 1, lazy.negated()))
        .isInstanceOf(InvalidRequestException.class);
  }

  /** A group that is taken while nothing waits must not be the list that others add to. */
  @Test
  void whatComesWhileTheLogLooksAfterOtherThingsIsWrittenOnce() throws Exception {
    rollBetweenCommits(200);
  }

  @Test
  @Tag(LongRun.TAG)
  void muchThatComesWhileTheLogLooksAfterOtherThingsIsWrittenOnce() throws Exception {
    rollBetweenCommits(3_000);
  }

  private void rollBetweenCommits(int count) throws Exception {
    try (CommitLog log = open()) {
      for (long txn = 1; txn <= count; txn++) {
        log.enqueue(batch(txn), true);
        log.await(txn);
        log.roll(); // the log thread wakes for this alone, and takes nothing
        long next = System.nanoTime() + txn * 7 % 400 * 100;
        while (System.nanoTime() < next) {
          Thread.onSpinWait();
        }
      }
    }
    assertThat(replay(memory)).isEqualTo(upTo(count));
  }
}
