package io.stele.bench.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FanoutTest {
  private final AtomicLong editions = new AtomicLong(10);
  private CompletableFuture<Void> answer = new CompletableFuture<>();
  private final Fanout fanout = new Fanout(3, editions::incrementAndGet, _ -> answer);
  private CompletableFuture<?> waiting = new CompletableFuture<Void>();

  @BeforeEach
  void putEdition11() {
    waiting = fanout.next();
  }

  @Test
  void aPutIsDoneWhenItIsAnsweredAndAllWatchersHaveSeenIt() {
    fanout.put(0, 11);
    fanout.put(2, 11);
    answer.complete(null);
    assertThat(waiting).isNotDone();
    fanout.put(1, 11);
    assertThat(waiting).isCompleted();
  }

  @Test
  void eventsMayComeBeforeTheAnswer() {
    for (int watcher = 0; watcher < 3; watcher++) {
      fanout.put(watcher, 11);
    }
    assertThat(waiting).isNotDone();
    answer.complete(null);
    assertThat(waiting).isCompleted();
  }

  @Test
  void theSameEventTwiceIsAFailure() {
    fanout.put(0, 11);
    fanout.put(0, 11);
    assertThatThrownBy(waiting::join)
        .hasRootCauseInstanceOf(WrongAnswerException.class)
        .hasMessageContaining("watcher 0 saw edition 11 after 11");
  }

  @Test
  void anOldEventIsAFailure() {
    for (int watcher = 0; watcher < 3; watcher++) {
      fanout.put(watcher, 11);
    }
    answer.complete(null);
    CompletableFuture<?> next = fanout.next();
    fanout.put(1, 11);
    assertThatThrownBy(next::join)
        .hasRootCauseInstanceOf(WrongAnswerException.class)
        .hasMessageContaining("watcher 1 saw edition 11 after 11, when 12 was the newest");
  }

  @Test
  void aFailedPutAndAnEndedWatchAreFailures() {
    answer.completeExceptionally(new IllegalStateException("no leader"));
    assertThatThrownBy(waiting::join).hasMessageContaining("no leader");

    answer = new CompletableFuture<>();
    CompletableFuture<?> next = fanout.next();
    fanout.failed(2, new IllegalStateException("the stream broke"));
    assertThatThrownBy(next::join).hasMessageContaining("the stream broke");
  }
}
