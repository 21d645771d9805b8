package io.stele.metastore.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.event.Events;
import io.stele.base.file.CrashMode;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.file.StoreCall;
import io.stele.base.settings.ByteSize;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class SoloLogTest {
  private static final Member SELF = new Member("m1", "localhost:1", "localhost:2");

  private final MapReplica.Disk disk = new MapReplica.Disk();
  private final List<RaftEvent> seen = new ArrayList<>();

  private SoloLog<Position> open(FileStore files, Replica<Position> replica) throws IOException {
    return open(files, replica, SoloSettings.DEFAULT);
  }

  private SoloLog<Position> open(FileStore files, Replica<Position> replica, SoloSettings settings)
      throws IOException {
    Events events =
        new Events(
            (event, failure) -> {
              throw new AssertionError(event.text(), failure);
            });
    events.subscribe(
        RaftEvent.class,
        event -> {
          synchronized (seen) {
            seen.add(event);
          }
        });
    return SoloLog.open(files, SELF, replica, settings, events);
  }

  private static Position put(SoloLog<Position> log, String entry) {
    return log.propose(Bytes.utf8(entry)).join();
  }

  @Test
  void whatWasAcknowledgedIsThereAfterARestart() throws IOException {
    MemoryFileStore files = new MemoryFileStore();
    try (SoloLog<Position> log = open(files, new MapReplica(disk))) {
      put(log, "a=1");
      put(log, "b=2");
    }
    MapReplica again = new MapReplica(disk);
    try (SoloLog<Position> log = open(files, again)) {
      assertThat(again.map()).containsEntry("a", "1").containsEntry("b", "2");
      assertThat(log.standing().role()).isEqualTo(Standing.Role.LEADER);
      assertThat(log.standing().ready()).isTrue();
      assertThat(log.readBarrier()).isCompleted();
    }
  }

  @Test
  void everyOpeningBeginsATermAndIndexesGoOn() throws IOException {
    MemoryFileStore files = new MemoryFileStore();
    List<Position> positions = new ArrayList<>();
    for (int i = 1; i <= 4; i++) {
      MapReplica replica = new MapReplica(disk);
      try (SoloLog<Position> log = open(files, replica)) {
        assertThat(replica.ledTerms()).containsExactly((long) i);
        assertThat(log.standing().term()).isEqualTo(i);
        positions.add(put(log, "k" + i + "=1"));
        if (i == 2) {
          log.checkpoint(); // the terms are in no log any more
        }
      }
      assertThat(replica.leads()).isFalse();
    }
    assertThat(positions)
        .containsExactly(
            new Position(1, 2), new Position(2, 4), new Position(3, 6), new Position(4, 8));
  }

  @Test
  void replayBeginsBehindWhatTheReplicaHasFlushed() throws IOException {
    MemoryFileStore files = new MemoryFileStore();
    MapReplica first = new MapReplica(disk);
    try (SoloLog<Position> log = open(files, first)) {
      put(log, "a=1");
      first.flush();
      put(log, "b=2");
    }
    MapReplica second = new MapReplica(disk);
    open(files, second).close();
    assertThat(second.log()).containsExactly("1:3 b=2");
    assertThat(second.map()).containsOnlyKeys("a", "b");
  }

  @Test
  void aLargeLogIsFlushedAtTheEndSoThatTheNextOpeningHasLittleToApply() throws IOException {
    SoloSettings settings =
        new SoloSettings(
            ByteSize.ofMiB(1), ByteSize.ofMiB(1), new ByteSize(16_000), 100, ByteSize.ofMiB(1));
    MemoryFileStore files = new MemoryFileStore();
    try (SoloLog<Position> log = open(files, new MapReplica(disk), settings)) {
      put(log, "a=1");
    }
    MapReplica small = new MapReplica(disk);
    try (SoloLog<Position> log = open(files, small, settings)) {
      assertThat(small.log()).as("from the log").containsExactly("1:2 a=1");
      put(log, "b=" + "x".repeat(2_000));
    }
    MapReplica large = new MapReplica(disk);
    open(files, large, settings).close();
    assertThat(large.log()).as("from the log").isEmpty();
    assertThat(large.map()).containsOnlyKeys("a", "b");
  }

  /** Acknowledged before it was on disk: etcd did so with one member. */
  @Test
  void nothingAcknowledgedIsLostByACrashAtAnySync() throws IOException {
    SoloSettings small =
        new SoloSettings(
            new ByteSize(200), new ByteSize(64), new ByteSize(500), 100, ByteSize.ofMiB(1));
    int crashes = 0;
    for (long k = 1; ; k++) {
      MemoryFileStore files = new MemoryFileStore();
      files.crashAtSync(k);
      MapReplica.Disk flushed = new MapReplica.Disk();
      List<String> acknowledged = new ArrayList<>();
      boolean crashed = run(files, flushed, small, acknowledged);
      for (CrashMode mode :
          List.of(
              CrashMode.dropUnsynced(),
              CrashMode.processKilled(),
              CrashMode.tornTails(k, CrashMode.Tail.GARBAGE),
              CrashMode.scattered(k))) {
        MemoryFileStore left = files.crash(mode);
        MapReplica.Disk state = flushed.copy();
        MapReplica replica = new MapReplica(state);
        try (SoloLog<Position> log = open(left, replica, small)) {
          assertThat(replica.map().keySet())
              .as("crash at sync %d, %s", k, mode)
              .containsAll(acknowledged);
          put(log, "after=1");
        }
        MapReplica last = new MapReplica(state);
        open(left.crash(CrashMode.dropUnsynced()), last, small).close();
        assertThat(last.map().keySet()).containsAll(acknowledged).contains("after");
      }
      if (!crashed) {
        break;
      }
      crashes++;
    }
    assertThat(crashes).isGreaterThan(30);
  }

  private boolean run(
      MemoryFileStore files, MapReplica.Disk state, SoloSettings settings, List<String> done)
      throws IOException {
    try (SoloLog<Position> log = open(files, new MapReplica(state), settings)) {
      for (int i = 0; i < 30; i++) {
        put(log, "key" + i + "=" + i);
        done.add("key" + i);
        if (i == 11) {
          log.checkpoint();
        }
      }
      return false;
    } catch (IOException | CompletionException | NotServingException e) {
      return true;
    }
  }

  @Test
  void waitingEntriesShareOneSync() throws Exception {
    MemoryFileStore files = new MemoryFileStore();
    MapReplica map = new MapReplica(disk);
    SoloSettings settings =
        new SoloSettings(
            ByteSize.ofMiB(16), new ByteSize(0), ByteSize.ofMiB(64), 10_000, ByteSize.ofMiB(1));
    try (SoloLog<Position> log = open(files, map, settings)) {
      put(log, "a=0");
      long before = files.calls(StoreCall.SYNC);
      List<CompletableFuture<Position>> answers = new ArrayList<>();
      for (int i = 0; i < 5_000; i++) {
        answers.add(log.propose(Bytes.utf8("k" + i + "=" + i)));
      }
      CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
      assertThat(files.calls(StoreCall.SYNC) - before).isLessThan(2_500);
      for (int i = 1; i < answers.size(); i++) {
        assertThat(answers.get(i).join().index()).isEqualTo(answers.get(i - 1).join().index() + 1);
      }
    }
  }

  @Test
  void aFullQueueRefuses() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Replica<Position> slow = new GatedReplica(new MapReplica(disk), entered, go);
    SoloSettings settings =
        new SoloSettings(
            ByteSize.ofMiB(1), new ByteSize(0), ByteSize.ofMiB(64), 3, ByteSize.ofMiB(1));
    try (SoloLog<Position> log = open(new MemoryFileStore(), slow, settings)) {
      List<CompletableFuture<Position>> taken = new ArrayList<>();
      taken.add(log.propose(Bytes.utf8("a=1")));
      assertThat(entered.await(10, TimeUnit.SECONDS)).isTrue();
      taken.add(log.propose(Bytes.utf8("b=1")));
      taken.add(log.propose(Bytes.utf8("c=1")));
      CompletableFuture<Position> refused = log.propose(Bytes.utf8("d=1"));
      assertThat(refused).isCompletedExceptionally();
      assertThatThrownBy(refused::join)
          .hasCauseInstanceOf(ExhaustedException.class)
          .hasMessageContaining("3 entries");
      go.countDown();
      taken.forEach(CompletableFuture::join);
      put(log, "d=1");
    }
  }

  @Test
  void aCheckpointDropsTheLogAndALargeLogIsDroppedByItself() throws Exception {
    MemoryFileStore files = new MemoryFileStore();
    SoloSettings small =
        new SoloSettings(
            new ByteSize(1_000), new ByteSize(0), new ByteSize(5_000), 100, ByteSize.ofMiB(1));
    MapReplica replica = new MapReplica(disk);
    try (SoloLog<Position> log = open(files, replica, small)) {
      for (int i = 0; i < 20; i++) {
        put(log, "k" + i + "=" + "v".repeat(100));
      }
      assertThat(files.list(SoloSegments.DIRECTORY).size()).isGreaterThan(1);
      assertThat(log.checkpoint()).isEqualTo(new Position(1, 21));
      assertThat(files.list(SoloSegments.DIRECTORY)).isEmpty();
      for (int i = 0; i < 400; i++) {
        put(log, "k" + i + "=" + "v".repeat(100));
        assertThat(files.list(SoloSegments.DIRECTORY).size()).isLessThan(20);
      }
      assertThat(replica.flushed().index()).isGreaterThan(300);
    }
    MapReplica again = new MapReplica(disk);
    open(files, again, small).close();
    assertThat(again.map()).hasSize(400);
  }

  private static void await(CountDownLatch go) {
    try {
      go.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A flush writes and syncs files: entries that waited for it took hundreds of milliseconds. */
  @Test
  void entriesAreAppliedDuringAFlush() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    MapReplica replica = new MapReplica(disk);
    replica.beforeFlush =
        () -> {
          entered.countDown();
          await(go);
        };
    try (SoloLog<Position> log = open(new MemoryFileStore(), replica)) {
      put(log, "before=1");
      CompletableFuture<Position> flushed =
          CompletableFuture.supplyAsync(log::checkpoint, Thread::startVirtualThread);
      try {
        assertThat(entered.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(log.propose(Bytes.utf8("during=1"))).succeedsWithin(10, TimeUnit.SECONDS);
        assertThat(flushed).isNotDone();
      } finally {
        go.countDown(); // the log waits for it when it is closed
      }
      assertThat(flushed).succeedsWithin(10, TimeUnit.SECONDS);
    }
  }

  /** Else it would grow without bound where the disk is slower than those who write. */
  @Test
  void aLogTwiceAsLargeAsItShouldBeWaitsForTheFlush() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    MapReplica replica = new MapReplica(disk);
    replica.beforeFlush = () -> await(go);
    SoloSettings small =
        new SoloSettings(
            new ByteSize(1_000), new ByteSize(0), new ByteSize(5_000), 1_000, ByteSize.ofMiB(1));
    MemoryFileStore files = new MemoryFileStore();
    try (SoloLog<Position> log = open(files, replica, small)) {
      CompletableFuture<Position> last = CompletableFuture.completedFuture(null);
      try {
        for (int i = 0; i < 400 && isDoneSoon(last); i++) {
          last = log.propose(Bytes.utf8("k" + i + "=" + "v".repeat(100)));
        }
        assertThat(last).isNotDone();
      } finally {
        go.countDown(); // the log waits for it when it is closed
      }
      assertThat(last).succeedsWithin(10, TimeUnit.SECONDS);
    }
  }

  private static boolean isDoneSoon(CompletableFuture<?> answer) throws Exception {
    try {
      answer.get(1, TimeUnit.SECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  @Test
  void afterAFailedSyncNothingIsAcknowledgedAndTheFateIsCalledUnknown() throws IOException {
    MemoryFileStore files = new MemoryFileStore();
    MapReplica replica = new MapReplica(disk);
    try (SoloLog<Position> log = open(files, replica)) {
      put(log, "a=1");
      files.failFrom(StoreCall.SYNC, 1, () -> new IOException("the disk is gone"));
      assertThatThrownBy(() -> put(log, "b=1"))
          .hasCauseInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("the disk is gone");
      files.clearFailures();
      assertThatThrownBy(() -> put(log, "c=1")).hasCauseInstanceOf(NotServingException.class);
      assertThatThrownBy(() -> log.readBarrier().join())
          .hasCauseInstanceOf(NotServingException.class);
      assertThat(replica.map()).containsOnlyKeys("a");
      assertThat(log.standing().role()).isEqualTo(Standing.Role.OBSERVER);
    }
    assertThat(replica.leads()).isFalse();
    assertThat(seen).anyMatch(RaftEvent.MemberFailed.class::isInstance);
  }

  @Test
  void aReplicaThatThrowsStopsTheLogAndIsNotSkipped() throws IOException {
    MemoryFileStore files = new MemoryFileStore();
    MapReplica replica = new MapReplica(disk);
    try (SoloLog<Position> log = open(files, replica)) {
      put(log, "a=1");
      assertThatThrownBy(() -> put(log, MapReplica.POISON))
          .hasCauseInstanceOf(OutcomeUnknownException.class);
      assertThatThrownBy(() -> put(log, "b=1")).hasCauseInstanceOf(NotServingException.class);
    }
    assertThatThrownBy(() -> open(files, new MapReplica(disk)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("poisoned");
  }

  @Test
  void aMissingSegmentIsFound() throws IOException {
    MemoryFileStore files = new MemoryFileStore();
    SoloSettings small =
        new SoloSettings(
            new ByteSize(300), new ByteSize(0), ByteSize.ofMiB(64), 100, ByteSize.ofMiB(1));
    try (SoloLog<Position> log = open(files, new MapReplica(disk), small)) {
      for (int i = 0; i < 20; i++) {
        put(log, "k" + i + "=" + "v".repeat(100));
      }
    }
    files.delete(files.list(SoloSegments.DIRECTORY).get(2).path());
    assertThatThrownBy(() -> open(files, new MapReplica(disk), small))
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("entry");
  }

  private static byte[] content(FileStore files, FileInfo info) throws IOException {
    byte[] content = new byte[(int) info.length()];
    try (ReadableFile file = files.open(info.path())) {
      file.read(0, content, 0, content.length);
    }
    return content;
  }

  /**
   * Deletions are not synced, so a crash may undo any of them, in any order. Whatever comes back is
   * below what the replica has flushed, so a gap there is skipped and not taken for a lost segment.
   */
  @Test
  void releasedSegmentsMayComeBackWithGaps() throws IOException {
    SoloSettings small =
        new SoloSettings(
            new ByteSize(300), new ByteSize(0), ByteSize.ofMiB(64), 100, ByteSize.ofMiB(1));
    for (int mask = 0; ; mask++) {
      MapReplica.Disk state = new MapReplica.Disk();
      MemoryFileStore files = new MemoryFileStore();
      List<FilePath> released = new ArrayList<>();
      List<byte[]> contents = new ArrayList<>();
      try (SoloLog<Position> log = open(files, new MapReplica(state), small)) {
        for (int i = 0; i < 12; i++) {
          put(log, "k" + i + "=" + "v".repeat(100));
        }
        for (FileInfo segment : files.list(SoloSegments.DIRECTORY)) {
          released.add(segment.path());
          contents.add(content(files, segment));
        }
        log.checkpoint();
        assertThat(files.list(SoloSegments.DIRECTORY)).isEmpty();
        put(log, "later=1");
      }
      if (mask == 1 << released.size()) {
        assertThat(mask).isGreaterThan(8);
        return;
      }
      for (int i = 0; i < released.size(); i++) {
        if ((mask & 1 << i) != 0) {
          files.replace(released.get(i), contents.get(i));
        }
      }
      for (int opening = 0; opening < 2; opening++) {
        MapReplica again = new MapReplica(state);
        try (SoloLog<Position> log = open(files, again, small)) {
          assertThat(again.map()).as("segments %s", mask).hasSize(13 + opening);
          put(log, "opening" + opening + "=1");
        }
      }
    }
  }

  @Test
  void onlyItselfCanBeAMember() throws IOException {
    try (SoloLog<Position> log = open(new MemoryFileStore(), new MapReplica(disk))) {
      assertThat(log.changeMembers(List.of(SELF))).isCompleted();
      Member other = new Member("m2", "localhost:3", "localhost:4");
      assertThatThrownBy(() -> log.changeMembers(List.of(SELF, other)).join())
          .hasCauseInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("m2");
      assertThatThrownBy(() -> log.transferLead("m2").join())
          .hasCauseInstanceOf(InvalidRequestException.class);
    }
  }

  @Test
  void whatIsProposedAfterTheEndIsRefused() throws IOException {
    SoloLog<Position> log = open(new MemoryFileStore(), new MapReplica(disk));
    log.close();
    log.close();
    assertThatThrownBy(() -> put(log, "a=1")).hasCauseInstanceOf(NotServingException.class);
    assertThatThrownBy(log::checkpoint).isInstanceOf(NotServingException.class);
  }
}
