package io.stele.bench.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CrewTest {

  private final AtomicLong runs = new AtomicLong();

  @Test
  void workThatRunsOutIsDoneExactly() throws Exception {
    Sample sample = Crew.untilDone(1, 64).run(_ -> () -> runs.incrementAndGet() <= 1000);

    assertThat(sample.runs()).isEqualTo(1000);
    assertThat(sample.seconds()).isPositive();
    assertThat(sample.perSecond()).isEqualTo(1000 / sample.seconds());
  }

  @Test
  void aCrewWorksForItsTimeAndTheRunsOfAllThreadsCount() throws Exception {
    AtomicInteger started = new AtomicInteger();
    Sample sample =
        new Crew(3, 0.03, 8)
            .run(
                thread -> {
                  assertThat(thread).isEqualTo(started.getAndIncrement());
                  return Crew.endless(runs::incrementAndGet, () -> {});
                });

    assertThat(started).hasValue(3);
    assertThat(sample.runs()).isEqualTo(runs.get());
    assertThat(sample.seconds()).isGreaterThanOrEqualTo(0.030);
    assertThat(sample.p99Micros()).isGreaterThanOrEqualTo(sample.p50Micros());
  }

  @Test
  void aFailureEndsAllThreadsAndIsThrown() {
    assertThatThrownBy(
            () ->
                new Crew(2, 3600)
                    .run(
                        thread ->
                            () -> {
                              if (thread == 1) {
                                throw new IOException("disk is gone");
                              }
                              return true;
                            }))
        .isInstanceOf(IOException.class)
        .hasMessage("disk is gone");
  }

  @Test
  void anErrorIsNotSwallowed() {
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                Crew.untilDone(1, 1)
                    .run(
                        _ ->
                            () -> {
                              throw new StackOverflowError("deep");
                            }))
        .withCauseInstanceOf(StackOverflowError.class);
  }

  @Test
  void workIsClosedAlsoAfterAFailure() {
    AtomicInteger closed = new AtomicInteger();
    assertThatThrownBy(
            () ->
                new Crew(4, 1)
                    .run(
                        _ ->
                            Crew.endless(
                                () -> {
                                  throw new IOException("no");
                                },
                                closed::incrementAndGet)))
        .isInstanceOf(IOException.class);
    assertThat(closed).hasValue(4);
  }
}
