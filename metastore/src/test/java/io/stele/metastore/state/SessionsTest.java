package io.stele.metastore.state;

import static io.stele.metastore.state.TestState.bytes;
import static io.stele.metastore.state.TestState.put;
import static io.stele.metastore.state.TestState.transaction;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.Answer.Transacted;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.MetastoreLimits;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.OperationResult;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.RefusedException;
import io.stele.metastore.key.KeyRange;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sessions, the keys that end with them, and requests that come again. */
class SessionsTest {
  private final TestState state = new TestState();

  @AfterEach
  void close() {
    state.close();
  }

  private static Kind refusal(Answer answer) {
    return ((Refused) answer).kind();
  }

  private Command.Transact request(long session, long sequence, String key, String value) {
    return new Command.Transact(
        new Origin("", session, sequence, Math.max(0, sequence - 10)),
        transaction(new Operation.Put(bytes(key), bytes(value), 0, true)));
  }

  @Test
  void idsAreUniqueForEver() {
    Set<Long> ids = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      Command open = new Command.OpenSession("", Duration.ofSeconds(1), "", Bytes.EMPTY);
      for (Answer answer : state.applyAll(List.of(open, open)).answers()) {
        ids.add(((Answer.SessionOpened) answer).session());
      }
      if (i % 10 == 0) {
        state.term++;
        ids.forEach(id -> state.apply(new Command.ExpireSession(id)));
        state.reopen();
      }
    }
    assertThat(ids).hasSize(200);
  }

  @Test
  void aRepeatedOpeningOpensNoSecondSession() {
    Command open = new Command.OpenSession("me", Duration.ofSeconds(3), "x", bytes("request"));
    Answer first = state.apply(open);
    state.state.flush();
    state.reopen();
    assertThat(state.apply(open)).isEqualTo(first);
    assertThat(state.state.sessions()).hasSize(1);
    Command other = new Command.OpenSession("you", Duration.ofSeconds(3), "x", bytes("request"));
    assertThat(refusal(state.apply(other))).isEqualTo(Kind.DENIED);
  }

  @Test
  void keysOfASessionGoWithItInOneRevision() {
    long session = state.open();
    long other = state.open();
    state.run(put("/e/a", "1", session), put("/e/b", "2", session), put("/e/c", "3", other));
    state.set("/stays", "4");
    long before = state.state.revision();
    assertThat(state.apply(new Command.ExpireSession(session))).isEqualTo(new Answer.Done());
    assertThat(state.state.revision()).isEqualTo(before + 1);
    assertThat(state.changes(before + 1))
        .containsExactly(before + 1 + " -/e/a was 1", before + 1 + " -/e/b was 2");
    assertThat(state.get("/e/c")).contains("=3");
    assertThat(refusal(state.run(put("/e/d", "5", session)))).isEqualTo(Kind.SESSION_GONE);
    assertThat(refusal(state.apply(new Command.ExpireSession(session))))
        .isEqualTo(Kind.SESSION_GONE);
  }

  @Test
  void aKeyThatWasPutAgainWithoutTheSessionStays() {
    long session = state.open();
    long other = state.open();
    state.run(put("/a", "1", session), put("/b", "1", session), put("/c", "1", session));
    state.set("/a", "2");
    state.run(put("/b", "2", other));
    state.remove("/c");
    state.set("/c", "3");
    state.apply(new Command.CloseSession("", session));
    assertThat(state.at(0)).hasSize(3);
    state.apply(new Command.CloseSession("", other));
    assertThat(state.at(0)).extracting(text -> text.substring(0, 2)).containsExactly("/a", "/c");
  }

  @Test
  void aSessionWithoutKeysEndsWithoutARevision() {
    long session = state.open();
    state.apply(new Command.CloseSession("", session));
    assertThat(state.state.revision()).isEqualTo(1);
    assertThat(state.state.session(session)).isEmpty();
  }

  @Test
  void nobodyUsesOrClosesAnothersSession() {
    long session = state.open("me");
    assertThat(refusal(state.apply(new Command.CloseSession("you", session))))
        .isEqualTo(Kind.DENIED);
    assertThat(
            refusal(
                state.apply(
                    new Command.Transact(
                        new Origin("you", session, 1, 0), transaction(put("/a", "1"))))))
        .isEqualTo(Kind.DENIED);
    assertThat(state.apply(new Command.CloseSession("me", session))).isEqualTo(new Answer.Done());
  }

  @Test
  void aRequestThatComesAgainIsAnsweredAgainAndNotDoneAgain() {
    long session = state.open();
    Answer first = state.apply(request(session, 1, "/a", "1"));
    state.apply(request(session, 2, "/a", "2"));
    assertThat(state.apply(request(session, 1, "/a", "1"))).isEqualTo(first);
    assertThat(state.state.revision()).isEqualTo(3);
    state.reopen();
    assertThat(state.apply(request(session, 1, "/a", "1"))).isEqualTo(first);
    state.state.flush();
    state.reopen();
    Answer again = state.apply(request(session, 2, "/a", "2"));
    assertThat(((OperationResult.Done) ((Transacted) again).results().getFirst()).previous())
        .get()
        .extracting(kv -> kv.value().toUtf8())
        .isEqualTo("1");
    assertThat(state.state.revision()).isEqualTo(3);
    assertThat(state.state.answerTo(new Origin("", session, 1, 0))).contains(first);
    assertThat(state.state.answerTo(new Origin("", session, 3, 0))).isEmpty();
    assertThatThrownBy(() -> state.state.answerTo(new Origin("you", session, 1, 0)))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.refused().kind()).isEqualTo(Kind.DENIED));
    assertThatThrownBy(() -> state.state.answerTo(new Origin("", 77, 1, 0)))
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.refused().kind()).isEqualTo(Kind.SESSION_GONE));
  }

  @Test
  void aRequestThatWasRefusedStaysRefused() {
    long session = state.open();
    Command.Transact request =
        new Command.Transact(
            new Origin("", session, 1, 0),
            TestState.when(
                new Comparison.Value(TestState.one("/a"), Comparison.Relation.EQUAL, bytes("x")),
                List.of(put("/b", "done")),
                List.of()));
    assertThat(((Transacted) state.apply(request)).succeeded()).isFalse();
    state.set("/a", "x");
    assertThat(((Transacted) state.apply(request)).succeeded()).isFalse();
    assertThat(state.get("/b")).isEqualTo("-");
  }

  @Test
  void requestsMayComeInAnyOrderWithinTheWindow() {
    long session = state.open();
    state.apply(request(session, 5, "/five", "1"));
    state.apply(request(session, 3, "/three", "1"));
    state.apply(request(session, 4, "/four", "1"));
    assertThat(state.at(0)).hasSize(3);
    state.apply(request(session, 3, "/three", "1"));
    assertThat(state.get("/three")).endsWith(",1");
  }

  @Test
  void aRequestThatIsAWindowLateIsNotDone() {
    long session = state.open();
    for (long sequence = 1; sequence <= Origin.WINDOW + 1; sequence++) {
      state.apply(request(session, sequence, "/a", "" + sequence));
    }
    long revision = state.state.revision();
    assertThat(refusal(state.apply(request(session, 1, "/a", "1")))).isEqualTo(Kind.UNKNOWN);
    assertThat(state.apply(request(session, 2, "/a", "2"))).isInstanceOf(Transacted.class);
    assertThat(state.state.revision()).isEqualTo(revision);
  }

  @Test
  void anAnswerTooLongToKeepIsUnknownWhenAskedAgainAndNotDoneAgain() {
    long session = state.open();
    state.run(new Operation.Put(bytes("/big"), Bytes.wrap(new byte[70_000]), 0, false));
    Command.Transact request =
        new Command.Transact(
            new Origin("", session, 1, 0),
            transaction(put("/a", "1"), new Operation.Get(KeyRange.ALL, 0)));
    assertThat(state.apply(request)).isInstanceOf(Transacted.class);
    Answer again = state.apply(request);
    assertThat(refusal(again)).isEqualTo(Kind.UNKNOWN);
    assertThat(((Refused) again).message()).contains("revision 3");
    assertThat(state.state.revision()).isEqualTo(3);
  }

  @Test
  void aSessionThatEndedLeavesNothing() {
    String empty = state.state.fingerprint();
    long session = state.open();
    state.apply(
        new Command.Acquire(state.next(session), bytes("/l"), true, Duration.ZERO, Duration.ZERO));
    for (int i = 1; i < 20; i++) {
      state.apply(new Command.Release(new Origin("", session, 100 + i, 100), bytes("/no")));
    }
    assertThat(state.state.fingerprint()).isNotEqualTo(empty);
    state.apply(new Command.CloseSession("", session));
    assertThat(state.state.fingerprint()).isEqualTo(empty);
  }

  @Test
  void aSessionHasOnlySoManyKeys() {
    try (TestState small =
        new TestState(
            TestState.SETTINGS.withLimits(
                new MetastoreLimits(128, 1 << 20, 4096, 1 << 20, 100, 2, 100, 1 << 20)))) {
      long session = small.open();
      small.run(put("/a", "1", session), put("/b", "1", session));
      assertThat(refusal(small.run(put("/c", "1", session)))).isEqualTo(Kind.EXHAUSTED);
      assertThat(small.run(put("/a", "2", session))).isInstanceOf(Transacted.class);
      small.reopen();
      assertThat(refusal(small.run(put("/c", "1", session)))).isEqualTo(Kind.EXHAUSTED);
      small.remove("/a");
      assertThat(small.run(put("/c", "1", session))).isInstanceOf(Transacted.class);
    }
  }
}
