package io.stele.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.stele.bench.driver.Sample;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ClosedLoopTest {

  private static ClosedLoop loop(Duration length) {
    return new ClosedLoop(length, Duration.ofSeconds(20));
  }

  @Test
  void everyAnswerCountsAndItsTimeIsTaken() {
    // A machine that stands still for the whole length leaves each client its first request alone.
    await().untilAsserted(this::countAnswersAndTheirTime);
  }

  private void countAnswersAndTheirTime() throws Exception {
    Executor later = CompletableFuture.delayedExecutor(2, TimeUnit.MILLISECONDS);
    AtomicLong answered = new AtomicLong();
    List<ClosedLoop.Client> clients = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      clients.add(() -> CompletableFuture.supplyAsync(answered::incrementAndGet, later));
    }

    Sample sample = loop(Duration.ofMillis(100)).run(clients);

    assertThat(sample.runs()).isEqualTo(answered.get()).isGreaterThan(4);
    assertThat(sample.seconds()).isGreaterThanOrEqualTo(0.1);
    assertThat(sample.p50Micros()).isGreaterThanOrEqualTo(1_900);
    assertThat(sample.p99Micros()).isGreaterThanOrEqualTo(sample.p50Micros());
  }

  @Test
  void aClientHasOneRequestAtATime() throws Exception {
    AtomicInteger inFlight = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    ClosedLoop.Client client =
        () -> {
          most.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
          return CompletableFuture.runAsync(inFlight::decrementAndGet);
        };

    loop(Duration.ofMillis(50)).run(List.of(client));

    assertThat(most).hasValue(1);
  }

  @Test
  void answersThatAreThereAtOnceDoNotDeepenTheStack() throws Exception {
    CompletableFuture<String> answer = CompletableFuture.completedFuture("at once");
    Set<Integer> depths = ConcurrentHashMap.newKeySet();

    Sample sample =
        loop(Duration.ofMillis(500))
            .run(
                List.of(
                    () -> {
                      depths.add(Thread.currentThread().getStackTrace().length);
                      return answer;
                    }));

    assertThat(sample.runs()).isGreaterThan(1);
    assertThat(depths).hasSize(1);
  }

  @Test
  void theFirstFailureEndsAllClients() {
    AtomicInteger requests = new AtomicInteger();
    Executor later = CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS);
    ClosedLoop.Client good = () -> CompletableFuture.runAsync(() -> {}, later);
    ClosedLoop.Client bad =
        () ->
            requests.incrementAndGet() < 5
                ? CompletableFuture.runAsync(() -> {}, later)
                : CompletableFuture.failedFuture(new IOException("the disk is full"));

    assertThatThrownBy(() -> loop(Duration.ofMinutes(1)).run(List.of(good, bad, good)))
        .isInstanceOf(IOException.class)
        .hasMessage("the disk is full");
  }

  @Test
  void aRequestThatCannotBeSentIsAFailureToo() {
    ClosedLoop.Client client =
        () -> {
          throw new IOException("no connection");
        };

    assertThatThrownBy(() -> loop(Duration.ofMinutes(1)).run(List.of(client)))
        .isInstanceOf(IOException.class)
        .hasMessage("no connection");
  }

  @Test
  void whoIsNeverAnsweredIsNotWaitedForForEver() {
    ClosedLoop.Client silent = CompletableFuture::new;
    ClosedLoop loop = new ClosedLoop(Duration.ofMillis(10), Duration.ofMillis(50));

    assertThatThrownBy(() -> loop.run(List.of(silent, silent)))
        .isInstanceOf(TimeoutException.class)
        .hasMessage("2 of 2 clients have had no answer for PT0.05S");
  }
}
