package io.stele.tables.meta;

import static io.stele.tables.meta.Configs.tablet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.MetaTable.Change;
import io.stele.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ConfigWriterTest {
  private final MemoryMeta meta = new MemoryMeta();
  private final MetaTable table = new MetaTable(meta, new MemoryRoot());
  private final ManualClock clock = new ManualClock();
  private final List<TableEvent> events = new ArrayList<>();
  private final ConfigWriter writer = new ConfigWriter(table, clock, events::add);
  private final ConfigLane lane = writer.lane("t"); // driven by hand, unless the writer is started

  @AfterEach
  void close() {
    writer.close();
  }

  /** "async, coalesced"; "many saves, one write" */
  @Test
  void savesThatWaitBecomeOneWriteOfWhatTheTabletIsThen() {
    AtomicReference<TabletConfig> now = new AtomicReference<>(tablet("", "!"));
    AtomicInteger asked = new AtomicInteger();
    List<CompletableFuture<Long>> saves = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      saves.add(
          writer.save(
              now.get().key(),
              () -> {
                asked.incrementAndGet();
                return Optional.of(now.get());
              }));
      now.updateAndGet(config -> config.withServer("server:2", List.of()));
    }
    assertThat(lane.runOnce()).isTrue();
    assertThat(lane.runOnce()).isFalse();
    assertThat(meta.applies()).isEqualTo(1);
    assertThat(asked).as("what the tablet is").hasValue(1);
    assertThat(table.tablets("t")).containsExactly(now.get());
    assertThat(saves).allSatisfy(save -> assertThat(save).isCompletedWithValue(1L));
  }

  @Test
  void tabletsThatWaitShareABatch() {
    CompletableFuture<Long> one = save(tablet("", "c"));
    CompletableFuture<Long> other = save(tablet("c", "!"));
    lane.runOnce();
    assertThat(meta.applies()).isEqualTo(1);
    assertThat(one).isCompletedWithValue(1L);
    assertThat(other).isCompletedWithValue(1L);
    assertThat(save(tablet("", "c"))).isNotCompleted();
    lane.runOnce();
    assertThat(meta.applies()).isEqualTo(2);
  }

  @Test
  void aSaveDuringAWriteIsAWriteOfItsOwn() {
    AtomicReference<TabletConfig> now = new AtomicReference<>(tablet("", "!"));
    List<CompletableFuture<Long>> later = new ArrayList<>();
    var _ =
        writer.save(
            now.get().key(),
            () -> {
              TabletConfig written = now.get();
              now.set(written.withServer("server:2", List.of()));
              later.add(writer.save(written.key(), () -> Optional.of(now.get())));
              return Optional.of(written);
            });
    lane.runOnce();
    assertThat(table.tablets("t")).containsExactly(tablet("", "!"));
    assertThat(later.getFirst()).isNotCompleted();
    lane.runOnce();
    assertThat(later.getFirst()).isCompletedWithValue(2L);
    assertThat(table.tablets("t")).containsExactly(now.get());
  }

  @Test
  void aFailedSaveIsTriedAgainLaterAndLater() {
    meta.failWith(() -> Optional.of(new UnavailableException("not now")));
    CompletableFuture<Long> save = save(tablet("", "!"));
    assertThat(lane.runOnce()).isTrue();
    for (int failures = 1; failures <= 12; failures++) {
      Duration delay = ConfigLane.delay(failures);
      clock.advance(delay.minusNanos(1));
      assertThat(lane.runOnce()).as("before %s have passed", delay).isFalse();
      clock.advance(Duration.ofNanos(1));
      assertThat(lane.runOnce()).as("after %s", delay).isTrue();
    }
    assertThat(ConfigLane.delay(1)).isEqualTo(Duration.ofMillis(50));
    assertThat(ConfigLane.delay(3)).isEqualTo(Duration.ofMillis(200));
    assertThat(ConfigLane.delay(1000)).isEqualTo(Duration.ofSeconds(5));
    assertThat(events).hasSize(13).hasOnlyElementsOfType(TableEvent.BackgroundFailed.class);
    meta.failWith(Optional::empty);
    clock.advance(Duration.ofSeconds(5));
    lane.runOnce();
    assertThat(save).isCompletedWithValue(1L);
    assertThat(save(tablet("", "!"))).isNotCompleted();
    assertThat(lane.runOnce()).as("at once after a success").isTrue();
  }

  @Test
  void aSaveOfUnknownOutcomeIsRepeatedAndANewerOneTakesItIn() {
    meta.failWith(() -> Optional.of(new OutcomeUnknownException("no answer")));
    AtomicReference<CompletableFuture<Long>> newer = new AtomicReference<>();
    CompletableFuture<Long> older =
        writer.save(
            tablet("", "!").key(),
            () -> {
              newer.set(save(tablet("", "!").withServer("server:2", List.of())));
              return Optional.of(tablet("", "!"));
            });
    lane.runOnce();
    meta.failWith(Optional::empty);
    clock.advance(Duration.ofSeconds(1));
    lane.runOnce();
    assertThat(older).isCompletedWithValue(1L);
    assertThat(newer.get()).isCompletedWithValue(1L);
    assertThat(table.tablets("t").getFirst().location()).isEqualTo("server:2");
    assertThat(lane.runOnce()).isFalse();
  }

  @Test
  void aSaveThatCanNeverSucceedFailsAloneAndAtOnce() {
    CompletableFuture<Long> good = save(tablet("", "c"));
    CompletableFuture<Long> bad =
        writer.save(
            tablet("c", "d").key(),
            () -> Optional.of(TabletConfig.empty("META1", Bytes.EMPTY, Optional.empty())));
    CompletableFuture<Long> broken =
        writer.save(
            tablet("d", "e").key(),
            () -> {
              throw new IllegalStateException("broken");
            });
    lane.runOnce();
    assertThat(good).isCompleted();
    assertThatThrownBy(bad::join).hasCauseInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(broken::join).hasCauseInstanceOf(IllegalStateException.class);
    assertThat(table.tablets("t")).containsExactly(tablet("", "c"));
    assertThat(lane.runOnce()).isFalse();
  }

  @Test
  void aTabletThatWentAwayIsNotSaved() {
    CompletableFuture<Long> save = writer.save(tablet("", "!").key(), Optional::empty);
    lane.runOnce();
    assertThat(save).isCompletedWithValue(0L);
    assertThat(meta.applies()).isZero();
  }

  /** A save from before a split must not be written after it. */
  @Test
  void changesOfSeveralTabletsKeepTheirPlaceAmongSaves() {
    AtomicReference<TabletConfig> upper = new AtomicReference<>(tablet("", "!"));
    CompletableFuture<Long> before = writer.save(upper.get().key(), () -> Optional.of(upper.get()));
    CompletableFuture<Long> split =
        writer
            .replace("t", () -> new Change(List.of(tablet("", "m"), tablet("m", "!")), List.of()))
            .thenApply(
                txn -> {
                  upper.set(tablet("m", "!"));
                  return txn;
                });
    CompletableFuture<Long> other = save(tablet("x", "y"));
    lane.runOnce();
    assertThat(before).isCompletedWithValue(1L);
    assertThat(split).isNotCompleted();
    var _ = writer.save(upper.get().key(), () -> Optional.of(upper.get()));
    lane.runOnce();
    assertThat(split).isCompletedWithValue(2L);
    assertThat(other).isNotCompleted();
    lane.runOnce();
    assertThat(other).isCompletedWithValue(3L);
    assertThat(table.tablets("t"))
        .containsExactly(tablet("", "m"), tablet("x", "y"), tablet("m", "!"));
  }

  /** Else the change, which may have been decided upon earlier, would undo what was saved. */
  @Test
  void aSaveDoesNotJoinOneThatWaitsBeforeAChangeOfSeveralTablets() {
    CompletableFuture<Long> before = save(tablet("", "!", "1"));
    var _ =
        writer.replace(
            "t", () -> new Change(List.of(tablet("", "m"), tablet("", "!", "1")), List.of()));
    CompletableFuture<Long> after = save(tablet("", "!", "1", "2"));
    lane.runOnce();
    lane.runOnce();
    assertThat(before).isCompletedWithValue(1L);
    assertThat(after).isNotCompleted();
    lane.runOnce();
    assertThat(after).isCompletedWithValue(3L);
    assertThat(table.tablets("t")).containsExactly(tablet("", "m"), tablet("", "!", "1", "2"));
  }

  /**
   * A save that waits behind a split finds the halves, however late the splitter's thread wakes.
   */
  @Test
  void aSplitIsInPlaceBeforeAnythingElseIsWritten() {
    AtomicReference<TabletConfig> upper = new AtomicReference<>(tablet("", "!"));
    writer.start();
    CompletableFuture<Void> queued = new CompletableFuture<>();
    CompletableFuture<Long> split =
        writer.replace(
            "t",
            () -> {
              queued.join();
              return new Change(List.of(tablet("", "m"), tablet("m", "!")), List.of());
            },
            ConfigGuard.NONE,
            () -> upper.set(tablet("m", "!")));
    CompletableFuture<Long> behind = writer.save(upper.get().key(), () -> Optional.of(upper.get()));
    queued.complete(null);
    assertThat(behind.join()).isEqualTo(2);
    assertThat(split).isCompletedWithValue(1L);
    assertThat(table.tablets("t")).containsExactly(tablet("", "m"), tablet("m", "!"));
  }

  @Test
  void whatFailsAfterAChangeIsToldToWhoAskedForIt() {
    CompletableFuture<Long> split =
        writer.replace(
            "t",
            () -> new Change(List.of(tablet("", "!")), List.of()),
            ConfigGuard.NONE,
            () -> {
              throw new IllegalStateException("gone meanwhile");
            });
    lane.runOnce();
    assertThatThrownBy(split::join).hasCauseInstanceOf(IllegalStateException.class);
    assertThat(writer.drain()).isCompleted();
  }

  /** "if the META sync fails the split has not happened" */
  @Test
  void aChangeOfSeveralTabletsIsTriedOnce() {
    meta.failWith(() -> Optional.of(new UnavailableException("not now")));
    CompletableFuture<Long> split =
        writer.replace(
            "t", () -> new Change(List.of(tablet("", "m"), tablet("m", "!")), List.of()));
    lane.runOnce();
    assertThatThrownBy(split::join).hasCauseInstanceOf(UnavailableException.class);
    assertThat(lane.runOnce()).isFalse();
    assertThat(meta.applies()).isEqualTo(1);
  }

  @Test
  void drainWaitsForWhatWasAskedForAndNoLonger() {
    CompletableFuture<Long> save = save(tablet("", "!"));
    CompletableFuture<Void> drained = writer.drain();
    assertThat(drained).isNotDone();
    lane.runOnce();
    assertThat(save).isCompleted();
    assertThat(drained).isCompleted();
    var _ =
        writer.replace(
            "t",
            () -> {
              throw new UnavailableException("no");
            });
    CompletableFuture<Void> again = writer.drain();
    lane.runOnce();
    assertThat(again).as("a failure is an end, too").isCompleted();
    assertThat(writer.drain()).isCompleted();
  }

  @Test
  void whatStillWaitsFailsWhenItIsClosed() {
    CompletableFuture<Long> waiting = save(tablet("", "!"));
    writer.close();
    assertThatThrownBy(waiting::join).hasCauseInstanceOf(UnavailableException.class);
    assertThatThrownBy(() -> save(tablet("", "!")).join())
        .hasCauseInstanceOf(UnavailableException.class);
  }

  /** META1's own tablets must get through while writes to META1 hang. */
  @Test
  void eachLevelGoesOnWhileAnotherHangs() {
    CompletableFuture<Void> hanging = new CompletableFuture<>();
    AtomicInteger asked = new AtomicInteger();
    writer.start();
    CompletableFuture<Long> stuck =
        writer.save(
            tablet("", "!").key(),
            () -> {
              asked.incrementAndGet();
              hanging.join();
              return Optional.of(tablet("", "!"));
            });
    TabletConfig ofMeta1 = TabletConfig.empty("META1", Bytes.EMPTY, Optional.empty());
    TabletConfig ofMeta0 = TabletConfig.empty("META0", Bytes.EMPTY, Optional.empty());
    assertThat(save(ofMeta1).join()).isEqualTo(1);
    assertThat(save(ofMeta0).join()).isZero();
    assertThat(stuck).isNotCompleted();
    hanging.complete(null);
    assertThat(stuck.join()).isEqualTo(2);
    assertThat(asked).hasValue(1);
    writer.drain().join();
  }

  @Test
  void manyThreadsHaveTheirTabletsSaved() throws InterruptedException {
    writer.start();
    List<AtomicReference<TabletConfig>> tablets = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      String last = i == 7 ? "!" : "" + (i + 1);
      AtomicReference<TabletConfig> now = new AtomicReference<>(tablet(i == 0 ? "" : "" + i, last));
      tablets.add(now);
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    for (int n = 0; n < 200; n++) {
                      now.updateAndGet(config -> config.withServer("server:3", List.of()));
                      var _ = writer.save(now.get().key(), () -> Optional.of(now.get()));
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    writer.drain().join();
    assertThat(table.tablets("t")).isEqualTo(tablets.stream().map(AtomicReference::get).toList());
    assertThat(table.verify("t", new MetaVerifier(f -> true, l -> true, (f, r) -> true)))
        .extracting(problem -> problem.kind().name())
        .containsExactly("INVALID_SCHEMA");
  }

  private CompletableFuture<Long> save(TabletConfig config) {
    return writer.save(config.key(), () -> Optional.of(config));
  }
}
