package io.stele.metastore.node;

import static io.stele.metastore.node.TestNode.TTL;
import static io.stele.metastore.node.TestNode.now;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.metastore.LockState;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Transaction;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NodeLockTest {
  private static final Bytes LOCK = Bytes.utf8("/lock");

  private TestNode test = TestNode.solo();

  @AfterEach
  void close() {
    test.close();
  }

  private void manual() {
    test.close();
    test = TestNode.manual(NodeSettings.DEFAULT);
  }

  private LockState lock() {
    return now(test.node().lockState("", LOCK));
  }

  /** "Acquire(key, bool exclusive)": many readers or one writer, first come first served. */
  @Test
  void requestsAreServedInTheirOrder() {
    long one = test.session();
    long two = test.session();
    long three = test.session();
    long first = now(test.acquire(one, "/lock"));
    CompletableFuture<Long> second = test.acquire(two, "/lock");
    CompletableFuture<Long> third = test.acquire(three, "/lock");
    test.settle();
    assertThat(second).isNotDone();
    assertThat(lock().waiting()).containsExactly(two, three);

    now(test.node().release(test.next(one), LOCK));
    long token = now(second);
    assertThat(token).as("tokens ascend").isGreaterThan(first);
    assertThat(third).isNotDone();
    now(test.node().release(test.next(two), LOCK));
    assertThat(now(third)).isGreaterThan(token);
  }

  @Test
  void sharedHoldersHoldTogether() {
    long one = test.session();
    long two = test.session();
    now(test.node().acquire(test.next(one), LOCK, false, Duration.ZERO, Duration.ZERO));
    now(test.node().acquire(test.next(two), LOCK, false, Duration.ZERO, Duration.ZERO));
    assertThat(lock().holders()).hasSize(2);
  }

  @Test
  void theDeadlineEndsTheWait() {
    long one = test.session();
    long two = test.session();
    now(test.acquire(one, "/lock"));
    CompletableFuture<Long> second =
        test.acquire(two, "/lock", Duration.ofSeconds(3), Duration.ZERO);
    test.pass(Duration.ofMillis(2_900));
    assertThat(second).isNotDone();
    test.pass(Duration.ofMillis(200));
    assertThatThrownBy(() -> now(second)).isInstanceOf(ConflictException.class);
    assertThat(lock().waiting()).isEmpty();
  }

  @Test
  void withoutPatienceItIsRefusedAtOnce() {
    long one = test.session();
    long two = test.session();
    now(test.acquire(one, "/lock"));
    assertThatThrownBy(() -> now(test.acquire(two, "/lock", Duration.ZERO, Duration.ZERO)))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("" + one);
  }

  @Test
  void withoutASessionThereAreNoLocks() {
    assertThatThrownBy(
            () -> now(test.node().acquire(Origin.NOBODY, LOCK, true, Duration.ZERO, Duration.ZERO)))
        .isInstanceOf(InvalidRequestException.class);
  }

  /** "Release(key)": by its holder only. */
  @Test
  void onlyTheHolderReleases() {
    long one = test.session();
    long two = test.session();
    now(test.acquire(one, "/lock"));
    assertThatThrownBy(() -> now(test.node().release(test.next(two), LOCK)))
        .isInstanceOf(NotFoundException.class);
  }

  @Test
  void anExpiredHoldersLockIsFreeAfterItsDelay() {
    long one = test.session();
    long two = test.session();
    long first = now(test.acquire(one, "/lock", Duration.ZERO, Duration.ofSeconds(5)));
    CompletableFuture<Long> second = test.acquire(two, "/lock");
    for (int i = 0; i < 5; i++) {
      test.pass(TTL.dividedBy(4));
      now(test.node().keepAlive("", two));
    }
    assertThat(lock().delayed()).isTrue();
    assertThat(second).isNotDone();
    test.pass(Duration.ofSeconds(5));
    assertThat(now(second)).isGreaterThan(first);
  }

  @Test
  void aNewLeaderBeginsDelaysAndWaitsAnew() {
    long one = test.session();
    long two = test.session();
    now(test.acquire(one, "/lock", Duration.ZERO, Duration.ofSeconds(5)));
    Origin waiting = test.next(two);
    CompletableFuture<Long> lost =
        test.node().acquire(waiting, LOCK, true, Duration.ofSeconds(30), Duration.ZERO);
    for (int i = 0; i < 5; i++) {
      test.pass(TTL.dividedBy(4));
      now(test.node().keepAlive("", two));
    }
    test.restart();
    assertThat(lost).isCompletedExceptionally();
    CompletableFuture<Long> again =
        test.node().acquire(waiting, LOCK, true, Duration.ofSeconds(30), Duration.ZERO);
    test.pass(Duration.ofMillis(4_900));
    assertThat(again).isNotDone();
    test.pass(Duration.ofMillis(200));
    assertThat(now(again)).isPositive();
  }

  @Test
  void whoDiedWhileItWaitedIsNeverGranted() {
    long one = test.session();
    long dies = test.session();
    now(test.acquire(one, "/lock"));
    CompletableFuture<Long> waiting = test.acquire(dies, "/lock");
    for (int i = 0; i < 5; i++) {
      test.pass(TTL.dividedBy(4));
      now(test.node().keepAlive("", one));
    }
    assertThatThrownBy(() -> now(waiting)).isInstanceOf(NotFoundException.class);
    now(test.node().release(test.next(one), LOCK));
    assertThat(lock().holders()).isEmpty();
  }

  @Test
  void aCallerThatLeavesTheQueueIsTakenOut() {
    long one = test.session();
    long two = test.session();
    long three = test.session();
    now(test.acquire(one, "/lock"));
    CompletableFuture<Long> leaves = test.acquire(two, "/lock");
    CompletableFuture<Long> stays = test.acquire(three, "/lock");
    test.settle();
    leaves.cancel(false);
    test.settle();
    assertThat(lock().waiting()).containsExactly(three);
    now(test.node().release(test.next(one), LOCK));
    assertThat(now(stays)).isPositive();
  }

  @Test
  void aCallerThatLeftBeforeItsRequestWasQueuedIsTakenOutToo() {
    manual();
    long one = test.session();
    long two = test.session();
    now(test.acquire(one, "/lock"));
    test.log().automatic = false;
    CompletableFuture<Long> leaves = test.acquire(two, "/lock");
    leaves.cancel(false);
    test.log().applyNext();
    assertThat(test.log().entries.getFirst().commands())
        .singleElement()
        .isInstanceOf(Command.EndWait.class);
    test.log().applyAll();
    assertThat(lock().waiting()).isEmpty();
  }

  @Test
  void aLockGrantedToACallerThatIsGoneIsFreeAgain() {
    manual();
    long one = test.session();
    long two = test.session();
    test.log().automatic = false;
    CompletableFuture<Long> leaves = test.acquire(one, "/lock");
    leaves.cancel(false);
    test.log().applyAll();
    test.log().automatic = true;

    assertThat(lock().holders()).isEmpty();
    assertThat(now(test.acquire(two, "/lock"))).isPositive();
  }

  @Test
  void aLockGrantedWhileTheEndOfItsWaitIsOnItsWayIsFreeAgain() {
    manual();
    long one = test.session();
    long two = test.session();
    now(test.acquire(one, "/lock"));
    Origin origin = test.next(two);
    CompletableFuture<Long> leaves =
        test.node().acquire(origin, LOCK, true, Duration.ofMinutes(1), Duration.ZERO);
    test.log().automatic = false;
    var _ = test.node().release(test.next(one), LOCK);
    leaves.cancel(false);
    test.log().applyAll();
    test.log().automatic = true;

    assertThat(lock().holders()).isEmpty();
    assertThatThrownBy(
            () ->
                now(test.node().acquire(origin, LOCK, true, Duration.ofMinutes(1), Duration.ZERO)))
        .as("asked again, it hears what became of it")
        .isInstanceOf(ConflictException.class);
  }

  @Test
  void aRepeatedRequestWaitsWithTheFirst() {
    long one = test.session();
    long two = test.session();
    now(test.acquire(one, "/lock"));
    Origin origin = test.next(two);
    CompletableFuture<Long> first =
        test.node().acquire(origin, LOCK, true, Duration.ofMinutes(1), Duration.ZERO);
    CompletableFuture<Long> again =
        test.node().acquire(origin, LOCK, true, Duration.ofMinutes(1), Duration.ZERO);
    test.settle();
    first.cancel(false);
    test.settle();
    assertThat(lock().waiting()).as("the other caller still waits").containsExactly(two);
    now(test.node().release(test.next(one), LOCK));
    long token = now(again);
    assertThat(now(test.node().acquire(origin, LOCK, true, Duration.ofMinutes(1), Duration.ZERO)))
        .as("asked once more")
        .isEqualTo(token);
    assertThat(lock().holders()).containsExactly(new LockState.Holder(two, token, 1));
  }

  @Test
  void aGrantByAnotherLeadersEntryArrives() {
    manual();
    long one = test.session();
    long two = test.session();
    now(test.acquire(one, "/lock"));
    CompletableFuture<Long> waiting = test.acquire(two, "/lock");
    test.log().applyFromElsewhere(new Command.Release(test.next(one), LOCK));
    assertThat(now(waiting)).isPositive();
  }

  @Test
  void whoWaitsAtALeaderThatIsDeposedIsSentOn() {
    manual();
    long one = test.session();
    long two = test.session();
    now(test.acquire(one, "/lock"));
    CompletableFuture<Long> waiting = test.acquire(two, "/lock");
    test.log().depose();
    assertThatThrownBy(() -> now(waiting))
        .isInstanceOf(NotServingException.class)
        .satisfies(e -> assertThat(((NotServingException) e).hint()).contains("127.0.0.1:4"));
  }

  /** The fencing token guards what is written under the lock. */
  @Test
  void aTokenGuardsATransaction() {
    long one = test.session();
    long token = now(test.acquire(one, "/lock"));
    Transaction guarded =
        new Transaction(
            List.of(new Comparison.LockHeld(LOCK, token)),
            List.of(TestNode.putOf("/data", "1")),
            List.of(),
            Optional.empty());
    assertThat(now(test.node().transact(test.next(one), guarded)).succeeded()).isTrue();
    now(test.node().release(test.next(one), LOCK));
    assertThat(now(test.node().transact(test.next(one), guarded)).succeeded()).isFalse();
  }
}
