package io.stele.metastore.state;

import static io.stele.metastore.state.TestState.one;
import static io.stele.metastore.state.TestState.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.file.MemoryFileStore;
import io.stele.engine.Store;
import io.stele.engine.StoreSettings;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.ClusterVersion;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.MetastoreLimits;
import io.stele.metastore.command.RefusedException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Compaction and reclaiming, as members of cluster version 2 do them: nothing that may be asked for
 * is lost, and the rest goes. Since then it is the engine that drops the rest: {@link
 * HistoryFloorTest}.
 */
class HistoryTest {
  private static final int RECLAIMING = ClusterVersion.WITH_FLOOR - 1;

  private final TestState state = new TestState(TestState.SETTINGS, RECLAIMING);

  @AfterEach
  void close() {
    state.close();
  }

  private static void assertCompacted(ThrowingCallable read) {
    assertThatThrownBy(read)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.refused().kind()).isEqualTo(Kind.COMPACTED));
  }

  private void reclaimAll(int chunk) {
    while (((Answer.Reclaimed) state.apply(new Command.Reclaim(chunk))).more()) {
      // on
    }
  }

  @Test
  void compactionSetsTheFloorAtOnce() {
    state.set("/a", "1");
    state.set("/a", "2");
    state.set("/a", "3");
    assertThat(state.compact(3)).isEqualTo(new Answer.Done());
    assertCompacted(() -> state.at(2));
    assertThat(state.at(3)).containsExactly("/a=2@2,3,2");
    assertCompacted(() -> state.changes(2));
    assertThat(state.changes(3)).containsExactly("3 +/a=2 was 1", "4 +/a=3 was 2");
    assertThat(((Refused) state.compact(3)).kind()).isEqualTo(Kind.COMPACTED);
    assertThat(((Refused) state.compact(2)).kind()).isEqualTo(Kind.COMPACTED);
    assertThat(((Refused) state.compact(5)).kind()).isEqualTo(Kind.FUTURE_REVISION);
    state.state.flush();
    state.reopen();
    assertThat(state.state.compacted()).isEqualTo(3);
    assertCompacted(() -> state.at(2, one("/a")));
  }

  @Test
  void aDeletionAtTheFloorIsReadRightAndTheOneAboveItIsStillTold() {
    state.set("/a", "1");
    state.set("/b", "1");
    state.remove("/a");
    state.remove("/b");
    state.compact(4);
    reclaimAll(100);
    assertThat(state.at(4)).containsExactly("/b=1@3,3,1");
    assertThat(state.at(4, one("/a"))).isEmpty();
    assertThat(state.changes(5)).containsExactly("5 -/b was 1");
    state.set("/c", "1");
    state.compact(5);
    reclaimAll(100);
    assertThat(state.at(5)).isEmpty();
    assertThat(state.changes(5)).containsExactly("5 -/b was 1", "6 +/c=1");
    state.reopen();
    assertThat(state.at(5)).isEmpty();
    assertThat(state.changes(5)).containsExactly("5 -/b was 1", "6 +/c=1");
  }

  @Test
  void aVersionThatAnEarlierCompactionKeptGoesWithALaterOne() {
    state.set("/a", "1");
    state.set("/a", "2");
    state.compact(3);
    reclaimAll(1);
    long before = state.state.cellCount();
    state.set("/a", "3");
    state.compact(4);
    reclaimAll(1);
    assertThat(state.state.cellCount()).isEqualTo(before);
  }

  @Test
  void whatIsReclaimedIsGoneAndTheRestCanBeReadWhateverTheChunks() {
    for (int chunk : new int[] {1, 3, 1000}) {
      try (TestState other = new TestState(TestState.SETTINGS, RECLAIMING)) {
        Map<Long, List<String>> expected = new HashMap<>();
        for (int i = 0; i < 60; i++) {
          if (i % 7 == 3) {
            other.remove("/k" + i % 5);
          } else {
            other.run(put("/k" + i % 5, "" + i), put("/j" + i % 3, "" + i));
          }
          expected.put(other.state.revision(), other.at(0));
        }
        for (long floor : new long[] {10, 11, 30, other.state.revision()}) {
          other.compact(floor);
          while (((Answer.Reclaimed) other.apply(new Command.Reclaim(chunk))).more()) {
            assertThat(other.at(floor)).isEqualTo(expected.get(floor));
          }
          for (long revision = floor; revision <= other.state.revision(); revision++) {
            assertThat(other.at(revision)).isEqualTo(expected.get(revision));
          }
          assertThat(
                  other.changes(floor).stream()
                      .map(text -> text.substring(0, text.indexOf(' ')))
                      .distinct())
              .hasSize((int) (other.state.revision() - floor + 1));
          other.reopen();
        }
        assertThat(other.state.reclaimed()).isEqualTo(other.state.revision() - 1);
      }
    }
  }

  @Test
  void onlyOneVersionOfALiveKeyAndNothingOfADeadOneIsLeftWhenAllIsReclaimed() {
    state.set("/dead", "x");
    for (int i = 0; i < 20; i++) {
      state.set("/live", "x");
    }
    state.remove("/dead");
    state.set("/other", "x");
    state.compact(state.state.revision());
    reclaimAll(7);
    // The two keys, the change of the newest revision, the two numbers of the history, the version.
    assertThat(state.state.cellCount()).isEqualTo(6);
    state.state.flush();
    assertThat(state.state.cellCount()).isEqualTo(6);
  }

  @Test
  void aReadThatACompactionOvertookIsNotAnswered() {
    try (Store store =
        new Store.Builder(new MemoryFileStore())
            .settings(StoreSettings.DEFAULT.withLogged(false))
            .open()) {
      StateTables tables = new StateTables(store, MetastoreLimits.DEFAULT);
      tables.setRevision(9);
      StateReader reader = new StateReader(tables);
      assertCompacted(
          () ->
              reader.at(
                  5,
                  revision -> {
                    tables.setCompacted(6);
                    return revision;
                  }));
      // The newest is read again.
      long read =
          reader.at(
              0,
              revision -> {
                if (revision == 9) {
                  tables.setRevision(12);
                  tables.setCompacted(11);
                }
                return revision;
              });
      assertThat(read).isEqualTo(12);
    }
  }

  @Test
  void reclaimingStopsWhenItHasDroppedEnoughKeys() {
    try (TestState small =
        new TestState(
            TestState.SETTINGS.withLimits(
                new MetastoreLimits(128, 1 << 20, 4096, 1 << 20, 3, 100, 100, 1 << 20)),
            RECLAIMING)) {
      for (int i = 0; i < 6; i++) {
        small.run(put("/a" + i, "1"), put("/b" + i, "1"));
      }
      small.compact(7);
      assertThat(small.apply(new Command.Reclaim(100))).isEqualTo(new Answer.Reclaimed(true));
      assertThat(small.state.reclaimed()).isEqualTo(3);
      assertThat(small.apply(new Command.Reclaim(100))).isEqualTo(new Answer.Reclaimed(true));
      assertThat(small.apply(new Command.Reclaim(100))).isEqualTo(new Answer.Reclaimed(false));
      assertThat(small.at(7)).hasSize(12);
    }
  }

  /**
   * Each step is on the thread that applies the log: what it takes must not grow with the versions
   * that a key had.
   */
  @Test
  void aStepTakesNoLongerForAKeyOfManyVersions() {
    medianStep("/warm", 500);
    long few = medianStep("/few", 500);
    long many = medianStep("/many", 10_000);
    assertThat(many).as("nanoseconds of a step; %d for few versions", few).isLessThan(5 * few);
  }

  /** The time of a processor for one revision, after very many of the same key were dropped. */
  private long medianStep(String key, int versions) {
    for (int i = 0; i < versions; i++) {
      state.set(key, "" + i);
    }
    state.compact(state.state.revision());
    state.apply(new Command.Reclaim(versions - 200));
    List<Long> steps = new ArrayList<>();
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    for (int i = 0; i < 200; i++) {
      long before = threads.getCurrentThreadCpuTime();
      assertThat(state.apply(new Command.Reclaim(1))).isInstanceOf(Answer.Reclaimed.class);
      steps.add(threads.getCurrentThreadCpuTime() - before);
    }
    assertThat(state.at(state.state.revision())).anyMatch(text -> text.startsWith(key + "="));
    return steps.stream().sorted().toList().get(steps.size() / 2);
  }

  @Test
  void reclaimingWithNothingToDropChangesNothing() {
    state.set("/a", "1");
    String before = state.state.fingerprint();
    assertThat(state.apply(new Command.Reclaim(10))).isEqualTo(new Answer.Reclaimed(false));
    assertThat(state.state.fingerprint()).isEqualTo(before);
  }

  @Test
  void readersBesideACompactionSeeAWholeRevisionOrAreToldThatItIsGone() throws Exception {
    for (int i = 0; i < 50; i++) {
      state.run(put("/a", "" + i), put("/b", "" + i));
    }
    AtomicBoolean stop = new AtomicBoolean();
    List<Throwable> failures = new ArrayList<>();
    Thread reader =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    while (!stop.get()) {
                      long revision = Math.max(2, state.state.compacted());
                      try {
                        checkWhole(state.at(revision), revision);
                        checkWhole(state.at(0), 0);
                      } catch (RefusedException e) {
                        assertThat(e.refused().kind()).isEqualTo(Kind.COMPACTED);
                      }
                    }
                  } catch (Throwable e) {
                    failures.add(e);
                  }
                });
    for (int i = 50; i < 1_500; i++) {
      state.run(put("/a", "" + i), put("/b", "" + i));
      state.compact(state.state.revision() - 2);
      state.apply(new Command.Reclaim(3));
    }
    stop.set(true);
    reader.join();
    assertThat(failures).isEmpty();
  }

  private static void checkWhole(List<String> keys, long revision) {
    assertThat(keys).hasSize(2);
    String value = keys.getFirst().substring(3, keys.getFirst().indexOf('@'));
    assertThat(keys.getLast()).startsWith("/b=" + value + "@");
    if (revision > 0) {
      assertThat(value).isEqualTo("" + (revision - 2));
    }
  }
}
