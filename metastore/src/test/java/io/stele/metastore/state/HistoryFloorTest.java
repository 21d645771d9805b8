package io.stele.metastore.state;

import static io.stele.metastore.state.TestState.bytes;
import static io.stele.metastore.state.TestState.one;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.bytes.Bytes;
import io.stele.base.time.RandomSource;
import io.stele.engine.StoreSettings;
import io.stele.engine.compaction.CompactionSettings;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.ClusterState;
import io.stele.metastore.command.ClusterVersion;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.MetastoreLimits;
import io.stele.metastore.command.Operation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * A compaction raises the floor of the history; what is below it is no part of the state from then
 * on, and leaves the disk when the engine rewrites files. {@link ModelTest} compares all that can
 * be read.
 */
class HistoryFloorTest {
  /** Flushes and merges all the time. */
  private static final StateSettings BUSY =
      TestState.SETTINGS.withStore(
          StoreSettings.DEFAULT
              .withMemory(3_000, 1 << 20)
              .withCompaction(CompactionSettings.DEFAULT.withWidths(2, 4).withGarbagePercent(1)));

  private static final Command TO_FLOOR =
      new Command.SetVersion(new ClusterState(ClusterVersion.WITH_FLOOR, MetastoreLimits.DEFAULT));

  private static byte[] checkpoint(TestState state) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    state.state.writeCheckpoint(out);
    return out.toByteArray();
  }

  /** Sets and removes some keys, a hundred times. */
  private static void work(TestState state, RandomGenerator random) {
    for (int i = 0; i < 100; i++) {
      String key = "/k" + random.nextInt(9);
      if (random.nextInt(4) == 0) {
        state.remove(key);
      } else {
        state.set(key, "value " + i);
      }
    }
  }

  /** Members rewrite their files at other times; what they say of their state must not show it. */
  @Test
  void whatLiesBelowTheFloorIsNotPartOfTheState() throws IOException {
    try (TestState busy = new TestState(BUSY);
        TestState quiet = new TestState();
        TestState copy = new TestState()) {
      for (int round = 0; round < 8; round++) {
        for (TestState member : List.of(busy, quiet)) {
          work(member, RandomSource.seeded(round));
          member.compact(member.state.revision() - 7 * round);
        }
        busy.state.flush();
        assertThat(busy.state.cellCount()).isEqualTo(quiet.state.cellCount());
        assertThat(busy.state.fingerprint()).isEqualTo(quiet.state.fingerprint());
        assertThat(checkpoint(busy)).isEqualTo(checkpoint(quiet));
      }
      copy.state.installCheckpoint(new ByteArrayInputStream(checkpoint(busy)));
      assertThat(copy.state.fingerprint()).isEqualTo(busy.state.fingerprint());
      long floor = busy.state.compacted();
      assertThat(copy.changes(floor))
          .isEqualTo(busy.changes(floor))
          .isEqualTo(quiet.changes(floor));
    }
  }

  @Test
  void ofADeadKeyNothingCountsAndOfALiveOneOneVersion() {
    try (TestState state = new TestState()) {
      state.set("/dead", "x");
      for (int i = 0; i < 20; i++) {
        state.set("/live", "x");
      }
      state.remove("/dead");
      state.set("/other", "x");
      state.compact(state.state.revision());
      // The two keys, the change of the newest revision, what is compacted, the version.
      assertThat(state.state.cellCount()).isEqualTo(5);
    }
  }

  private static void setOften(TestState state, int times) {
    for (int i = 0; i < times; i++) {
      Operation put =
          new Operation.Put(bytes("/key" + i % 20), Bytes.wrap(new byte[1_000]), 0, false);
      state.run(put);
    }
  }

  @Test
  void theDiskShrinksWithoutAnyCall() {
    try (TestState state = new TestState()) {
      setOften(state, 2_000);
      state.state.flush();
      long before = state.state.diskBytes();
      assertThat(before).isGreaterThan(2_000_000);
      state.compact(state.state.revision());
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(state.state.diskBytes()).isLessThan(before / 20));
      assertThat(state.at(0)).hasSize(20);
      state.reopen();
      assertThat(state.at(0)).hasSize(20);
      assertThat(state.state.revision()).isEqualTo(2_001);
    }
  }

  /** The floor is known from what is stored, without another compaction. */
  @Test
  void whatWasNotDroppedBeforeARestartIsDroppedAfterIt() {
    StateSettings usual = TestState.SETTINGS;
    try (TestState state = new TestState(usual.withStore(usual.store().withAutoCompact(false)))) {
      setOften(state, 2_000);
      state.compact(state.state.revision());
      state.state.flush();
      long before = state.state.diskBytes();
      state.settings = usual;
      state.reopen();
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(state.state.diskBytes()).isLessThan(before / 20));
    }
  }

  @Test
  void theDiskShrinksToNothingWhenAllKeysAreDeleted() {
    try (TestState state = new TestState()) {
      setOften(state, 1_000);
      for (int i = 0; i < 20; i++) {
        state.remove("/key" + i);
      }
      state.compact(state.state.revision());
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> {
                assertThat(state.state.diskBytes()).isPositive().isLessThan(10_000);
              });
      assertThat(state.at(0)).isEmpty();
    }
  }

  /** The thread that applies the log writes a cell, whatever is given up. */
  @Test
  void aCompactionIsAppliedInOneSmallWrite() {
    StateSettings inMemory =
        TestState.SETTINGS.withStore(
            StoreSettings.DEFAULT.withMemory(8 << 20, 16 << 20).withAutoCompact(false));
    try (TestState state = new TestState(inMemory)) {
      setOften(state, 900);
      long before = state.state.bytes();
      state.compact(state.state.revision());
      assertThat(state.apply(new Command.Reclaim(10_000))).isEqualTo(new Answer.Reclaimed(false));
      assertThat(state.state.bytes() - before).isLessThan(1_000);
    }
  }

  /** Otherwise a store could stay above its quota however much is compacted. */
  @Test
  void whatIsGivenUpIsNotInUseEvenBeforeItIsDropped() {
    StateSettings still =
        TestState.SETTINGS.withStore(TestState.SETTINGS.store().withAutoCompact(false));
    try (TestState state = new TestState(still)) {
      setOften(state, 2_000);
      state.state.flush();
      long before = state.state.bytes();
      assertThat(state.state.bytesInUse()).isEqualTo(before);
      state.compact(state.state.revision());
      assertThat(state.state.bytes()).isGreaterThanOrEqualTo(before);
      assertThat(state.state.bytesInUse()).isLessThan(before / 10);
    }
  }

  /** As an older program left it: some of what is compacted was dropped by commands, some not. */
  @Test
  void aHalfReclaimedStateIsTakenOver() throws IOException {
    try (TestState busy = new TestState(BUSY, ClusterVersion.WITH_FLOOR - 1);
        TestState quiet = new TestState(TestState.SETTINGS, ClusterVersion.WITH_FLOOR - 1)) {
      for (TestState state : List.of(busy, quiet)) {
        work(state, RandomSource.seeded(1));
        state.compact(60);
        state.apply(new Command.Reclaim(20));
      }
      List<String> keys = quiet.at(60, one("/k3"));
      List<String> changes = quiet.changes(60);
      busy.state.flush();
      busy.reopen();
      for (TestState state : List.of(busy, quiet)) {
        state.apply(TO_FLOOR);
        state.apply(new Command.Reclaim(20)); // was proposed before
        assertThat(state.state.reclaimed()).isEqualTo(20);
        assertThat(state.at(60, one("/k3"))).isEqualTo(keys);
        assertThat(state.changes(60)).isEqualTo(changes);
      }
      busy.state.flush();
      busy.reopen();
      assertThat(busy.changes(60)).isEqualTo(changes);
      assertThat(busy.state.fingerprint()).isEqualTo(quiet.state.fingerprint());
      assertThat(checkpoint(busy)).isEqualTo(checkpoint(quiet));
      assertThat(busy.state.revision()).isEqualTo(quiet.state.revision());
    }
  }

  /** All that was compacted before the version was raised goes, without a compaction after it. */
  @Test
  void raisingTheVersionGivesBackWhatOlderMembersHadNotDropped() {
    try (TestState state = new TestState(TestState.SETTINGS, ClusterVersion.WITH_FLOOR - 1)) {
      setOften(state, 1_000);
      state.compact(state.state.revision());
      state.state.flush();
      long before = state.state.diskBytes();
      state.apply(TO_FLOOR);
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(state.state.diskBytes()).isLessThan(before / 10));
    }
  }
}
