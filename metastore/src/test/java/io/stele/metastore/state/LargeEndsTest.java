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
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.key.OpaqueKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Ends of sessions and leases, and transactions, with more to change than one batch or one list of
 * keys holds: they are done in pieces, or refused, and never stop a member.
 */
class LargeEndsTest {
  private static final KeyRange ALL = OpaqueKey.range(new byte[0], null);

  /** Mem fragments that a few parts fill; a batch deletes ten keys. */
  private static final StateSettings TINY =
      TestState.SETTINGS
          .withLimits(new MetastoreLimits(128, 1 << 20, 4_000, 1 << 20, 10, 100, 100, 1 << 20))
          .withStore(StoreSettings.DEFAULT.withMemory(4_000, 8_000));

  /** Never flushes by itself. */
  private static final StateSettings QUIET =
      TINY.withStore(StoreSettings.DEFAULT.withMemory(64 << 20, 128 << 20));

  /** Room for hundreds of megabytes, so that little is written twice. */
  private static final StateSettings LARGE =
      TestState.SETTINGS.withStore(StoreSettings.DEFAULT.withMemory(256 << 20, 512 << 20));

  private static Bytes longKey(int number) {
    byte[] bytes = new byte[OpaqueKey.MAX_BYTES];
    Arrays.fill(bytes, (byte) 'k');
    byte[] text = "%06d".formatted(number).getBytes(StandardCharsets.UTF_8);
    System.arraycopy(text, 0, bytes, 0, text.length);
    return OpaqueKey.of(bytes);
  }

  private static Operation assign(Bytes key, long lease) {
    return new Operation.Assign(key, Bytes.utf8("v"), lease, false, false, false);
  }

  private static long count(TestState state, KeyRange range) {
    return state.state.read(new RangeRead(range, 0, false, true, 0)).count();
  }

  private static String kind(Answer answer) {
    return answer instanceof Refused refused ? refused.kind().name() : "done";
  }

  @Test
  void aLeaseEndsWithMoreKeysThanOneCellCanList() {
    try (TestState state = new TestState(LARGE, ClusterVersion.WITH_FLOOR - 1)) {
      state.apply(new Command.GrantLease(7, Duration.ofSeconds(10)));
      for (int i = 0; i < 2_300; i++) {
        state.run(assign(longKey(i), 7));
      }
      long before = state.state.revision();

      assertThat(kind(state.apply(new Command.RevokeLease("", 7)))).isEqualTo("done");

      assertThat(state.state.revision()).isEqualTo(before + 1);
      assertThat(count(state, ALL)).isZero();
      assertThat(state.state.leases()).isEmpty();
      assertThat(state.state.leasedKeys(7)).isEmpty();
      // The history of it is dropped in pieces, too.
      state.set("/after", "1");
      state.compact(before + 2);
      int commands = 0;
      while (state.apply(new Command.Reclaim(10_000)) instanceof Answer.Reclaimed part
          && part.more()) {
        assertThat(++commands).isLessThan(10_000);
      }
      // The key that is left and its change, what is compacted, what is reclaimed, the version.
      assertThat(state.state.cellCount()).isEqualTo(5);
    }
  }

  @Test
  void aTransactionOfDeletionsThatAreTooLargeTogetherIsRefused() {
    try (TestState state = new TestState(LARGE)) {
      for (int i = 0; i < 2_300; i++) {
        state.run(assign(longKey(i), 0));
      }
      KeyRange first = new KeyRange(longKey(0), longKey(1_150));
      KeyRange second = new KeyRange(longKey(1_150), longKey(2_300));

      assertThat(
              kind(
                  state.run(
                      new Operation.Delete(first, false), new Operation.Delete(second, false))))
          .isEqualTo("EXHAUSTED");
      assertThat(count(state, ALL)).isEqualTo(2_300);
      assertThat(kind(state.run(new Operation.Delete(ALL, false)))).isEqualTo("done");
      assertThat(count(state, ALL)).isZero();
    }
  }

  @Test
  void anAnswerThatIsKeptIsBounded() {
    try (TestState state = new TestState()) {
      long session = state.open();
      String value = "v".repeat(900_000);
      for (int i = 0; i < 5; i++) {
        state.set("/k" + i, value);
      }
      List<Operation> operations = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        operations.add(new Operation.Get(TestState.prefix("/"), 0));
      }
      operations.add(TestState.put("/done", "1"));

      Answer answer =
          state.apply(
              new Command.Transact(
                  state.next(session),
                  new Transaction(List.of(), operations, List.of(), Optional.empty())));

      assertThat(kind(answer)).isEqualTo("EXHAUSTED");
      assertThat(state.get("/done")).isEqualTo("-");
      assertThat(state.set("/other", "1")).isPositive();
    }
  }

  @Test
  void aStepThatKeepsTheValueOfAKeyDeletedBeforeItIsRefused() {
    try (TestState state = new TestState()) {
      Bytes key = OpaqueKey.of(new byte[] {1});
      state.run(assign(key, 0));

      Answer answer =
          state.run(
              new Operation.Delete(KeyRange.of(key), false),
              new Operation.Assign(key, Bytes.EMPTY, 0, false, true, false));

      assertThat(kind(answer)).isEqualTo("KEY_ABSENT");
      assertThat(count(state, ALL)).isEqualTo(1);
    }
  }

  @Test
  void theKeysOfALeaseAreBounded() {
    MetastoreLimits three =
        new MetastoreLimits(128, 1 << 20, 4_000, 1 << 20, 100, 100, 3, 100, 1 << 20);
    try (TestState state = new TestState(TestState.SETTINGS.withLimits(three))) {
      state.apply(new Command.GrantLease(7, Duration.ofSeconds(10)));
      for (int i = 0; i < 3; i++) {
        state.run(assign(longKey(i), 7));
      }
      assertThat(kind(state.run(assign(longKey(3), 7)))).isEqualTo("EXHAUSTED");
      assertThat(kind(state.run(assign(longKey(2), 7)))).isEqualTo("done");
      state.run(new Operation.Delete(KeyRange.of(longKey(0)), false));
      state.reopen();
      assertThat(kind(state.run(assign(longKey(3), 7)))).isEqualTo("done");
      assertThat(kind(state.run(assign(longKey(4), 7)))).isEqualTo("EXHAUSTED");
    }
  }

  @Test
  void timesWithoutEndAreRefused() {
    try (TestState state = new TestState()) {
      Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
      assertThat(kind(state.apply(new Command.GrantLease(7, endless)))).isEqualTo("INVALID");
      assertThat(kind(state.apply(new Command.OpenSession("", endless, "", Bytes.EMPTY))))
          .isEqualTo("INVALID");
    }
  }

  /** A session with 95 keys and 95 locks, for all of which another one waits. */
  private static long crowded(TestState state) {
    long session = state.open();
    long other = state.open();
    for (int i = 0; i < 95; i++) {
      String key = "/a/directory/with/a/rather/long/name/for/what/it/holds/k%03d".formatted(i);
      state.run(TestState.put(key, "value " + i, session));
      state.acquire(session, key, true);
      state.acquire(other, key, true);
    }
    return session;
  }

  @Test
  void aSessionEndsInPiecesAndOnceAfterACrash() {
    for (boolean expired : new boolean[] {false, true}) {
      try (TestState state = new TestState(TINY);
          TestState reference = new TestState(QUIET)) {
        for (TestState each : List.of(state, reference)) {
          long session = crowded(each);
          each.takeEnded();
          long before = each.state.revision();
          Answer answer =
              each.apply(
                  expired
                      ? new Command.ExpireSession(session)
                      : new Command.CloseSession("", session));
          assertThat(answer).isEqualTo(new Answer.Done());
          assertThat(each.state.revision()).isEqualTo(before + 1);
          assertThat(each.takeEnded()).hasSize(95);
          assertThat(each.state.sessionCount()).isEqualTo(1);
          assertThat(count(each, TestState.prefix("/"))).isZero();
          assertThat(each.changes(before + 1)).hasSize(95);
        }
        assertThat(state.state.fingerprint()).isEqualTo(reference.state.fingerprint());

        state.reopen(); // without what was not flushed: the end of the sweep, at least

        assertThat(state.state.revision()).isEqualTo(reference.state.revision());
        assertThat(state.state.fingerprint()).isEqualTo(reference.state.fingerprint());
      }
    }
  }

  @Test
  void aLeaseEndsInPiecesAndOnceAfterACrash() {
    try (TestState state = new TestState(TINY);
        TestState reference = new TestState(QUIET)) {
      for (TestState each : List.of(state, reference)) {
        each.apply(new Command.GrantLease(7, Duration.ofSeconds(10)));
        for (int i = 0; i < 95; i++) {
          each.run(assign(OpaqueKey.of(new byte[] {(byte) i}), 7));
        }
        each.applyAll(
            List.of(
                new Command.Transact(Origin.NOBODY, TestState.transaction(TestState.put("/a", ""))),
                new Command.ExpireLease(7)));
      }
      state.reopen();

      assertThat(state.state.revision()).isEqualTo(reference.state.revision());
      assertThat(state.state.fingerprint()).isEqualTo(reference.state.fingerprint());
      assertThat(count(state, ALL)).isZero();
    }
  }

  @Test
  void inTheMidstOfAnEntryALargeEndIsRefused() {
    try (TestState state = new TestState(TINY)) {
      state.apply(new Command.GrantLease(7, Duration.ofSeconds(10)));
      for (int i = 0; i < 11; i++) {
        state.run(assign(OpaqueKey.of(new byte[] {(byte) i}), 7));
      }
      Command end = new Command.ExpireLease(7);
      assertThat(state.applyAll(List.of(end, end)).answers())
          .extracting(LargeEndsTest::kind)
          .containsExactly("EXHAUSTED", "done");
    }
  }
}
