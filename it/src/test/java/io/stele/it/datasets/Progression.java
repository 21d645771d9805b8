package io.stele.it.datasets;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/**
 * Reads from one node without a pause, single keys and many at once in turns, and records the
 * version of every answer: the versions that a client of that node sees, in their order.
 */
final class Progression implements AutoCloseable {
  private static final int AT_ONCE = 12;
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  /** Between two requests: the nodes need the processor too. */
  private static final Duration PACE = Duration.ofMillis(10);

  private final Reader reader;
  private final String dataset;
  private final Thread thread;
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private volatile List<String> versions = List.of(); // each that differs from the one before
  private volatile long answers;
  private final CountDownLatch ended = new CountDownLatch(1);

  Progression(String address, String dataset) {
    this.reader = new Reader(address);
    this.dataset = dataset;
    this.thread = Thread.ofPlatform().name("reader of " + address).start(this::run);
  }

  private void run() {
    List<String> keys = Source.keys();
    for (int i = 0; ended.getCount() > 0; i++) {
      try {
        if (i % 4 == 3) {
          int from = i % (keys.size() - AT_ONCE);
          many(keys.subList(from, from + AT_ONCE));
        } else {
          one(keys.get(i % keys.size()));
        }
        answers++;
        if (ended.await(PACE.toMillis(), TimeUnit.MILLISECONDS)) {
          return;
        }
      } catch (UncheckedIOException e) {
        wrong.add(e.toString());
      } catch (InterruptedException e) {
        wrong.add("interrupted");
        return;
      }
    }
  }

  private void one(String key) {
    Reader.Answer answer = reader.get(dataset, key);
    if (!answer.isValueOf(key)) {
      wrong.add(key + ": " + answer);
    }
    saw(answer.version());
  }

  private void many(List<String> keys) {
    Reader.Answer answer = reader.getMany(dataset, keys);
    List<String> expected = keys.stream().map(key -> Source.value(answer.version(), key)).toList();
    if (answer.status() != 200 || !Reader.values(answer).equals(expected)) {
      wrong.add(keys + ": " + answer);
    }
    saw(answer.version());
  }

  private void saw(String version) {
    if (versions.isEmpty() || !versions.getLast().equals(version)) {
      List<String> more = new ArrayList<>(versions);
      more.add(version);
      versions = List.copyOf(more);
    }
  }

  /** The versions that were seen, each once for every time it took the place of another. */
  List<String> versions() {
    return versions;
  }

  /** Answers that failed, or were not what they said. */
  List<String> wrong() {
    return List.copyOf(wrong);
  }

  long answers() {
    return answers;
  }

  /** Waits until a version is what clients get. */
  void await(String version) {
    Awaitility.await(version + " of " + dataset)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> versions.contains(version));
  }

  /** Waits until so many more answers have come. */
  void awaitMore(long count) {
    long before = answers;
    Awaitility.await(count + " answers")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> answers >= before + count);
  }

  @Override
  public void close() {
    ended.countDown();
    try {
      assertThat(thread.join(PATIENCE)).as("the reader has ended").isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
