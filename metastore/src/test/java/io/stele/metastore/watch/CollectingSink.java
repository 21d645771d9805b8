package io.stele.metastore.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.error.SteleException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Keeps what it is told as lines, and is ready for so many events as it is given credit for. */
class CollectingSink implements WatchSink {
  private final List<String> lines = new ArrayList<>();
  private final List<Long> revisions = new ArrayList<>();
  private final AtomicInteger credit = new AtomicInteger(Integer.MAX_VALUE);
  private final AtomicInteger callers = new AtomicInteger();
  private volatile boolean overlapped;

  CollectingSink withCredit(int events) {
    credit.set(events);
    return this;
  }

  private synchronized void line(String line) {
    lines.add(line);
  }

  private void alone(Runnable action) {
    overlapped |= callers.incrementAndGet() != 1;
    action.run();
    callers.decrementAndGet();
  }

  @Override
  public void started(long revision) {
    alone(() -> line("started " + revision));
  }

  @Override
  public boolean isReady() {
    return credit.get() > 0;
  }

  @Override
  public void events(long revision, List<KeyEvent> events) {
    alone(
        () -> {
          credit.decrementAndGet();
          StringBuilder text = new StringBuilder().append(revision);
          for (KeyEvent event : events) {
            text.append(event.deleted() ? " -" : " ").append(event.now().key());
            if (!event.deleted()) {
              text.append('=').append(event.now().value());
            }
            event.before().ifPresent(before -> text.append(" was ").append(before.value()));
          }
          synchronized (this) {
            revisions.add(revision);
          }
          line(text.toString());
        });
  }

  @Override
  public void progress(long revision) {
    alone(() -> line("progress " + revision));
  }

  @Override
  public void compacted(long oldest) {
    alone(() -> line("compacted " + oldest));
  }

  @Override
  public void failed(SteleException problem) {
    alone(() -> line("failed " + problem.getClass().getSimpleName()));
  }

  synchronized List<String> lines() {
    return List.copyOf(lines);
  }

  synchronized List<Long> revisions() {
    return List.copyOf(revisions);
  }

  void awaitLines(String... expected) {
    await()
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(2))
        .untilAsserted(() -> assertThat(lines()).containsExactly(expected));
    assertThat(overlapped).as("two threads at a time").isFalse();
  }

  /** Waits for all revisions of a span, each once and in order. */
  void awaitRevisions(long from, long to) {
    await()
        .atMost(Duration.ofSeconds(30))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> revisions().size() >= to - from + 1);
    List<Long> expected = new ArrayList<>();
    for (long r = from; r <= to; r++) {
      expected.add(r);
    }
    assertThat(revisions()).isEqualTo(expected);
    assertThat(overlapped).as("two threads at a time").isFalse();
  }
}
