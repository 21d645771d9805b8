package io.stele.base.event;

import io.stele.base.time.RandomSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Exceptions that nobody expected, found where errors become answers. The client gets an id; the
 * listeners, such as the log, get the id and the stack trace:
 *
 * <pre>{@code
 * String id = Defects.ofProcess().report("native", exception);
 * return "a defect of the server: its log has more under " + id;
 * }</pre>
 *
 * <p>Those of a process share one place, since what maps errors knows no server.
 */
public final class Defects {
  private static final Defects OF_PROCESS = new Defects();

  private final List<Consumer<? super Defect>> listeners = new CopyOnWriteArrayList<>();

  private Defects() {}

  public static Defects ofProcess() {
    return OF_PROCESS;
  }

  /** Tells of every defect from now on, on the thread that found it. */
  public Subscription listen(Consumer<? super Defect> listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  /**
   * Tells the listeners.
   *
   * @param where the interface that was to answer
   * @return the id that connects what the client is told with what the log has
   */
  public String report(String where, Throwable cause) {
    String id = "%08x".formatted(RandomSource.system().nextInt());
    Defect defect = new Defect(id, where, cause);
    listeners.forEach(listener -> listener.accept(defect));
    return id;
  }

  /** What to answer in place of an exception that nobody expected. */
  public String answer(String where, Throwable cause) {
    return "a defect of the server: its log has more under id " + report(where, cause);
  }
}
