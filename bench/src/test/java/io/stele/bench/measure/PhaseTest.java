package io.stele.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PhaseTest {

  private final AtomicLong runs = new AtomicLong();

  @Test
  void aCountedPhaseRunsExactlyAsOften() throws Exception {
    Sample sample = Phase.counted(1000, 64).run(_ -> runs::incrementAndGet);

    assertThat(runs).hasValue(1000);
    assertThat(sample.runs()).isEqualTo(1000);
    assertThat(sample.seconds()).isPositive();
    assertThat(sample.perSecond()).isEqualTo(1000 / sample.seconds());
  }

  @Test
  void aTimedPhaseLastsAsLongAndCountsTheRunsOfAllThreads() throws Exception {
    AtomicInteger started = new AtomicInteger();
    Sample sample =
        Phase.timed(3, Duration.ofMillis(30), 8)
            .run(
                thread -> {
                  assertThat(thread).isEqualTo(started.getAndIncrement());
                  return runs::incrementAndGet;
                });

    assertThat(started).hasValue(3);
    assertThat(sample.runs()).isEqualTo(runs.get());
    assertThat(sample.seconds()).isGreaterThanOrEqualTo(0.030);
    assertThat(sample.p99Micros()).isGreaterThanOrEqualTo(sample.p50Micros());
  }

  @Test
  void aFailureEndsAllThreadsAndIsThrown() {
    Phase longPhase = Phase.timed(2, Duration.ofHours(1), 1);

    assertThatThrownBy(
            () ->
                longPhase.run(
                    thread ->
                        () -> {
                          if (thread == 1) {
                            throw new IOException("disk is gone");
                          }
                        }))
        .isInstanceOf(IOException.class)
        .hasMessage("disk is gone");
  }

  @Test
  void anErrorIsNotSwallowed() {
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                Phase.counted(1, 1)
                    .run(
                        _ ->
                            () -> {
                              throw new StackOverflowError("deep");
                            }))
        .withCauseInstanceOf(StackOverflowError.class);
  }

  @Test
  void operationsAreClosedAlsoAfterAFailure() {
    AtomicInteger closed = new AtomicInteger();
    Operation.Source source =
        _ ->
            new Operation() {
              @Override
              public void run() throws IOException {
                throw new IOException("no");
              }

              @Override
              public void close() {
                closed.incrementAndGet();
              }
            };

    assertThatThrownBy(() -> Phase.timed(4, Duration.ofSeconds(1), 1).run(source))
        .isInstanceOf(IOException.class);
    assertThat(closed).hasValue(4);
  }
}
