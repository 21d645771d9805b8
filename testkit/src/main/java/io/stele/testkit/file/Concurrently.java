package io.stele.testkit.file;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Runs tasks at the same moment, each on a thread of its own. */
final class Concurrently {
  private static final long DEADLINE_SECONDS = 60;

  private Concurrently() {}

  /** The results of {@code count} tasks, which start together; fails with the first that failed. */
  static <T> List<T> run(int count, IntFunction<Callable<T>> task) throws Exception {
    CyclicBarrier start = new CyclicBarrier(count);
    ExecutorService threads = Executors.newFixedThreadPool(count);
    try {
      List<Future<T>> futures = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        Callable<T> body = task.apply(i);
        futures.add(
            threads.submit(
                () -> {
                  start.await(DEADLINE_SECONDS, TimeUnit.SECONDS);
                  return body.call();
                }));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : futures) {
        results.add(future.get(DEADLINE_SECONDS, TimeUnit.SECONDS));
      }
      return results;
    } finally {
      threads.shutdownNow();
    }
  }
}
