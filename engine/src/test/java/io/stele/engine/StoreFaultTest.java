package io.stele.engine;

import static io.stele.engine.TestCells.get;
import static io.stele.engine.TestCells.put;
import static io.stele.engine.TestCells.readAll;
import static io.stele.engine.TestCells.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.StoreCall;
import io.stele.base.predicate.ReadPredicate;
import io.stele.engine.commitlog.CommitLogSettings;
import io.stele.engine.disk.Codec;
import io.stele.engine.disk.FragmentSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Disks that fail and disks that are full: errors of the right kind, and nothing lost. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class StoreFaultTest {
  private static final StoreSettings SETTINGS =
      StoreSettings.DEFAULT
          .withAutoCompact(false)
          .withFragments(new FragmentSettings(Codec.NONE, 128))
          .withCommitLog(new CommitLogSettings(300, 128, 10_000, Duration.ofMinutes(1)));

  /** Commits of {@link FaultRun#play} that nobody waits for. */
  private static final int UNSYNCED = 3;

  private final MemoryFileStore memory = new MemoryFileStore();
  private final HookedFiles files = new HookedFiles(memory);

  private Store open() {
    return new Store.Builder(files).settings(SETTINGS).open();
  }

  private static IOException failure() {
    return new IOException("the disk said no");
  }

  private static IOException full() {
    return new IOException("no space left on device");
  }

  /** Fails the Nth call of a kind, for every N that a short history has. */
  @ParameterizedTest
  @EnumSource(StoreCall.class)
  void whicheverCallFailsTheErrorIsOfTheRightKindAndReopeningRecovers(StoreCall call) {
    FaultRun rehearsal = new FaultRun(SETTINGS, "without a fault");
    rehearsal.play();
    long calls = rehearsal.files.calls(call);
    for (long n = 1; n <= calls; n++) {
      String about = call + " " + n + " of " + calls + " fails";
      FaultRun run = new FaultRun(SETTINGS, about);
      run.files.failNth(call, n, StoreFaultTest::failure);
      run.play();
      // A commit that nobody waits for may share a write with the next one, or not.
      assertThat(run.files.calls(call)).as(about).isGreaterThanOrEqualTo(n - UNSYNCED);
      run.recover();
    }
  }

  /** The same, but from then on the disk does nothing of that kind any more. */
  @ParameterizedTest
  @EnumSource(
      value = StoreCall.class,
      names = {"CREATE", "REPLACE", "DELETE", "WRITE", "SYNC", "FINISH"})
  void whicheverKindOfCallFailsForGoodReadersGoOnAndReopeningRecovers(StoreCall call) {
    for (long n = 1; n <= 12; n += 3) {
      FaultRun run = new FaultRun(SETTINGS, call + " fails from call " + n);
      run.files.failFrom(call, n, StoreFaultTest::failure);
      run.play();
      run.recover();
    }
  }

  @Test
  void aWriteWhoseSyncFailedIsInDoubtAndTheNextOnesAreRefused() {
    try (Store store = open()) {
      store.apply(put("kept", 1, "v"));
      memory.failNth(StoreCall.SYNC, 1, StoreFaultTest::failure);
      assertThatThrownBy(() -> store.apply(put("doubt", 1, "v")))
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("transaction 2 may or may not be in the commit log")
          .hasMessageContaining("the disk said no");
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> store.apply(put("refused", 1, "v")))
            .isInstanceOf(UnavailableException.class)
            .hasMessageContaining("opened again");
      }
      assertThat(store.assignedTxn()).as("a refused write changes nothing").isEqualTo(2);
      assertThatThrownBy(() -> store.sync(2)).isInstanceOf(OutcomeUnknownException.class);
      assertThat(texts(readAll(store))).as("readers go on").containsExactly("kept@1=v");
      assertThatThrownBy(store::flush).isInstanceOf(UnavailableException.class);
      assertThat(store.snapshot().txn()).isEqualTo(1);
    }
  }

  /**
   * The record was written, its sync failed, the process ended and started again: what the log
   * reads back may be in the machine's memory only. If it were taken for durable, and the next file
   * went on behind it, a loss of power would leave a gap in front of acknowledged writes.
   */
  @Test
  void whatIsReadBackFromALogAfterAFailedSyncIsMadeDurableBeforeItIsSeen() {
    try (Store store = open()) {
      store.apply(put("one", 1, "v"));
      memory.failNth(StoreCall.SYNC, 1, StoreFaultTest::failure);
      assertThatThrownBy(() -> store.apply(put("doubt", 1, "v")))
          .isInstanceOf(OutcomeUnknownException.class);
    }
    memory.clearFailures();
    MemoryFileStore after;
    long seen;
    try (Store store = open()) {
      seen = store.durableTxn();
      assertThat(seen).isEqualTo(2);
      after = memory.crash(CrashMode.dropUnsynced());
    }
    try (Store store = new Store.Builder(after).settings(SETTINGS).open()) {
      assertThat(store.durableTxn()).isEqualTo(seen);
      store.apply(put("two", 1, "v"));
      assertThat(texts(readAll(store))).containsExactly("doubt@1=v", "one@1=v", "two@1=v");
    }
  }

  @Test
  void aFlushThatFindsTheDiskFullIsRepeatedAndWritersAreToldOnceMemoryIsFull() {
    AtomicBoolean isFull = new AtomicBoolean(true);
    files.hook(
        call -> {
          if (isFull.get() && call.is(StoreCall.WRITE, "fragments/")) {
            throw full();
          }
        });
    StoreSettings small = SETTINGS.withMemory(100, 20_000);
    try (Store store = new Store.Builder(files).settings(small).open()) {
      store.apply(put("first", 1, "v"));
      assertThatThrownBy(store::flush)
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("no space left");
      store.apply(put("second", 1, "v"));
      assertThatThrownBy(store::flush).isInstanceOf(UnavailableException.class);
      assertThatThrownBy(() -> store.apply(put("refused", 1, "v")))
          .isInstanceOf(ExhaustedException.class)
          .hasMessageContaining("at most 20000")
          .hasMessageContaining("no space left");
      assertThat(store.assignedTxn()).as("a refused write changes nothing").isEqualTo(2);
      assertThat(texts(readAll(store))).containsExactly("first@1=v", "second@1=v");

      isFull.set(false);
      store.flush();
      assertThat(store.flushedTxn()).isEqualTo(2);
      store.apply(put("third", 1, "v"));
      store.flush();
      assertThat(texts(readAll(store))).containsExactly("first@1=v", "second@1=v", "third@1=v");
    }
  }

  @Test
  void writersWaitForASlowFlushWhenMemoryIsFull() throws IOException {
    Gate flush = new Gate(call -> call.is(StoreCall.FINISH, "fragments/"));
    files.hook(flush);
    StoreSettings small = SETTINGS.withMemory(100, 20_000);
    try (Store store = new Store.Builder(files).settings(small).open()) {
      store.apply(put("first", 1, "v"));
      store.apply(put("second", 1, "v"));
      flush.awaitCall();
      WaitingCall<Long> third = WaitingCall.of(() -> store.apply(put("third", 1, "v")));
      third.assertWaits("memory is full");
      flush.open();
      assertThat(third.result()).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(3L);
    }
  }

  @Test
  void aWriterThatWaitsForAFlushIsToldWhenTheStoreIsClosed() throws IOException {
    Gate flush = new Gate(call -> call.is(StoreCall.FINISH, "fragments/"));
    files.hook(flush);
    StoreSettings small = SETTINGS.withMemory(100, 20_000);
    Store store = new Store.Builder(files).settings(small).open();
    store.apply(put("first", 1, "v"));
    store.apply(put("second", 1, "v"));
    flush.awaitCall();
    WaitingCall<Long> third = WaitingCall.of(() -> store.apply(put("third", 1, "v")));
    third.assertWaits("memory is full");
    WaitingCall<Boolean> close = WaitingCall.of(store::close);
    close.assertWaits("for the flush under way");
    assertThat(third.result())
        .failsWithin(Duration.ofSeconds(20))
        .withThrowableThat()
        .withCauseInstanceOf(UnavailableException.class)
        .withMessageContaining("is closed");
    flush.open();
    assertThat(close.result()).succeedsWithin(Duration.ofSeconds(20));
    try (Store again = open()) {
      assertThat(texts(readAll(again))).containsExactly("first@1=v", "second@1=v");
    }
  }

  @Test
  void aWriterThatWaitsForAFlushIsToldWhenTheLogHasFailed() throws IOException {
    AtomicBoolean logFails = new AtomicBoolean();
    Gate flush = new Gate(call -> call.is(StoreCall.FINISH, "fragments/"));
    files.hook(
        call -> {
          if (logFails.get() && call.path().value().startsWith("log/")) {
            throw failure();
          }
          flush.before(call);
        });
    StoreSettings small = SETTINGS.withMemory(100, 30_000);
    try (Store store = new Store.Builder(files).settings(small).open()) {
      store.apply(put("first", 1, "v")); // its flush stands before the gate
      flush.awaitCall();
      logFails.set(true);
      assertThatThrownBy(() -> store.apply(put("doubt", 1, "v")))
          .isInstanceOf(OutcomeUnknownException.class);
      WaitingCall<Long> waiting = WaitingCall.of(() -> store.apply(put("waiting", 1, "v")));
      waiting.assertWaits("memory is full");
      flush.open(); // the next flush waits in vain for the log
      assertThat(waiting.result())
          .failsWithin(Duration.ofSeconds(20))
          .withThrowableThat()
          .withCauseInstanceOf(UnavailableException.class);
    }
  }

  @Test
  void aFullDiskUnderTheLogLosesNothingThatWasAcknowledged() {
    long used;
    try (Store store = open()) {
      store.apply(put("kept", 1, "v"));
      memory.capacity(1);
      long acknowledged = 1;
      try {
        while (true) {
          acknowledged = store.apply(put("more", 1, "x".repeat(50)));
        }
      } catch (OutcomeUnknownException e) {
        assertThat(e).hasMessageContaining("no space left");
      }
      used = acknowledged;
      assertThatThrownBy(() -> store.apply(put("more", 2, "v")))
          .isInstanceOf(UnavailableException.class);
      assertThat(get(store, "kept")).isEqualTo("v");
    }
    memory.capacity(Long.MAX_VALUE);
    try (Store store = open()) {
      assertThat(store.assignedTxn()).isGreaterThanOrEqualTo(used);
      assertThat(get(store, "kept")).isEqualTo("v");
      store.apply(put("after", 1, "v"));
      store.flush();
      store.compact();
    }
  }

  @Test
  void aManifestThatCouldNotBeReplacedIsTriedAgainAsLongAsTheOldOneIsInPlace() {
    try (Store store = open()) {
      store.apply(put("one", 1, "v"));
      store.flush();
      store.apply(put("two", 1, "v"));
      memory.failFrom(StoreCall.REPLACE, 1, StoreFaultTest::full);
      assertThatThrownBy(store::flush).isInstanceOf(UnavailableException.class);
      assertThat(store.flushedTxn()).isEqualTo(1);
      memory.clearFailures();
      store.flush();
      assertThat(store.flushedTxn()).isEqualTo(2);
      memory.failNth(StoreCall.REPLACE, 1, StoreFaultTest::full);
      assertThatThrownBy(store::compact).isInstanceOf(UnavailableException.class);
      store.compact();
      assertThat(texts(readAll(store))).containsExactly("one@1=v", "two@1=v");
    }
    try (Store store = open()) {
      assertThat(texts(readAll(store))).containsExactly("one@1=v", "two@1=v");
    }
  }

  @Test
  void aManifestOfUnknownFateEndsAllUpkeepUntilTheStoreIsOpenedAgain() {
    try (Store store = open()) {
      store.apply(put("one", 1, "v"));
      files.afterReplace(
          _ -> {
            throw failure();
          });
      assertThatThrownBy(store::flush).isInstanceOf(UnavailableException.class);
      files.afterReplace(_ -> {});
      assertThatThrownBy(store::flush).isInstanceOf(UnavailableException.class);
      assertThatThrownBy(() -> store.restrict(Set.of(TestCells.FAMILY)))
          .isInstanceOf(UnavailableException.class);
      store.apply(put("two", 1, "v"));
      assertThat(texts(readAll(store))).containsExactly("one@1=v", "two@1=v");
    }
    try (Store store = open()) {
      assertThat(texts(readAll(store))).containsExactly("one@1=v", "two@1=v");
      store.flush();
      store.compact();
      assertThat(texts(readAll(store))).containsExactly("one@1=v", "two@1=v");
    }
  }

  @Test
  void aLogFileThatCannotBeDeletedGoesWithTheNextFlush() {
    try (Store store = open()) {
      store.apply(put("one", 1, "v"));
      memory.failNth(StoreCall.DELETE, 1, StoreFaultTest::failure);
      store.flush();
      assertThat(store.flushedTxn()).isEqualTo(1);
      store.apply(put("two", 1, "v"));
      store.flush();
      await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(() -> assertThat(memory.list(FilePath.of("log"))).isEmpty());
      assertThat(texts(readAll(store))).containsExactly("one@1=v", "two@1=v");
    }
  }

  @Test
  void corruptDataIsAnErrorThatNamesTheFileAndNeverServed() throws IOException {
    try (Store store = new Store.Builder(files).settings(SETTINGS).open()) {
      store.apply(put("row", 1, "value"));
      store.flush();
      memory.corrupt(Manifest.fragmentPath(1), 8 * 30);
      assertThatThrownBy(() -> get(store, "row"))
          .isInstanceOf(CorruptDataException.class)
          .hasMessageContaining("fragments/0000000001.frag");
      assertThatThrownBy(() -> store.scan(ReadPredicate.ALL).next())
          .isInstanceOf(CorruptDataException.class);
      assertThatThrownBy(store::compact).isInstanceOf(CorruptDataException.class);
      store.apply(put("row", 2, "newer"));
    }
  }

  @Test
  void aDamagedManifestIsReportedWithItsOffset() throws IOException {
    try (Store store = open()) {
      store.apply(put("row", 1, "value"));
      store.flush();
    }
    memory.corrupt(Manifest.PATH, 8 * 9);
    assertThatThrownBy(this::open)
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("MANIFEST")
        .hasMessageContaining("offset");
    memory.truncate(Manifest.PATH, 3);
    assertThatThrownBy(this::open).isInstanceOf(CorruptDataException.class);
  }
}
