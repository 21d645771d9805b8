package io.stele.tables.txn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.FencedException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.time.RandomSource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class SequencerTest {
  private final Sequencer sequencer = new Sequencer(0, Runnable::run);

  private void assertCounters(long assigned, long durable, long stable) {
    assertThat(List.of(sequencer.assigned(), sequencer.durable(), sequencer.stable()))
        .as("assigned, durable, stable")
        .containsExactly(assigned, durable, stable);
  }

  private void allocate(int count) {
    for (int i = 0; i < count; i++) {
      sequencer.allocate();
    }
  }

  /** The trace "Cascade: Table::open("foo")->set(X)" of the design notes, line by line. */
  @Test
  void theCascadeFromATableToMetaToTheRoot() {
    assertCounters(0, 0, 0);
    // "Queue commit: log cells (T=foo,P=X,txn=1,nextTxn=2)"
    assertThat(sequencer.allocate()).isEqualTo(1);
    CompletableFuture<Long> stable = sequencer.whenStable(1);
    // "add config dep: txn 1 depends on 3 configs": of foo:1, foo:4 and foo:5
    sequencer.addFutureDeps(1, 1);
    sequencer.addFutureDeps(1, 1);
    sequencer.addFutureDeps(1, 1);
    // "Commit: log cells (T=foo,P=X) .. committedTxn = 1"
    sequencer.durable(1);
    assertCounters(1, 1, 0);
    // "Config: save (T=foo:1,txn=1) .. Queue commit: log cells (T=META,P=cf1,txn=2)"
    assertThat(sequencer.allocate()).isEqualTo(2);
    // "replace 1 config dep(s): txn 1 depends on txn 2 and 2 configs"
    sequencer.resolveFutureDeps(1, 1, 2);
    // "Config: save (T=foo:4,txn=1), (T=foo:5,txn=1)  -- batch multiple .. txn=3"
    assertThat(sequencer.allocate()).isEqualTo(3);
    sequencer.resolveFutureDeps(1, 2, 3);
    assertCounters(3, 1, 0);
    // "add F to META:0 .. add config dep: txn 2 depends on 1 config"
    sequencer.addFutureDeps(2, 1);
    // "Commit: log cells (T=META,P=cf1) .. committedTxn = 2"
    sequencer.durable(2);
    assertCounters(3, 2, 0);
    // "Queue commit: write root (T=META,P=cm0,txn=4) .. txn 2 depends on txn 4"
    assertThat(sequencer.allocate()).isEqualTo(4);
    sequencer.resolveFutureDeps(2, 1, 4);
    // "Commit: log cells (T=META,P=cf4-5) .. committedTxn = 3"
    sequencer.durable(3);
    assertCounters(4, 3, 0); // 1 depends on 2 as well as on 3, and 2 on the root
    assertThat(stable).isNotDone();
    // "Commit: write root (T=META,P=cm0) .. committedTxn = 4"
    sequencer.durable(4);
    assertCounters(4, 4, 4);
    assertThat(stable).isCompleted();
  }

  @Test
  void whatNothingDependsOnIsStableWhenItIsDurable() {
    sequencer.allocate();
    sequencer.allocate();
    sequencer.durable(2);
    assertCounters(2, 2, 2);
    assertThat(sequencer.whenStable(2)).isCompleted();
    assertThat(sequencer.whenDurable(1)).isCompletedWithValue(2L);
  }

  @Test
  void aTransactionHoldsBackThoseBehindItFromBeingStable() {
    allocate(3);
    sequencer.addFutureDeps(2, 1);
    sequencer.durable(3);
    assertCounters(3, 3, 1);
    assertThat(sequencer.whenStable(1)).isCompleted();
    CompletableFuture<Long> third = sequencer.whenStable(3);
    assertThat(third).isNotDone();
    sequencer.resolveFutureDeps(2, 1, 0); // became no transaction of META
    assertThat(third).isCompleted();
    assertCounters(3, 3, 3);
  }

  @Test
  void moreCannotBeResolvedThanThereIs() {
    sequencer.addFutureDeps(2, 1);
    assertThatThrownBy(() -> sequencer.resolveFutureDeps(2, 2, 5))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("transaction 2");
    assertThatThrownBy(() -> sequencer.resolveFutureDeps(3, 1, 5))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void waitersAreServedInTheOrderOfTheirTransactionsHoweverTheyCame() {
    allocate(10);
    List<Long> served = new ArrayList<>();
    List<CompletableFuture<Long>> waiting = new ArrayList<>();
    for (long txn : new long[] {5, 2, 9, 2, 7}) {
      waiting.add(sequencer.whenDurable(txn).thenApply(durable -> served.add(txn) ? durable : 0));
    }
    sequencer.durable(1);
    assertThat(served).isEmpty();
    sequencer.durable(5);
    assertThat(served).containsExactly(2L, 2L, 5L);
    sequencer.durable(8);
    assertThat(served).containsExactly(2L, 2L, 5L, 7L);
    assertThat(waiting.get(2)).isNotDone();
    sequencer.durable(10);
    assertThat(waiting).allSatisfy(each -> assertThat(each).isCompleted());
  }

  @Test
  void countersNeverGoBack() {
    sequencer.advanceTo(10);
    sequencer.advanceTo(4);
    assertThat(sequencer.allocate()).isEqualTo(11);
    sequencer.durable(11);
    sequencer.durable(3);
    assertCounters(11, 11, 11);
  }

  @Test
  void skippedTransactionsAreDurableWithWhatCameBefore() {
    sequencer.advanceTo(10);
    assertCounters(10, 10, 10);
    assertThat(sequencer.allocate()).isEqualTo(11);
    sequencer.advanceTo(20);
    assertCounters(20, 10, 10);
    CompletableFuture<Long> waiting = sequencer.whenDurable(20);
    assertThat(sequencer.allocate()).isEqualTo(21);
    sequencer.durable(11);
    assertThat(sequencer.durable()).as("21 was given out since, and is not").isEqualTo(11);
    assertThat(waiting).isNotDone();
    sequencer.durable(21);
    assertThat(waiting).isCompletedWithValue(21L);
  }

  @Test
  void afterAFailureNobodyWaitsForEver() {
    allocate(5);
    sequencer.durable(2);
    CompletableFuture<Long> durable = sequencer.whenDurable(4);
    CompletableFuture<Long> stable = sequencer.whenStable(4);
    sequencer.failed(new IOException("disk is gone"));
    for (CompletableFuture<Long> each :
        List.of(durable, stable, sequencer.whenDurable(3), sequencer.whenStable(5))) {
      assertThat(each)
          .isCompletedExceptionally()
          .failsWithin(Duration.ZERO)
          .withThrowableThat()
          .withCauseInstanceOf(OutcomeUnknownException.class)
          .withMessageContaining("disk is gone");
    }
    assertThat(sequencer.whenDurable(2)).as("what is on disk stays so").isCompletedWithValue(2L);
  }

  @Test
  void whatWasResolvedIsForgottenThoughNobodyAsks() {
    for (int i = 0; i < 100; i++) {
      long txn = sequencer.allocate();
      sequencer.addFutureDeps(txn, 1);
      long meta = sequencer.allocate();
      sequencer.durable(meta);
      sequencer.resolveFutureDeps(txn, 1, meta);
    }
    assertThat(sequencer.waitingForDeps()).isZero();
  }

  /** assigned >= durable >= stable, all only grow, and in the end everything is stable. */
  @Test
  void randomDependenciesEndStable() {
    RandomGenerator random = RandomSource.seeded(3);
    for (int run = 0; run < 200; run++) {
      Sequencer own = new Sequencer(0, Runnable::run);
      List<Long> open = new ArrayList<>(); // transactions with one unresolved dependency each
      long lastStable = 0;
      for (int step = 0; step < 60 || !open.isEmpty() || own.durable() < own.assigned(); step++) {
        switch (random.nextInt(step < 60 ? 4 : 2)) {
          case 0 ->
              own.durable(own.durable() + random.nextLong(own.assigned() - own.durable() + 1));
          case 1 -> {
            if (!open.isEmpty()) {
              long txn = open.remove(random.nextInt(open.size()));
              long became = random.nextBoolean() ? 0 : own.allocate();
              own.resolveFutureDeps(txn, 1, became);
            }
          }
          case 2 -> own.allocate();
          default -> {
            if (own.assigned() > own.durable()) {
              long txn = own.durable() + 1 + random.nextLong(own.assigned() - own.durable());
              own.addFutureDeps(txn, 1);
              open.add(txn);
            }
          }
        }
        long stable = own.stable();
        assertThat(stable).as("run %d step %d", run, step).isBetween(lastStable, own.durable());
        long now = stable;
        assertThat(open).as("run %d step %d", run, step).allMatch(txn -> txn > now);
        lastStable = stable;
      }
      assertThat(own.stable()).as("run %d", run).isEqualTo(own.assigned());
    }
  }

  // ---- the lease

  private static final class Ending implements Lease {
    private boolean held = true;

    @Override
    public boolean isHeld() {
      return held;
    }
  }

  @Test
  void nothingIsAcknowledgedWithoutTheLease() {
    Ending lease = new Ending();
    Sequencer leased = new Sequencer(0, Runnable::run, lease);
    leased.allocate();
    leased.allocate();
    leased.durable(1);
    assertThat(leased.whenDurable(1)).isCompletedWithValue(1L);
    leased.checkLease();
    CompletableFuture<Long> waiting = leased.whenDurable(2);
    CompletableFuture<Long> later = leased.whenStable(2);
    CompletableFuture<?> endless = leased.unlessFailed(new CompletableFuture<>());
    lease.held = false;
    leased.durable(2);
    assertFenced(waiting);
    assertFenced(later);
    assertFenced(endless);
    assertFenced(leased.whenDurable(1));
    assertThatThrownBy(() -> leased.awaitDurable(1)).isInstanceOf(FencedException.class);
    assertThatThrownBy(leased::checkLease)
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("session");
    assertThat(leased.mayAnswer()).isFalse();
  }

  /** Whoever notices first ends what waits, though nothing becomes durable any more. */
  @Test
  void aReadThatFindsTheLeaseLostEndsWhatWaits() {
    Ending lease = new Ending();
    Sequencer leased = new Sequencer(0, Runnable::run, lease);
    leased.allocate();
    CompletableFuture<Long> waiting = leased.whenDurable(1);
    lease.held = false;
    assertThatThrownBy(leased::checkLease).isInstanceOf(FencedException.class);
    assertFenced(waiting);
  }

  private static void assertFenced(CompletableFuture<?> future) {
    assertThat(future).isCompletedExceptionally();
    assertThatThrownBy(future::join).hasCauseInstanceOf(FencedException.class);
  }
}
