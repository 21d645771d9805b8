package io.stele.metastore.state;

import static io.stele.metastore.state.TestState.bytes;
import static io.stele.metastore.state.TestState.put;
import static io.stele.metastore.state.TestState.when;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.metastore.LockState;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Granted;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Queued;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.Answer.Transacted;
import io.stele.metastore.command.Applied.WaitEnded;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.Origin;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Every rule of locks, each also after the state was opened again. */
class LocksTest {
  private final TestState state = new TestState();

  @AfterEach
  void close() {
    state.close();
  }

  private static Kind refusal(Answer answer) {
    return ((Refused) answer).kind();
  }

  private static long token(Answer answer) {
    return ((Granted) answer).token();
  }

  private LockState lock(String key) {
    return state.state.lockState(bytes(key));
  }

  private List<String> ended() {
    return state.takeEnded().stream().map(LocksTest::text).toList();
  }

  private static String text(WaitEnded wait) {
    return wait.session()
        + (wait.answer() instanceof Refused refused ? " " + refused.kind() : " granted");
  }

  @Test
  void oneExclusiveHolderOrManyShared() {
    long a = state.open();
    long b = state.open();
    long c = state.open();
    assertThat(state.acquire(a, "/x", true)).isInstanceOf(Granted.class);
    assertThat(state.acquire(b, "/x", false)).isInstanceOf(Queued.class);
    assertThat(state.acquire(a, "/s", false)).isInstanceOf(Granted.class);
    assertThat(state.acquire(b, "/s", false)).isInstanceOf(Granted.class);
    assertThat(state.acquire(c, "/s", true)).isInstanceOf(Queued.class);
    assertThat(lock("/s").holders()).hasSize(2);
  }

  @Test
  void theQueueIsFirstInFirstOutAlsoForSharedRequests() {
    long a = state.open();
    long b = state.open();
    long c = state.open();
    long d = state.open();
    state.acquire(a, "/l", false);
    state.acquire(b, "/l", true);
    assertThat(state.acquire(c, "/l", false)).isInstanceOf(Queued.class);
    assertThat(state.acquire(d, "/l", false)).isInstanceOf(Queued.class);
    state.state.flush();
    state.reopen();
    assertThat(lock("/l").waiting()).containsExactly(b, c, d);
    state.release(a, "/l");
    assertThat(ended()).containsExactly(b + " granted");
    state.release(b, "/l");
    assertThat(ended()).containsExactly(c + " granted", d + " granted");
  }

  @Test
  void tokensAscendWithEveryGrant() {
    long a = state.open();
    long b = state.open();
    long last = 0;
    for (int i = 0; i < 10; i++) {
      long token = token(state.acquire(i % 2 == 0 ? a : b, "/l", true));
      assertThat(token).isGreaterThan(last);
      last = token;
      state.release(i % 2 == 0 ? a : b, "/l");
      if (i == 5) {
        state.term++;
        state.reopen();
      }
    }
  }

  @Test
  void aHolderMayTakeItAgainAndMustReleaseItAsOften() {
    long a = state.open();
    long b = state.open();
    long token = token(state.acquire(a, "/l", true));
    state.acquire(b, "/l", true);
    assertThat(token(state.acquire(a, "/l", true))).isEqualTo(token);
    assertThat(token(state.acquire(a, "/l", false))).isEqualTo(token);
    assertThat(lock("/l").holders().getFirst().count()).isEqualTo(3);
    state.release(a, "/l");
    state.release(a, "/l");
    assertThat(ended()).isEmpty();
    state.release(a, "/l");
    assertThat(ended()).containsExactly(b + " granted");
  }

  @Test
  void sharedIsNotMadeExclusive() {
    long a = state.open();
    state.acquire(a, "/l", false);
    assertThat(refusal(state.acquire(a, "/l", true))).isEqualTo(Kind.INVALID);
    assertThat(lock("/l").holders().getFirst().count()).isEqualTo(1);
  }

  @Test
  void onlyTheHolderReleases() {
    long a = state.open();
    long b = state.open();
    state.acquire(a, "/l", true);
    state.acquire(b, "/l", true);
    assertThat(refusal(state.release(b, "/l"))).isEqualTo(Kind.NOT_FOUND);
    assertThat(refusal(state.release(a, "/none"))).isEqualTo(Kind.NOT_FOUND);
    assertThat(lock("/l").holders().getFirst().session()).isEqualTo(a);
  }

  @Test
  void whoDoesNotWantToWaitIsToldWhoHoldsIt() {
    long a = state.open();
    long b = state.open();
    state.acquire(a, "/l", true);
    Answer refused = state.acquire(state.next(b), "/l", true, 0, 0);
    assertThat(refusal(refused)).isEqualTo(Kind.LOCKED);
    assertThat(((Refused) refused).message()).contains("/l").contains("session " + a);
    assertThat(lock("/l").waiting()).isEmpty();
  }

  @Test
  void aWaitThatIsOverLeavesTheQueueAndLetsOthersThrough() {
    long a = state.open();
    long b = state.open();
    long c = state.open();
    state.acquire(a, "/l", false);
    Origin waiting = state.next(b);
    state.acquire(waiting, "/l", true, 10, 0);
    state.acquire(c, "/l", false);
    assertThat(state.state.waiting())
        .extracting(wait -> wait.request().session())
        .containsExactly(b, c);
    state.apply(new Command.EndWait(bytes("/l"), b, waiting.sequence()));
    assertThat(ended()).containsExactly(b + " LOCKED", c + " granted");
    state.apply(new Command.EndWait(bytes("/l"), b, waiting.sequence()));
    assertThat(ended()).isEmpty();
    assertThat(refusal(state.acquire(waiting, "/l", true, 10, 0))).isEqualTo(Kind.LOCKED);
  }

  @Test
  void aRepeatedRequestWaitsOnceAndHearsOfItsGrant() {
    long a = state.open();
    long b = state.open();
    state.acquire(a, "/l", true);
    Origin waiting = state.next(b);
    assertThat(state.acquire(waiting, "/l", true, 10, 0)).isInstanceOf(Queued.class);
    assertThat(state.acquire(waiting, "/l", true, 10, 0)).isInstanceOf(Queued.class);
    assertThat(lock("/l").waiting()).containsExactly(b);
    state.release(a, "/l");
    long token = lock("/l").holders().getFirst().token();
    assertThat(state.acquire(waiting, "/l", true, 10, 0)).isEqualTo(new Granted(token));
    assertThat(lock("/l").holders().getFirst().count()).isEqualTo(1);
    state.state.flush();
    state.reopen();
    assertThat(state.acquire(waiting, "/l", true, 10, 0)).isEqualTo(new Granted(token));
  }

  @Test
  void aClosedSessionFreesItsLocksAtOnceAndItsRequestsAreRefused() {
    long a = state.open();
    long b = state.open();
    long c = state.open();
    state.acquire(state.next(a), "/l", true, 10, 60);
    state.acquire(b, "/l", true);
    state.acquire(c, "/l", true);
    state.apply(new Command.CloseSession("", b));
    assertThat(ended()).containsExactly(b + " SESSION_GONE");
    state.apply(new Command.CloseSession("", a));
    assertThat(ended()).containsExactly(c + " granted");
  }

  @Test
  void anExpiredSessionsLockStaysClosedForItsDelay() {
    long a = state.open();
    long b = state.open();
    state.acquire(state.next(a), "/l", true, 10, 60);
    state.acquire(b, "/l", true);
    state.apply(new Command.ExpireSession(a));
    assertThat(ended()).isEmpty();
    state.state.flush();
    state.reopen();
    assertThat(lock("/l").delayed()).isTrue();
    var delay = state.state.delays().getFirst();
    assertThat(delay.delay().time()).isEqualTo(Duration.ofSeconds(60));
    assertThat(refusal(state.acquire(state.next(state.open()), "/l", true, 0, 0)))
        .isEqualTo(Kind.LOCKED);
    state.apply(new Command.EndDelay(bytes("/l"), delay.delay().token() - 1));
    assertThat(lock("/l").delayed()).isTrue();
    state.apply(new Command.EndDelay(bytes("/l"), delay.delay().token()));
    assertThat(ended()).containsExactly(b + " granted");
  }

  @Test
  void withoutADelayTheNextInLineGetsAnExpiredSessionsLock() {
    long a = state.open();
    long b = state.open();
    state.acquire(a, "/l", true);
    state.acquire(b, "/l", true);
    state.apply(new Command.ExpireSession(a));
    assertThat(ended()).containsExactly(b + " granted");
  }

  @Test
  void aSessionThatDiedWhileItWaitedIsNeverGranted() {
    long a = state.open();
    long b = state.open();
    long c = state.open();
    state.acquire(a, "/l", true);
    state.acquire(b, "/l", true);
    state.acquire(c, "/l", true);
    state.apply(new Command.ExpireSession(b));
    state.release(a, "/l");
    assertThat(ended()).containsExactly(b + " SESSION_GONE", c + " granted");
    assertThat(lock("/l").holders().getFirst().session()).isEqualTo(c);
  }

  @Test
  void aTokenGuardsATransaction() {
    long a = state.open();
    long token = token(state.acquire(a, "/l", true));
    Comparison guard = new Comparison.LockHeld(bytes("/l"), token);
    assertThat(
            ((Transacted) state.run(when(guard, List.of(put("/v", "1")), List.of()))).succeeded())
        .isTrue();
    state.release(a, "/l");
    state.acquire(state.open(), "/l", true);
    assertThat(
            ((Transacted) state.run(when(guard, List.of(put("/v", "2")), List.of()))).succeeded())
        .isFalse();
    assertThat(state.get("/v")).contains("=1@");
  }

  @Test
  void theLockIsNotTheValue() {
    long a = state.open();
    state.set("/l", "v");
    state.acquire(a, "/l", true);
    state.remove("/l");
    assertThat(lock("/l").holders()).hasSize(1);
    assertThat(state.at(0)).isEmpty();
    state.set("/l", "w");
    state.release(a, "/l");
    assertThat(state.get("/l")).contains("=w@");
    assertThat(state.state.revision()).isEqualTo(4);
  }

  @Test
  void locksNeedASessionAndAPath() {
    assertThat(
            refusal(
                state.apply(
                    new Command.Acquire(
                        Origin.NOBODY, bytes("/l"), true, Duration.ZERO, Duration.ZERO))))
        .isEqualTo(Kind.INVALID);
    assertThat(refusal(state.acquire(state.open(), "l", true))).isEqualTo(Kind.INVALID);
    assertThat(refusal(state.acquire(99, "/l", true))).isEqualTo(Kind.SESSION_GONE);
  }

  @Test
  void aFreeLockLeavesNothing() {
    long a = state.open();
    long b = state.open();
    state.acquire(a, "/l", true);
    state.acquire(b, "/l", false);
    state.release(a, "/l");
    state.release(b, "/l");
    assertThat(state.state.lockCount()).isZero();
    state.reopen();
    assertThat(state.state.lockCount()).isZero();
  }

  @Test
  void manyLocksOfOneSessionAreAllFreed() {
    long a = state.open();
    long b = state.open();
    for (int i = 0; i < 10; i++) {
      state.acquire(a, "/l" + i, i % 2 == 0);
      state.acquire(b, "/l" + i, true);
    }
    state.state.flush();
    state.reopen();
    state.apply(new Command.CloseSession("", a));
    assertThat(ended()).hasSize(10).containsOnly(b + " granted");
    assertThat(state.state.lockCount()).isEqualTo(10);
  }

  @Test
  void aRequestThatWaitedForAWindowDoesNotHideTheYoungerOneInItsPlace() {
    long a = state.open();
    long b = state.open();
    state.acquire(a, "/l", true);
    state.acquire(new Origin("", b, 1, 1), "/l", true, 10, 0);
    Origin younger = new Origin("", b, 1 + Origin.WINDOW, 1 + Origin.WINDOW);
    Command.Transact request = new Command.Transact(younger, TestState.transaction(put("/v", "1")));
    state.apply(request);
    state.release(a, "/l");
    assertThat(ended()).containsExactly(b + " granted");
    state.apply(request);
    assertThat(state.get("/v")).endsWith(",1");
  }
}
