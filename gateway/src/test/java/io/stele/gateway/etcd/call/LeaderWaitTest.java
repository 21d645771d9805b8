package io.stele.gateway.etcd.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.Status;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.gateway.etcd.call.EtcdBackend.Lead;
import io.stele.testkit.ManualClock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeaderWaitTest {
  private static final Lead NOBODY = new Lead(1, Optional.empty(), false);
  private static final Lead FIRST = new Lead(1, Optional.of("a"), true);
  private static final Lead SECOND = new Lead(2, Optional.of("b"), true);

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final ManualClock clock = new ManualClock();
  private volatile Lead lead = NOBODY;
  private volatile boolean gone;
  private final LeaderWait waits = new LeaderWait(clock, timer, () -> lead, Duration.ofSeconds(7));

  private final AtomicInteger attempts = new AtomicInteger();

  @AfterEach
  void close() {
    timer.shutdownNow();
  }

  /** Answers where somebody other than the first one leads. */
  private CompletableFuture<String> ask(long bytes) {
    return waits.ask(
        bytes,
        () -> gone,
        () -> {
          attempts.incrementAndGet();
          return lead.equals(SECOND)
              ? CompletableFuture.completedFuture("done")
              : CompletableFuture.failedFuture(new NotServingException("not here"));
        });
  }

  private static void assertFailed(CompletableFuture<?> answer, EtcdError error) {
    await().until(answer::isDone);
    Status status = EtcdErrors.of(answer.exceptionNow()).getStatus();
    assertThat(status.getDescription()).isEqualTo(error.status().getDescription());
    assertThat(status.getCode()).isEqualTo(error.status().getCode());
  }

  @Test
  void aRequestIsHeldUntilSomebodyLeads() {
    CompletableFuture<String> answer = ask(10);
    assertThat(waits.size()).isEqualTo(1);
    lead = SECOND;
    await().until(answer::isDone);
    assertThat(answer.join()).isEqualTo("done");
    assertThat(attempts).hasValue(2);
    assertThat(waits.size()).isZero();
  }

  /** Followers name a dead leader until they miss it. */
  @Test
  void theLeaderThatDidNotTakeItIsTriedAgainAfterAPauseAndAnotherAtOnce() {
    lead = FIRST;
    CompletableFuture<String> answer = ask(10);
    assertThat(attempts).hasValue(1);
    clock.advance(Duration.ofMillis(250));
    await().until(() -> attempts.get() == 2);
    lead = SECOND;
    await().until(answer::isDone);
    assertThat(attempts).hasValue(3);
  }

  @Test
  void whatMayHaveBeenDoneIsNotSentAgain() {
    lead = SECOND;
    CompletableFuture<String> answer =
        waits.ask(
            10,
            () -> false,
            () -> {
              attempts.incrementAndGet();
              return CompletableFuture.failedFuture(new OutcomeUnknownException("lost"));
            });
    assertThat(answer).isCompletedExceptionally();
    assertThat(attempts).hasValue(1);
    assertThat(waits.size()).isZero();
  }

  @Test
  void itsTimeEndsWithEtcdsWords() {
    CompletableFuture<String> answer = ask(10);
    clock.advance(Duration.ofSeconds(6));
    CompletableFuture<String> later = ask(10);
    clock.advance(Duration.ofSeconds(1));
    assertFailed(answer, EtcdError.TIMEOUT);
    assertThat(answer.exceptionNow()).hasMessage("UNAVAILABLE: etcdserver: request timed out");
    assertThat(later).isNotDone();
    assertThat(attempts).hasValue(2);
  }

  @Test
  void aCallerThatLeavesIsForgotten() {
    CompletableFuture<String> answer = ask(10);
    gone = true;
    await().until(answer::isDone);
    lead = SECOND;
    assertThat(waits.size()).isZero();
    assertThat(attempts).hasValue(1);
  }

  @Test
  void onlySoManyBytesAreHeld() {
    CompletableFuture<String> held = ask(40 << 20);
    assertFailed(ask(40 << 20), EtcdError.TOO_MANY_REQUESTS);
    lead = SECOND;
    await().until(held::isDone);
    lead = NOBODY;
    assertThat(ask(40 << 20)).as("the first one's place is free").isNotDone();
  }

  @Test
  void aServerThatStopsHoldsNothing() {
    CompletableFuture<String> held = ask(10);
    waits.stop();
    assertFailed(held, EtcdError.STOPPED);
    assertFailed(ask(10), EtcdError.STOPPED);
  }
}
