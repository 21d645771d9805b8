package io.stele.it.metastore;

import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.testkit.history.HistoryRecorder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/** Threads that do one step after the other until they are told to stop. */
public final class Workers {
  /** Between two steps of one worker: the members need the processor too. */
  static final Duration PACE = Duration.ofMillis(30);

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** What a worker does over and over. */
  public interface Step {
    void run(RandomGenerator random) throws InterruptedException;
  }

  private final String name;
  private final SplittableRandom seeds;
  private final CountDownLatch stop = new CountDownLatch(1);
  private final List<Thread> threads = new ArrayList<>();
  private final Queue<Throwable> problems = new ConcurrentLinkedQueue<>();
  private final AtomicLong answers = new AtomicLong();
  private final AtomicLong refusals = new AtomicLong();
  private final AtomicLong unknown = new AtomicLong();

  public Workers(String name, long seed) {
    this.name = name;
    this.seeds = new SplittableRandom(seed);
  }

  /** One more worker. */
  public void start(Step step) {
    SplittableRandom random = seeds.split();
    threads.add(
        Thread.ofVirtual()
            .name(name + "-" + threads.size())
            .start(
                () -> {
                  try {
                    while (stop.getCount() > 0) {
                      step.run(random);
                    }
                  } catch (InterruptedException | RuntimeException | Error e) {
                    problems.add(e);
                  }
                }));
  }

  /** Waits a while, or until they are told to stop. */
  public void pause(Duration time) throws InterruptedException {
    var _ = stop.await(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  public boolean isStopping() {
    return stop.getCount() == 0;
  }

  /** A recorded call: does it, and records what came of it. */
  interface Call<R> {
    R run();
  }

  /** Makes the call and records its end. Returns whether there was an answer. */
  <C, R> boolean record(HistoryRecorder.Pending<C, R> pending, Call<R> call)
      throws InterruptedException {
    R result;
    try {
      result = call.run();
    } catch (OutcomeUnknownException e) {
      pending.unknown();
      unknown.incrementAndGet();
      return false;
    } catch (SteleException e) {
      pending.failed();
      refused();
      return false;
    } catch (RuntimeException | Error e) {
      pending.unknown();
      throw e;
    }
    pending.returned(result);
    answers.incrementAndGet();
    return true;
  }

  /** A step was refused: the next one comes a little later. */
  public void refused() throws InterruptedException {
    refusals.incrementAndGet();
    pause(Duration.ofMillis(10));
  }

  public void answered() {
    answers.incrementAndGet();
  }

  public long answers() {
    return answers.get();
  }

  /** Fails if a worker has failed already. */
  public void requireWorking() {
    if (!problems.isEmpty()) {
      throw new AssertionError(name + " failed " + problems.size() + " times", problems.peek());
    }
  }

  /** Has all of them end their step; fails if one failed in another way than the store may. */
  public void stop() throws InterruptedException {
    stop.countDown();
    for (Thread thread : threads) {
      if (!thread.join(PATIENCE)) {
        throw new AssertionError(thread.getName() + " did not end its last step");
      }
    }
    requireWorking();
  }

  @Override
  public String toString() {
    return "%s: %d answers, %d refusals, %d unknown"
        .formatted(name, answers.get(), refusals.get(), unknown.get());
  }
}
