package io.stele.server;

import io.stele.base.event.Events;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What of a server was started, to be stopped in the opposite order. What fails to stop is told and
 * does not keep the rest from being stopped.
 */
final class Parts implements AutoCloseable {

  private record Part(String name, AutoCloseable end) {}

  private final Events events;
  private final Deque<Part> started = new ArrayDeque<>(); // guarded by this

  Parts(Events events) {
    this.events = events;
  }

  /** Takes over a part that was just started. */
  synchronized <T extends AutoCloseable> T add(String name, T part) {
    started.push(new Part(name, part));
    return part;
  }

  @Override
  public synchronized void close() {
    while (!started.isEmpty()) {
      Part part = started.pop();
      try {
        part.end().close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        events.publish(new ServerEvent.StopFailed(part.name(), e));
      } catch (Exception e) {
        events.publish(new ServerEvent.StopFailed(part.name(), e));
      }
    }
  }
}
