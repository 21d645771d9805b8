package io.stele.datasets.version;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Map.Entry;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets so many pieces of work run at a time, those of different loads in turn: a small dataset does
 * not wait until a large one is through. Its length is bounded by the files and shards of the
 * versions that are being loaded.
 */
public final class LoadQueue {
  private final Executor threads;
  private final int most;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Object, Deque<Runnable>> waiting = new LinkedHashMap<>();
  private int running;

  /**
   * Makes a queue.
   *
   * @param threads runs at most {@code most} at a time
   */
  public LoadQueue(Executor threads, int most) {
    this.threads = threads;
    this.most = most;
  }

  /** Adds a piece of work, which throws nothing. */
  void add(Object load, Runnable work) {
    lock.lock();
    try {
      waiting.computeIfAbsent(load, _ -> new ArrayDeque<>()).add(work);
      if (running == most) {
        return;
      }
      running++;
    } finally {
      lock.unlock();
    }
    threads.execute(this::run);
  }

  private void run() {
    while (true) {
      Runnable work;
      lock.lock();
      try {
        if (waiting.isEmpty()) {
          running--;
          return;
        }
        Entry<Object, Deque<Runnable>> first = waiting.entrySet().iterator().next();
        work = first.getValue().remove();
        waiting.remove(first.getKey());
        if (!first.getValue().isEmpty()) {
          waiting.put(first.getKey(), first.getValue()); // to the end of the line
        }
      } finally {
        lock.unlock();
      }
      work.run();
    }
  }
}
