package io.stele.gateway.etcd.call;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Streams that are open, so that a server that stops can end them in words: one that is cut off
 * looks to etcd's clients as if it had been cancelled, and they do not come back.
 */
public final class OpenStreams {
  private final Set<Runnable> ends = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;

  /**
   * A stream has begun.
   *
   * @param end ends it with {@link EtcdError#STOPPED}; called at most once, perhaps at once
   */
  public void add(Runnable end) {
    ends.add(end);
    if (stopping && ends.remove(end)) {
      end.run();
    }
  }

  /** It has ended by itself. */
  public void remove(Runnable end) {
    ends.remove(end);
  }

  /** Ends all, and those that are yet to come. */
  public void end() {
    stopping = true;
    for (Runnable end : List.copyOf(ends)) {
      if (ends.remove(end)) {
        end.run();
      }
    }
  }
}
