package io.stele.metastore.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.engine.StoreSettings;
import io.stele.metastore.RangeRead;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.ClusterVersion;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.MetastoreLimits;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.OperationResult;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.ReadSet;
import io.stele.metastore.command.Selection;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.key.OpaqueKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Deletions of more keys than a transaction may change. */
class SweepTest {
  private static final KeyRange ALL = OpaqueKey.range(new byte[0], null);
  private static final int KEYS = 95;

  /** A transaction changes ten keys, and so does a part. */
  private static final StateSettings SMALL =
      TestState.SETTINGS.withLimits(
          new MetastoreLimits(128, 1 << 20, 4_000, 1 << 20, 10, 10, 10, 1 << 20));

  /**
   * Mem fragments that a few parts fill, and writes that wait when there are two: so the beginning
   * of a sweep is on disk before its end, and its end is not.
   */
  private static final StateSettings TINY =
      SMALL.withStore(StoreSettings.DEFAULT.withMemory(4_000, 8_000));

  private static Bytes key(String name) {
    return OpaqueKey.of(name.getBytes(StandardCharsets.UTF_8));
  }

  private static String name(int number) {
    return "k%03d".formatted(number);
  }

  private static KeyRange range(int from, int to) {
    return new KeyRange(key(name(from)), key(name(to)));
  }

  private static Command deletion(KeyRange range) {
    return new Command.Transact(Origin.NOBODY, Transaction.of(new Operation.Delete(range, false)));
  }

  private static Operation assign(String name, String value, long lease) {
    return new Operation.Assign(key(name), Bytes.utf8(value), lease, false, false, false);
  }

  /** All keys, of which every tenth ends with a lease. */
  private static TestState filled(StateSettings settings) {
    return filled(settings, ClusterVersion.NEWEST);
  }

  private static TestState filled(StateSettings settings, int version) {
    TestState state = new TestState(settings, version);
    state.apply(new Command.GrantLease(7, Duration.ofSeconds(10)));
    for (int i = 0; i < KEYS; i++) {
      state.run(assign(name(i), "old " + i, 0));
      state.run(assign(name(i), "value " + i, i % 10 == 0 ? 7 : 0));
    }
    return state;
  }

  private static long count(TestState state, long revision) {
    return state.state.read(new RangeRead(ALL, 0, false, true, revision)).count();
  }

  private static List<RevisionChanges> changes(TestState state, KeyRange range, long from) {
    return state.state.changes(range, from, Integer.MAX_VALUE, true);
  }

  @Test
  void isOneRevision() {
    try (TestState state = filled(SMALL)) {
      long before = state.state.revision();

      Answer answer = state.apply(deletion(range(5, KEYS)));

      assertThat(answer)
          .isEqualTo(
              new Answer.Transacted(
                  true, before + 1, List.of(new OperationResult.Deleted(KEYS - 5, List.of()))));
      assertThat(state.state.revision()).isEqualTo(before + 1);
      assertThat(count(state, 0)).isEqualTo(5);
      assertThat(count(state, before)).isEqualTo(KEYS);
      assertThat(state.state.leasedKeys(7)).containsExactly(key(name(0)));

      state.run(assign(name(50), "again", 0));
      assertThat(state.state.select(Selection.of(range(50, 51))).keys())
          .satisfiesExactly(
              kv -> {
                assertThat(kv.created()).isEqualTo(before + 2);
                assertThat(kv.version()).isEqualTo(1);
              });
    }
  }

  @Test
  void isToldByItsHistory() {
    try (TestState state = filled(SMALL)) {
      long revision = state.state.revision() + 1;
      List<Long> told = new ArrayList<>();
      state.state.listen(
          new StateListener() {
            @Override
            public void swept(long swept) {
              told.add(swept);
            }
          });
      state.apply(deletion(ALL));
      state.run(assign("after", "1", 0));

      assertThat(told).containsExactly(revision);
      List<RevisionChanges> all = changes(state, ALL, revision);
      assertThat(all).extracting(RevisionChanges::revision).containsExactly(revision, revision + 1);
      assertThat(all.getFirst().changes())
          .hasSize(KEYS)
          .allMatch(KeyChange::deleted)
          .allMatch(change -> change.now().modified() == revision)
          .last()
          .satisfies(
              last -> {
                assertThat(last.now().key()).isEqualTo(key(name(KEYS - 1)));
                assertThat(last.before().orElseThrow().value())
                    .isEqualTo(Bytes.utf8("value " + (KEYS - 1)));
              });
      assertThat(changes(state, range(30, 32), revision).getFirst().changes())
          .extracting(change -> change.now().key())
          .containsExactly(key(name(30)), key(name(31)));
      assertThat(changes(state, range(200, 300), revision))
          .satisfiesExactly(
              sweep -> assertThat(sweep.changes()).isEmpty(),
              put -> assertThat(put.changes()).hasSize(1));
      assertThat(changes(state, range(0, 3), revision - 1).getFirst().changes()).hasSize(1);
    }
  }

  @Test
  void aCrashInItsMidstLosesNothing() {
    try (TestState state = filled(TINY);
        TestState reference = filled(SMALL)) {
      for (TestState each : List.of(state, reference)) {
        each.applyAll(
            List.of(
                new Command.Transact(Origin.NOBODY, Transaction.of(assign("x", "1", 7))),
                deletion(range(3, 90))));
      }
      // What the engine has not flushed is gone; the sweep's last batch is small, and among it.
      state.reopen();

      assertThat(state.state.revision()).isEqualTo(reference.state.revision());
      assertThat(state.state.fingerprint()).isEqualTo(reference.state.fingerprint());
      assertThat(count(state, 0)).isEqualTo(KEYS - 87 + 1);

      for (TestState each : List.of(state, reference)) {
        each.run(assign("y", "1", 0));
      }
      state.reopen();
      assertThat(state.state.fingerprint()).isEqualTo(reference.state.fingerprint());
    }
  }

  @Test
  void aSmallDeletionThatIsStoredIsNotDoneAgain() {
    try (TestState state = filled(TINY);
        TestState reference = filled(SMALL)) {
      for (TestState each : List.of(state, reference)) {
        each.apply(deletion(range(3, 8)));
        each.run(assign("k004", "again", 0));
        each.apply(deletion(range(90, 92)));
      }
      state.reopen();

      assertThat(state.state.fingerprint()).isEqualTo(reference.state.fingerprint());
      assertThat(count(state, 0)).isEqualTo(KEYS - 6);
    }
  }

  @Test
  void itsKeysAreReclaimedInParts() {
    try (TestState state = filled(SMALL, ClusterVersion.WITH_FLOOR - 1)) {
      state.apply(deletion(ALL));
      long swept = state.state.revision();
      state.run(assign("after", "1", 0));
      state.compact(swept + 1);

      int commands = 0;
      while (state.apply(new Command.Reclaim(10_000)) instanceof Answer.Reclaimed part
          && part.more()) {
        assertThat(++commands).isLessThan(1_000);
      }

      assertThat(commands).isGreaterThan(KEYS / 10);
      assertThat(state.state.reclaimed()).isEqualTo(swept);
      // The key that is left and its change, the lease, what is compacted, what is reclaimed, and
      // the cluster version.
      assertThat(state.state.cellCount()).isEqualTo(6);
      assertThat(count(state, 0)).isEqualTo(1);
    }
  }

  @Test
  void readsOfInteractiveTransactionsBeforeItAreLookedUp() {
    try (TestState state = filled(SMALL)) {
      state.set("/a", "1");
      long read = state.state.revision();
      state.apply(deletion(ALL));

      assertThat(kinds(List.of(state.run(readOf(state, read, ALL))))).containsExactly("ABORTED");
      assertThat(kinds(List.of(state.run(readOf(state, read, TestState.one("/a"))))))
          .containsExactly("done");
    }
  }

  @Test
  void onlyTheLastCommandOfAnEntryMaySweepAndOnlyIfNothingElseIsAsked() {
    try (TestState state = filled(SMALL)) {
      long before = state.state.revision();

      assertThat(kinds(state.applyAll(List.of(deletion(ALL), deletion(range(200, 300)))).answers()))
          .containsExactly("EXHAUSTED", "done");
      assertThat(kinds(List.of(state.run(new Operation.Delete(ALL, true)))))
          .containsExactly("EXHAUSTED");
      assertThat(kinds(List.of(state.run(assign("x", "", 0), new Operation.Delete(ALL, false)))))
          .containsExactly("EXHAUSTED");
      assertThat(state.state.revision()).isEqualTo(before);
      assertThat(count(state, 0)).isEqualTo(KEYS);
    }
  }

  private static Transaction readOf(TestState state, long revision, KeyRange range) {
    return TestState.transaction(
        new ReadSet(state.term, revision, List.of(range)), TestState.put("/b", "1"));
  }

  private static List<String> kinds(List<Answer> answers) {
    return answers.stream()
        .map(answer -> answer instanceof Refused refused ? refused.kind().name() : "done")
        .toList();
  }
}
