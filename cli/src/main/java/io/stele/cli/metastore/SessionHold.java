package io.stele.cli.metastore;

import io.stele.base.error.UnavailableException;
import io.stele.client.metastore.Session;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps a session for as long as a program runs, or until this process is told to stop. Either way
 * the session is closed, so that its keys and locks are free at once and not after its time.
 */
final class SessionHold {

  private final Session session;
  private final CompletableFuture<Void> lost = new CompletableFuture<>();

  SessionHold(Session session) {
    this.session = session;
    session.onExpiry(() -> lost.complete(null));
  }

  /** Runs a program meanwhile and answers its exit code. */
  int during(List<String> program, Map<String, String> environment) throws InterruptedException {
    try (GuardedCommand command =
        GuardedCommand.start(program, environment, GuardedCommand.GRACE)) {
      Thread onSignal = new Thread(() -> stop(command), "stop");
      Runtime.getRuntime().addShutdownHook(onSignal);
      try {
        return command.await(lost);
      } finally {
        remove(onSignal);
      }
    }
  }

  /** Waits for a signal, or until the session is lost. */
  int untilStopped() {
    Thread onSignal = new Thread(session::close, "stop");
    Runtime.getRuntime().addShutdownHook(onSignal);
    try {
      lost.join();
    } finally {
      remove(onSignal);
    }
    throw new UnavailableException("session " + session.id() + " was lost");
  }

  private void stop(GuardedCommand command) {
    command.close();
    session.close();
  }

  private static void remove(Thread onSignal) {
    try {
      Runtime.getRuntime().removeShutdownHook(onSignal);
    } catch (IllegalStateException stopping) {
      // It runs already, and what it does has been done or can be done twice.
    }
  }
}
