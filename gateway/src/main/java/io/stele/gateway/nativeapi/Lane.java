package io.stele.gateway.nativeapi;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Work of one stream that may block, done some at a time by at most so many threads: a thread is
 * started for work, not for each piece of it. In a lane of width 1 work is done in order.
 *
 * <p>Its queue is bounded by whoever adds to it: see {@link ExchangeCall}.
 */
final class Lane<T> {
  private final Executor threads;
  private final int width;
  private final int batch;
  private final Consumer<List<T>> work;
  private final Deque<T> waiting = new ArrayDeque<>(); // guarded by this
  private int running; // guarded by this

  Lane(Executor threads, int width, int batch, Consumer<List<T>> work) {
    this.threads = threads;
    this.width = width;
    this.batch = batch;
    this.work = work;
  }

  void add(Collection<T> more) {
    int start;
    synchronized (this) {
      waiting.addAll(more);
      int useful = (waiting.size() + batch - 1) / batch;
      start = Math.max(0, Math.min(width, useful) - running);
      running += start;
    }
    for (int i = 0; i < start; i++) {
      try {
        threads.execute(this::run);
      } catch (RejectedExecutionException e) {
        return; // the server has stopped, and with it every stream
      }
    }
  }

  private void run() {
    boolean ended = false;
    try {
      for (List<T> taken = take(); !taken.isEmpty(); taken = take()) {
        work.accept(taken);
      }
      ended = true;
    } finally {
      if (!ended) {
        died();
      }
    }
  }

  /** Whatever ended a thread does not end the lane. */
  private synchronized void died() {
    running--;
  }

  private synchronized List<T> take() {
    List<T> taken = new ArrayList<>(Math.min(batch, waiting.size()));
    while (taken.size() < batch && !waiting.isEmpty()) {
      taken.add(waiting.removeFirst());
    }
    if (taken.isEmpty()) {
      running--;
    }
    return taken;
  }
}
