package io.stele.metastore.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.UnavailableException;
import io.stele.engine.Store;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.ClusterState;
import io.stele.metastore.command.ClusterVersion;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.EntryCodec;
import io.stele.metastore.command.MetastoreLimits;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.RefusedException;
import io.stele.metastore.key.OpaqueKey;
import io.stele.metastore.raft.Position;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What members apply depends on what all of them can apply, and on nobody's own settings. */
class ClusterVersionTest {
  private static final MetastoreLimits SMALL = new MetastoreLimits(8, 2_000, 300, 5, 6, 2, 2, 5, 9);
  private static final StateSettings STRICT = TestState.SETTINGS.withLimits(SMALL);

  private static Command set(int version, MetastoreLimits limits) {
    return new Command.SetVersion(new ClusterState(version, limits));
  }

  @Test
  void aStateBeginsAtTheFirstVersionWithTheLimitsOfItsMember() {
    try (TestState test = new TestState(STRICT, ClusterVersion.FIRST)) {
      assertThat(test.state.cluster()).isEqualTo(new ClusterState(1, SMALL));
      assertThat(test.run(TestState.put("/a", "too long"))).isInstanceOf(Answer.Refused.class);
    }
  }

  @Test
  void theLimitsOfTheLogHoldWhateverAMemberWasStartedWith() {
    try (TestState strict = new TestState(STRICT, ClusterVersion.FIRST);
        TestState lenient = new TestState(TestState.SETTINGS, ClusterVersion.FIRST)) {
      List<Command> entry =
          List.of(
              set(2, MetastoreLimits.DEFAULT),
              new Command.Transact(
                  Origin.NOBODY, TestState.transaction(TestState.put("/a", "a long value"))));
      assertThat(strict.applyAll(entry).answers()).isEqualTo(lenient.applyAll(entry).answers());
      assertThat(strict.get("/a")).contains("a long value");
      assertThat(strict.state.fingerprint()).isEqualTo(lenient.state.fingerprint());

      strict.state.flush();
      strict.reopen();
      assertThat(strict.state.cluster())
          .as("stored")
          .isEqualTo(new ClusterState(2, MetastoreLimits.DEFAULT));
    }
  }

  @Test
  void limitsCanChangeLater() {
    try (TestState test = new TestState()) {
      assertThat(test.apply(set(ClusterVersion.NEWEST, SMALL))).isEqualTo(new Answer.Done());
      assertThat(test.run(TestState.put("/a", "too long"))).isInstanceOf(Answer.Refused.class);
      assertThat(test.run(TestState.put("/a", "short"))).isInstanceOf(Answer.Transacted.class);
    }
  }

  @Test
  void aVersionNeverFalls() {
    try (TestState test = new TestState()) {
      assertThat(test.apply(set(1, SMALL)))
          .isInstanceOfSatisfying(
              Answer.Refused.class,
              refused -> assertThat(refused.message()).contains("it is 3 already"));
      assertThat(test.state.cluster()).isEqualTo(new ClusterState(3, MetastoreLimits.DEFAULT));
    }
  }

  /** Members of the first version drop the changes of the compacted revision too. */
  @Test
  void aCompactionLeavesItsOwnRevisionFromTheSecondVersionOn() {
    try (TestState test = new TestState(TestState.SETTINGS, ClusterVersion.FIRST)) {
      for (int i = 0; i < 10; i++) {
        test.set("/k", "v" + i);
      }
      test.compact(4);
      test.apply(new Command.Reclaim(1_000));
      assertThat(test.state.reclaimed()).isEqualTo(4);
      assertThatThrownBy(() -> test.changes(4)).isInstanceOf(RefusedException.class);
      assertThat(test.changes(5)).hasSize(7);

      test.apply(set(2, MetastoreLimits.DEFAULT));
      test.compact(8);
      test.apply(new Command.Reclaim(1_000));
      assertThat(test.state.reclaimed()).isEqualTo(7);
      assertThat(test.changes(8)).hasSize(4);
    }
  }

  /** They delete all keys of a lease at once, and have no bound for them. */
  @Test
  void aLeaseHasABoundFromTheSecondVersionOn() {
    try (TestState test = new TestState(STRICT, ClusterVersion.FIRST)) {
      test.apply(new Command.GrantLease(1, Duration.ofSeconds(10)));
      for (int i = 0; i < 10; i++) {
        assertThat(lease(test, i)).isInstanceOf(Answer.Transacted.class);
      }
      test.apply(new Command.RevokeLease("", 1));
      assertThat(test.state.changes(12, 1 << 20, false).getFirst().changes()).hasSize(10);

      test.apply(set(2, SMALL));
      test.apply(new Command.GrantLease(1, Duration.ofSeconds(10)));
      assertThat(lease(test, 0)).isInstanceOf(Answer.Transacted.class);
      assertThat(lease(test, 1)).isInstanceOf(Answer.Transacted.class);
      assertThat(lease(test, 2)).isInstanceOf(Answer.Refused.class);
    }
  }

  private static Answer lease(TestState test, int key) {
    return test.run(
        new Operation.Assign(
            OpaqueKey.of(new byte[] {(byte) key}), Bytes.EMPTY, 1, false, false, false));
  }

  @Test
  void aCheckpointCarriesTheVersion() throws IOException {
    try (TestState test = new TestState();
        TestState other = new TestState(STRICT, ClusterVersion.FIRST)) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      test.state.writeCheckpoint(out);
      other.state.installCheckpoint(new ByteArrayInputStream(out.toByteArray()));
      assertThat(other.state.cluster()).isEqualTo(test.state.cluster());
    }
  }

  @Test
  void anEntryOfANewerProgramStopsTheMemberAndSaysWhatToDo() {
    try (TestState test = new TestState()) {
      byte[] entry = EntryCodec.encode(List.of(new Command.TakeFingerprint())).toArray();
      entry[0] = 4;
      assertThatThrownBy(() -> test.state.apply(new Position(1, 2), Bytes.wrap(entry)))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("log entry 1:2 is of cluster version 4");
    }
  }

  @Test
  void aStateOfANewerProgramIsNotOpened() throws IOException {
    TestState test = new TestState();
    test.close();
    ByteBuilder newer = new ByteBuilder(8);
    newer.putVarint(4).putVarint(99);
    try (Store store =
        new Store.Builder(StateDirectory.open(test.files, TestState.DIRECTORY).files())
            .settings(TestState.SETTINGS.store())
            .open()) {
      store.applyLogged(
          new CellBatchBuilder()
              .put(Rows.CLUSTER, Rows.OTHERS, Bytes.EMPTY, 0, newer.toBytes())
              .build(),
          1L << 40);
      store.flush();
    }
    assertThatThrownBy(
            () -> MetastoreState.open(test.files, TestState.DIRECTORY, TestState.SETTINGS))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("cluster version 4");
  }
}
