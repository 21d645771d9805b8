package io.stele.datasets.serve;

import io.stele.base.event.Event;
import io.stele.base.event.Events;
import io.stele.base.time.Clock;
import io.stele.datasets.version.Source;
import io.stele.datasets.version.VersionLoad;
import io.stele.datasets.version.VersionStore;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * What the keepers of a node share. One lock guards all that they decide on; nothing that may take
 * long happens under it, but is handed to {@link #work}, which comes back by {@link #locked}.
 */
final class NodeContext {
  final String address;
  final DatasetSettings settings;
  final Clock clock;
  final SharedMap map;
  final Source source;
  final VersionStore store;
  final VersionLoad.Tools tools;

  /** The nodes that take part; nothing as long as this node waits for them to settle. */
  final Supplier<Optional<Set<String>>> nodes;

  private final Executor executor;
  private final Events events;
  private final Runnable wake;
  private final ReentrantLock lock = new ReentrantLock();

  NodeContext(
      String address,
      DatasetSettings settings,
      Clock clock,
      SharedMap map,
      VersionLoad.Tools tools,
      Supplier<Optional<Set<String>>> nodes,
      Executor executor,
      Events events,
      Runnable wake) {
    this.address = address;
    this.settings = settings;
    this.clock = clock;
    this.map = map;
    this.source = tools.source();
    this.store = tools.store();
    this.tools = tools;
    this.nodes = nodes;
    this.executor = executor;
    this.events = events;
    this.wake = wake;
  }

  /** Something that reads or writes files. */
  interface Work {
    void run() throws IOException;
  }

  /** Has work done outside the lock; what it fails with is told and forgotten. */
  void work(String what, Work work) {
    try {
      executor.execute(
          () -> {
            try {
              work.run();
            } catch (IOException | RuntimeException e) {
              publish(new DatasetEvent.UpkeepFailed(what, message(e)));
            }
          });
    } catch (RejectedExecutionException closed) {
      publish(new DatasetEvent.UpkeepFailed(what, "the node is being closed"));
    }
  }

  static String message(Exception e) {
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  /** Changes what keepers decide on, and has them look at it. */
  void locked(Runnable change) {
    lock.lock();
    try {
      change.run();
    } finally {
      lock.unlock();
    }
    wake.run();
  }

  <T> T read(Supplier<T> state) {
    lock.lock();
    try {
      return state.get();
    } finally {
      lock.unlock();
    }
  }

  /** Has keepers look again. */
  void wake() {
    wake.run();
  }

  void publish(Event event) {
    events.publish(event);
  }
}
