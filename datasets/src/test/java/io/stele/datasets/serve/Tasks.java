package io.stele.datasets.serve;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** Work that runs when a test says so, in the test's thread. */
final class Tasks implements Executor {
  private final List<Runnable> waiting = new ArrayList<>();
  private boolean held;

  @Override
  public void execute(Runnable task) {
    waiting.add(task);
  }

  /** Keeps all work from running. */
  void hold(boolean hold) {
    held = hold;
  }

  boolean isEmpty() {
    return held || waiting.isEmpty();
  }

  /** Runs one; which one is left to chance. */
  void runOne(RandomGenerator random) {
    if (!isEmpty()) {
      waiting.remove(random.nextInt(waiting.size())).run();
    }
  }

  /** Forgets what has not run: the process is gone. */
  void clear() {
    waiting.clear();
  }
}
